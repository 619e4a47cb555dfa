/**
 * Drift between the records of an app and the stored ones, found by the number of records that the app reports.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StoredCount } from '../../src/store/sync/sync-state.ts'
import { narrowBounds } from '../../src/sync/remote-count.ts'

type Event = 'arrives' | 'appears' | 'disappears' | 'created' | 'deleted'

interface StoredRecord {
  readonly createdAt: number
  readonly deletedAt: number | undefined
}

/**
 * An app and its store. `arrives`: the next listing of changes shows the record · `appears`, `disappears`: no
 * listing
 * of changes shows it · `created`, `deleted`: written through this service. The app also counts hidden records,
 * which
 * it never lists.
 */
const openApp = (hidden: number) => {
  let clock = 0
  let lastId = 0
  const app = new Set<number>()
  const arrivals = new Set<number>()
  const stored = new Map<number, StoredRecord>()
  /** Times at which records appeared or disappeared that no listing has shown since. */
  let silent: number[] = []
  let state: StoredCount | null = null
  let isFullListingDue = true

  const formatClock = (): string => new Date(clock).toISOString()
  const count = () => ({ count: app.size + hidden, countedAt: formatClock() })
  const store = (id: number): void => {
    const record = stored.get(id)
    if (!record || record.deletedAt !== undefined)
      stored.set(id, { createdAt: record?.createdAt ?? clock, deletedAt: undefined })
  }
  const markDeleted = (id: number): void => {
    const record = stored.get(id)
    if (record) stored.set(id, { ...record, deletedAt: clock })
  }
  const isStored = (id: number): boolean =>
    stored.get(id)?.deletedAt === undefined && stored.has(id)

  const apply = (event: Event): void => {
    clock += 1
    if (event === 'disappears' || event === 'deleted') {
      const id = [...app].find((other) => event === 'disappears' || isStored(other))
      if (id === undefined) return
      app.delete(id)
      arrivals.delete(id)
      if (event === 'deleted') markDeleted(id)
      else silent.push(clock)
      return
    }
    const id = ++lastId
    app.add(id)
    if (event === 'arrives') arrivals.add(id)
    else if (event === 'created') store(id)
    else silent.push(clock)
  }

  const listAll = (): void => {
    for (const id of app) store(id)
    for (const [id, { deletedAt }] of stored)
      if (!app.has(id) && deletedAt === undefined) markDeleted(id)
  }

  return {
    apply,
    isExact: () => state?.isExact === true,
    isFullListingDue: () => isFullListingDue,
    /** One run, with the events before its listing, between listing and count, and after the count. */
    run: (...[before, between, after]: readonly (readonly Event[])[]) => {
      const isFull = isFullListingDue
      clock += 1
      const countBefore = !isFull && state && !state.isExact ? count() : undefined
      before?.forEach(apply)
      clock += 1
      const listedAt = clock
      if (isFull) listAll()
      else for (const id of arrivals) store(id)
      arrivals.clear()
      between?.forEach(apply)
      clock += 1
      const counted = count()
      const counts = [state, countBefore].filter((counting) => counting != null)
      after?.forEach(apply)
      const records = [...stored.values()]
      const present = records.filter(
        ({ createdAt, deletedAt }) =>
          deletedAt === undefined && createdAt < Date.parse(counted.countedAt),
      ).length
      const countPossible = (countedAt: string): number =>
        records.filter(
          ({ deletedAt }) => deletedAt === undefined || deletedAt >= Date.parse(countedAt),
        ).length
      state = narrowBounds(isFull ? null : state, {
        before: counts.map(({ count, countedAt }) => ({
          count,
          possible: countPossible(countedAt),
        })),
        after: counted,
        present,
      })
      isFullListingDue = state === null
      const hasCause = silent.length > 0
      if (isFull) silent = silent.filter((at) => at > listedAt)
      return { isFull, hasCause }
    },
  }
}

const busy = fc.array(
  fc.constantFrom<Event[]>('arrives', 'arrives', 'arrives', 'created', 'deleted'),
  { maxLength: 4 },
)
const any = fc.array(
  fc.constantFrom<Event[]>('arrives', 'arrives', 'appears', 'disappears', 'created', 'deleted'),
  { maxLength: 3 },
)
const phasesOf = (events: fc.Arbitrary<Event[]>) => fc.tuple(events, events, events, events)

it('a busy app is listed in full only once', () => {
  fc.assert(
    fc.property(fc.nat(3), fc.array(phasesOf(busy), { maxLength: 30 }), (hidden, runs) => {
      const model = openApp(hidden)
      for (const [idle, ...during] of runs) {
        idle.forEach(model.apply)
        model.run(...during)
        expect(model.isFullListingDue()).toBe(false)
      }
    }),
  )
})

it('a full listing is due only if records appeared or disappeared without a listed change', () => {
  fc.assert(
    fc.property(fc.nat(3), fc.array(phasesOf(any), { maxLength: 30 }), (hidden, runs) => {
      const model = openApp(hidden)
      for (const [idle, ...during] of runs) {
        idle.forEach(model.apply)
        const { hasCause } = model.run(...during)
        if (model.isFullListingDue()) expect(hasCause).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})

it('in a busy app, the second run finds an unlisted new record, and the first run an unlisted deletion', () => {
  fc.assert(
    fc.property(
      fc.nat(3),
      fc.array(phasesOf(busy), { maxLength: 10 }),
      fc.constantFrom<Event[]>('appears', 'disappears'),
      fc.array(busy, { minLength: 2, maxLength: 2 }),
      (hidden, history, event, runs) => {
        const model = openApp(hidden)
        for (let record = 0; record < 99; record++) model.apply('arrives')
        for (const [idle, ...during] of history) {
          idle.forEach(model.apply)
          model.run(...during)
        }
        // Two runs without arrivals while they list and count.
        for (let quiet = 0; quiet < 2; quiet++) {
          model.apply('arrives')
          model.run()
        }
        expect(model.isExact()).toBe(true)
        model.apply(event)
        const found: boolean[] = []
        for (const idle of runs) {
          idle.forEach(model.apply)
          model.run()
          found.push(model.isFullListingDue())
          if (model.isFullListingDue()) break
        }
        expect(found).toEqual(event === 'appears' ? [false, true] : [true])
      },
    ),
    { numRuns: 300 },
  )
})
