/** Random histories of an app with a feed: the store and a follower of the change log end equal to the app. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  pauseCredential,
  resumeCredential,
  resyncCredential,
} from '../../src/store/sync/sync-control.ts'
import { RATES, STAGES, TOPICS } from '../support/feed-app.ts'
import { type FeedHarness, openFeedHarness } from './feed-harness.ts'

// The long form: SYNC_HISTORIES=1000.
const HISTORIES = Number(process.env.SYNC_HISTORIES ?? 8)

let harness: FeedHarness

beforeAll(async () => {
  harness = await openFeedHarness()
})

afterAll(() => harness.close())

const topic = fc.constantFrom(...TOPICS)
const id = fc.integer({ min: 1, max: 12 }).map(String)
const edit = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), topic, id, name: fc.string({ maxLength: 4 }) }),
  fc.record({ kind: fc.constant('remove' as const), topic, id }),
)
const control = fc.record({
  kind: fc.constantFrom('pause' as const, 'resume' as const, 'resync' as const),
  topic: fc.option(topic, { nil: undefined }),
})
const poll = fc.record({
  kind: fc.constant('poll' as const),
  faults: fc.array(fc.constantFrom(200, 200, 429, 500, 403, 401, 410), { maxLength: 6 }),
  // Changes before or after the response to the request of this number is built.
  during: fc.array(
    fc.record({
      request: fc.integer({ min: 1, max: 8 }),
      when: fc.constantFrom('onRequest' as const, 'onResponse' as const),
      what: fc.oneof(edit, fc.constant('kill' as const)),
    }),
    { maxLength: 4 },
  ),
})
const step = fc.oneof(
  { weight: 8, arbitrary: edit },
  { weight: 6, arbitrary: poll },
  { weight: 1, arbitrary: control },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
)
const history = fc.record({
  isWhole: fc.boolean(),
  canReadMany: fc.boolean(),
  pageSize: fc.integer({ min: 1, max: 8 }),
  fullAt: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
  steps: fc.array(step, { minLength: 1, maxLength: 25 }),
})

const CONTROLS = {
  pause: pauseCredential,
  resume: resumeCredential,
  resync: resyncCredential,
} as const

type Edit = { kind: 'put' | 'remove'; topic: string; id: string; name?: string }

const apply = ({ kind, topic, id, name }: Edit): void =>
  kind === 'put' ? harness.app.put(topic, id, name) : harness.app.remove(topic, id)

type Hook = 'onRequest' | 'onResponse'

/** Polls once, with changes in the app and kills in the middle. */
const pollDuring = async (
  credentialId: string,
  during: readonly { request: number; when: Hook; what: Edit | 'kill' }[],
): Promise<void> => {
  const { settings } = harness.app
  let requests = 0
  const atHook = (when: Hook) => async () => {
    if (when === 'onRequest') requests += 1
    for (const { request, what, when: planned } of during)
      if (planned === when && request === requests)
        await (what === 'kill' ? harness.kill() : apply(what))
  }
  settings.onRequest = atHook('onRequest')
  settings.onResponse = atHook('onResponse')
  await harness.poll(credentialId)
  settings.onRequest = undefined
  settings.onResponse = undefined
}

const storedOf = async (credentialId: string, topic: string) => {
  const rows =
    topic === STAGES
      ? await harness.database.prisma.$queryRaw<{ id: string; name: string }[]>`
          SELECT remote_id AS id, stage_name AS name FROM crm_stages
          WHERE credential_id = ${credentialId}::uuid AND NOT remote_deleted`
      : await harness.database.prisma.$queryRaw<{ id: string; name: string }[]>`
          SELECT remote_id AS id, description AS name FROM accounting_tax_rates
          WHERE credential_id = ${credentialId}::uuid AND NOT remote_deleted`
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/** The records that a follower of the change log has. */
const followedOf = async (credentialId: string, topic: string) => {
  const changes = await harness.database.prisma.$queryRaw<
    {
      kind: string
      record: {
        remoteId: string
        remoteDeleted: boolean
        stageName?: string
        description?: string
      }
    }[]
  >`SELECT kind, record FROM change_log.changes
    WHERE credential_id = ${credentialId}::uuid AND topic = ${topic} ORDER BY xid, sequence`
  const followed: Record<string, string | undefined> = {}
  const created = new Set<string>()
  for (const { kind, record } of changes) {
    const { remoteId } = record
    if (kind === 'created') {
      expect(created.has(remoteId)).toBe(false)
      created.add(remoteId)
    }
    if (record.remoteDeleted) delete followed[remoteId]
    else followed[remoteId] = topic === STAGES ? record.stageName : record.description
  }
  return followed
}

it(`the store equals the app after any history of a feed, and nothing is listed without cause (${HISTORIES})`, async () => {
  const { app, database } = harness
  const property = fc.asyncProperty(history, async ({ steps, canReadMany, ...settings }) => {
    app.clear()
    app.expire()
    Object.assign(app.settings, settings)
    harness.use({ canReadMany })
    const credentialId = await harness.connect()
    for (const taken of steps)
      switch (taken.kind) {
        case 'put':
        case 'remove':
          apply(taken)
          break
        case 'expire':
          app.expire()
          break
        case 'poll':
          app.faults.push(...taken.faults)
          await pollDuring(credentialId, taken.during)
          app.faults.length = 0
          break
        default:
          await database.transaction((transaction) =>
            CONTROLS[taken.kind](transaction, credentialId, taken.topic),
          )
      }
    await database.transaction((transaction) => resumeCredential(transaction, credentialId))
    // A failure of authentication is retried when the app is connected again.
    await database.prisma.$executeRaw`
      UPDATE sync_states SET due_at = clock_timestamp()
      WHERE credential_id = ${credentialId}::uuid AND failures > 0`
    // The first poll finishes interrupted runs, the second one lists what the feed has not shown, the third one
    // what those runs have passed.
    for (let time = 0; time < 4; time++) await harness.poll(credentialId)
    for (const topic of TOPICS) {
      const wanted = [...(app.rows.get(topic)?.values() ?? [])].map(({ id, name }) => [id, name])
      const stored = await storedOf(credentialId, topic)
      expect(stored).toEqual(Object.fromEntries(wanted))
      expect(await followedOf(credentialId, topic)).toEqual(stored)
    }
    app.requests.length = 0
    app.put(STAGES, '1')
    app.remove(RATES, '1')
    for (let time = 0; time < 3; time++) await harness.poll(credentialId)
    expect(app.requests.filter((kind) => kind === 'feed').length).toBeGreaterThanOrEqual(3)
    const lists = app.requests.filter((kind) => kind.startsWith('list'))
    expect(lists).toEqual(settings.isWhole || canReadMany ? [] : expect.anything())
  })
  await fc.assert(property, { numRuns: HISTORIES, seed: 20_261_123 })
}, 900_000)
