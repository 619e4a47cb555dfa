/**
 * The change log, followed live by any number of subscribers: one reader a process reads it once, and
 * wakes those whom a change is for. What is said here is specified in PROTOCOL.md.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { ChangePosition } from '../query/change-cursor.ts'
import type { ChangeFeed } from '../store/change-feed.ts'
import { type Change, endOfLog } from '../store/changes.ts'
import type { Database } from '../store/database.ts'
import { readNewChanges } from '../store/new-changes.ts'
import { createBatch } from './batch.ts'
import { createChangeWindow, type WindowLimits } from './window.ts'

/** What a subscriber asks for. */
export interface Interest {
  readonly environmentId: string
  readonly topics: readonly string[]
  /** Undefined: every credential of the environment. */
  readonly credentialId?: string | undefined
  /** Undefined: every change. */
  readonly wants?: ((change: Change) => boolean) | undefined
}

/** One that waits for changes. */
export interface Follower {
  /**
   * Goes on with what is read from now on.
   * @returns where that begins: everything before is in the log already
   */
  moveToEnd(): ChangePosition
  /**
   * The next changes of interest, once there are any: as many as a batch holds of those that are read already.
   * Undefined after the end, its own or the service's.
   */
  next(): Promise<readonly Change[] | 'overtaken' | undefined>
  /**
   * Up to where nothing of interest is left to be given: the beginning of what it was woken by, however long
   * ago it was given something.
   */
  seenTo(): ChangePosition
  /** Whether changes that it has not seen are no longer remembered here: they are in the log alone. */
  isOvertaken(): boolean
  leave(): void
  hasLeft(): boolean
}

export interface LiveChanges {
  start(): void
  /** Ends every subscription. */
  stop(): Promise<void>
  /** Resolves once changes of interest are read; undefined if there is no more reading. */
  join(interest: Interest): Promise<Follower | undefined>
  /** How many have begun to follow. */
  readonly followers: number
}

export interface LiveChangesOptions {
  readonly database: Database
  readonly feed: Pick<ChangeFeed, 'next'>
  readonly log: { warn(facts: object, message: string): void }
  readonly window?: WindowLimits
}

/** Whoever is further behind than this is told to resume. */
const WINDOW: WindowLimits = { changes: 10_000, length: 32_000_000 }
const PAGE_SIZE = 500
/** Followers that are woken before others of this process have their turn. */
const SLICE = 100
const RETRY_MS = 500
/** While a transaction holds up what others have committed, the log is looked at after this time, then after twice. */
const HELD_UP_MS = 2
const MAX_HELD_UP_MS = 128

interface Waiting extends Interest {
  /** The next place to look at; undefined: all has been looked at, and it waits to be woken. */
  place: number | undefined
  /** What came before is given to it already, or not for it; undefined: it has not begun. */
  seenTo: ChangePosition | undefined
  wake: () => void
}

const isFor = ({ environmentId, credentialId, wants }: Interest, change: Change): boolean =>
  change.environmentId === environmentId &&
  (credentialId === undefined || change.credentialId === credentialId) &&
  (wants === undefined || wants(change))

const isWaiting = ({ place, seenTo }: Waiting): boolean =>
  place === undefined && seenTo !== undefined

export const createLiveChanges = ({
  database,
  feed,
  log,
  window: limits = WINDOW,
}: LiveChangesOptions): LiveChanges => {
  const window = createChangeWindow(limits)
  const byTopic = new Map<string, Set<Waiting>>()
  const followers = new Set<Waiting>()
  let position: ChangePosition | undefined
  let joining: (() => void)[] = []
  let called = Promise.withResolvers<void>()
  let heldUpMs = HELD_UP_MS
  let isStopping = false
  let running: Promise<void> | undefined

  const call = (): void => {
    called.resolve()
  }

  /** Whom the changes after a place wake: those who wait, each at its first change of interest. */
  const findWoken = (
    changes: readonly Change[],
    { after, first }: { readonly after: ChangePosition; readonly first: number },
  ): readonly Waiting[] => {
    const woken: Waiting[] = []
    changes.forEach((change, index) => {
      for (const follower of byTopic.get(change.topic) ?? [])
        if (isWaiting(follower) && isFor(follower, change)) {
          follower.place = first + index
          follower.seenTo = after
          woken.push(follower)
        }
    })
    return woken
  }

  const wakeAll = async (woken: readonly Waiting[]): Promise<void> => {
    for (let first = 0; first < woken.length; first += SLICE) {
      for (const follower of woken.slice(first, first + SLICE)) follower.wake()
      await breathe()
    }
  }

  /** Reads on, once. @returns when to do so again, if nothing is announced before */
  const readOn = async (after: ChangePosition): Promise<'now' | 'soon' | 'later'> => {
    const topics = [...byTopic.keys()]
    const page = await readNewChanges(database.prisma, { after, topics, limit: PAGE_SIZE })
    // Together: what is before the position is in the window, or was when it came.
    const first = window.end
    window.append(page.changes)
    position = page.next
    await wakeAll(findWoken(page.changes, { after, first }))
    if (page.changes.length === PAGE_SIZE) return 'now'
    return page.isHeldUp ? 'soon' : 'later'
  }

  const turn = async (): Promise<void> => {
    const announced = feed.next().then(() => {
      heldUpMs = HELD_UP_MS
    })
    called = Promise.withResolvers()
    if (followers.size === 0) {
      // Nobody is there to be told: the next one begins with the end as it is then.
      position = undefined
      await called.promise
      return
    }
    position ??= await endOfLog(database.prisma)
    // Their topics are among those that are read from here on.
    for (const join of joining.splice(0)) join()
    const again = await readOn(position)
    if (again === 'now') return
    // The end of the transaction that holds it up is announced by nobody, unless it has changes of its own.
    const timer = again === 'soon' ? setTimeout(call, heldUpMs) : undefined
    heldUpMs = Math.min(heldUpMs * 2, MAX_HELD_UP_MS)
    await Promise.race([announced, called.promise])
    clearTimeout(timer)
  }

  const run = async (): Promise<void> => {
    while (!isStopping)
      try {
        await turn()
      } catch (error) {
        log.warn({ err: error }, 'the change log could not be read')
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
  }

  const enter = (interest: Interest): Waiting => {
    const follower: Waiting = { ...interest, place: undefined, seenTo: undefined, wake: () => {} }
    followers.add(follower)
    for (const topic of interest.topics) {
      const group = byTopic.get(topic) ?? new Set()
      byTopic.set(topic, group.add(follower))
    }
    return follower
  }

  const leave = (follower: Waiting): void => {
    followers.delete(follower)
    for (const topic of follower.topics) {
      const group = byTopic.get(topic)
      group?.delete(follower)
      if (group?.size === 0) byTopic.delete(topic)
    }
    follower.wake()
  }

  const moveToEnd = (follower: Waiting): ChangePosition => {
    if (position === undefined) throw new Error('moveToEnd was called while nothing is being read.')
    follower.place = window.end
    follower.seenTo = position
    return position
  }

  /** What is of interest from a place on, up to a batch. */
  const take = (follower: Waiting, from: number): readonly Change[] => {
    const batch = createBatch()
    let place = from
    while (place < window.end && !batch.isFull) {
      const change = window.at(place)
      place += 1
      if (follower.topics.includes(change.topic) && isFor(follower, change)) batch.add(change)
    }
    follower.place = place < window.end ? place : undefined
    return batch.changes
  }

  const next = async (follower: Waiting): Promise<readonly Change[] | 'overtaken' | undefined> => {
    // Whoever has more to take lets others take theirs.
    if (follower.place !== undefined) await breathe()
    while (followers.has(follower)) {
      const { place } = follower
      if (place === undefined) {
        await new Promise<void>((resolve) => {
          follower.wake = resolve
        })
      } else if (place < window.start) return 'overtaken'
      else {
        const changes = take(follower, place)
        if (changes.length > 0) return changes
      }
    }
    return undefined
  }

  return {
    get followers() {
      return [...followers].filter(({ seenTo }) => seenTo !== undefined).length
    },
    start: () => {
      running ??= run()
    },
    stop: async () => {
      isStopping = true
      call()
      for (const join of joining.splice(0)) join()
      for (const follower of followers) leave(follower)
      await running
    },
    join: async (interest) => {
      if (isStopping) return undefined
      const follower = enter(interest)
      await new Promise<void>((resolve) => {
        joining = [...joining, resolve]
        call()
      })
      if (isStopping) return undefined
      return {
        moveToEnd: () => moveToEnd(follower),
        next: () => next(follower),
        seenTo: () => {
          if (follower.seenTo === undefined) throw new Error('seenTo was called before moveToEnd.')
          return follower.seenTo
        },
        isOvertaken: () => follower.place !== undefined && follower.place < window.start,
        leave: () => leave(follower),
        hasLeft: () => !followers.has(follower),
      }
    },
  }
}
