/**
 * Live changes for any number of subscribers: a process reads the change log once and wakes the subscribers
 * that match a change. PROTOCOL.md specifies it.
 */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { ChangePosition } from '../query/change-cursor.ts'
import type { ChangeSignal } from '../store/changes/change-signal.ts'
import { type Change, endOfLog } from '../store/changes/changes.ts'
import { readNewChanges } from '../store/changes/new-changes.ts'
import type { Database } from '../store/database/database.ts'
import { createBatch } from './batch.ts'
import { createChangeWindow, type WindowLimits } from './window.ts'

/** The changes that a subscriber selects. */
export interface ChangeSelector {
  readonly environmentId: string
  readonly topics: readonly string[]
  /** Undefined: every change. */
  readonly wants?: ((change: Change) => boolean) | undefined
}

/** A subscriber that follows the change log. */
export interface Follower {
  /**
   * Continues with the changes that are read from now on.
   * @returns the position of their start; everything before it is in the log
   */
  moveToEnd(): ChangePosition
  /**
   * The next matching changes, at most a batch of those that were read. Waits until at least one exists.
   * Undefined after `leave`, or when the process stops.
   */
  next(): Promise<readonly Change[] | 'overtaken' | undefined>
  /**
   * The position before which no matching change is left to be returned: the start of the page that last woke
   * the follower, even if its last change is much older.
   */
  seenTo(): ChangePosition
  /** Whether changes that it has not taken have left the window, and are only in the log. */
  isOvertaken(): boolean
  leave(): void
  hasLeft(): boolean
}

export interface LiveChanges {
  start(): void
  /** Ends every subscription. */
  stop(): Promise<void>
  /** Resolves once the reader includes the selected changes; undefined if the process is stopping. */
  join(selector: ChangeSelector): Promise<Follower | undefined>
  /** Number of subscribers that have started to follow. */
  readonly followers: number
  /** The log was read up to this position; undefined: nothing is read, because there are no subscribers. */
  readonly position: ChangePosition | undefined
}

export interface LiveChangesOptions {
  readonly database: Database
  readonly changeSignal: Pick<ChangeSignal, 'next'>
  readonly log: Pick<Log, 'warn'>
  readonly window?: WindowLimits
}

/** The limits of the window. A follower that is further behind reads the log again, or has to resume. */
const WINDOW: WindowLimits = { changes: 10_000, bytes: 32 * 2 ** 20 }
const PAGE_SIZE = 500
/** Followers that are woken before the event loop runs other work. */
const SLICE = 100
const RETRY_MS = 500
/** The first pause before the log is polled again while a long transaction delays the changes of others; it doubles. */
const FIRST_POLL_MS = 2
const MAX_POLL_MS = 128

interface FollowerState extends ChangeSelector {
  /** Index of the next change in the window to examine; undefined: all are examined, and it waits to be woken. */
  index: number | undefined
  /** Every matching change before it was returned; undefined: it has not started. */
  seenTo: ChangePosition | undefined
  wake: () => void
}

const matches = ({ environmentId, wants }: ChangeSelector, change: Change): boolean =>
  change.environmentId === environmentId && (wants === undefined || wants(change))

const isWaiting = ({ index, seenTo }: FollowerState): boolean =>
  index === undefined && seenTo !== undefined

export const createLiveChanges = ({
  database,
  changeSignal,
  log,
  window: limits = WINDOW,
}: LiveChangesOptions): LiveChanges => {
  const window = createChangeWindow(limits)
  const byTopic = new Map<string, Set<FollowerState>>()
  const followers = new Set<FollowerState>()
  let position: ChangePosition | undefined
  let joining: (() => void)[] = []
  let readerWoken = Promise.withResolvers<void>()
  let pollMs = FIRST_POLL_MS
  let isStopping = false
  let running: Promise<void> | undefined

  const wakeReader = (): void => {
    readerWoken.resolve()
  }

  /** The waiting followers that match the changes, each set to its first matching change. */
  const findMatching = (
    changes: readonly Change[],
    { after, first }: { readonly after: ChangePosition; readonly first: number },
  ): readonly FollowerState[] => {
    const woken: FollowerState[] = []
    changes.forEach((change, index) => {
      for (const follower of byTopic.get(change.topic) ?? [])
        if (isWaiting(follower) && matches(follower, change)) {
          follower.index = first + index
          follower.seenTo = after
          woken.push(follower)
        }
    })
    return woken
  }

  const wakeAll = async (woken: readonly FollowerState[]): Promise<void> => {
    for (let first = 0; first < woken.length; first += SLICE) {
      for (const follower of woken.slice(first, first + SLICE)) follower.wake()
      await yieldToEventLoop()
    }
  }

  /** Reads one page. @returns when to read the next, unless a notification arrives before */
  const readPage = async (after: ChangePosition): Promise<'now' | 'soon' | 'later'> => {
    const topics = [...byTopic.keys()]
    const page = await readNewChanges(database, { after, topics, limit: PAGE_SIZE })
    // Updated in one turn of the event loop, so that the position always equals the end of the window.
    const first = window.end
    window.append(page.changes)
    position = page.next
    await wakeAll(findMatching(page.changes, { after, first }))
    if (page.changes.length === PAGE_SIZE) return 'now'
    return page.isDelayed ? 'soon' : 'later'
  }

  const runOnce = async (): Promise<void> => {
    const notified = changeSignal.next().then(() => {
      pollMs = FIRST_POLL_MS
    })
    readerWoken = Promise.withResolvers()
    if (followers.size === 0) {
      // Without followers nothing is read. The next follower starts at the end of the log at that time.
      position = undefined
      await readerWoken.promise
      return
    }
    position ??= await endOfLog(database)
    // Their topics are included in every read from here on.
    for (const join of joining.splice(0)) join()
    const again = await readPage(position)
    if (again === 'now') return
    // The end of a long transaction sends no notification, unless it has changes itself.
    const timer = again === 'soon' ? setTimeout(wakeReader, pollMs) : undefined
    pollMs = Math.min(pollMs * 2, MAX_POLL_MS)
    await Promise.race([notified, readerWoken.promise])
    clearTimeout(timer)
  }

  const run = async (): Promise<void> => {
    while (!isStopping)
      try {
        await runOnce()
      } catch (error) {
        log.warn({ err: error }, 'could not read the change log; trying again')
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
  }

  const enter = (selector: ChangeSelector): FollowerState => {
    const follower: FollowerState = {
      ...selector,
      index: undefined,
      seenTo: undefined,
      wake: () => {},
    }
    followers.add(follower)
    for (const topic of selector.topics) {
      const group = byTopic.get(topic) ?? new Set()
      byTopic.set(topic, group.add(follower))
    }
    return follower
  }

  const leave = (follower: FollowerState): void => {
    followers.delete(follower)
    for (const topic of follower.topics) {
      const group = byTopic.get(topic)
      group?.delete(follower)
      if (group?.size === 0) byTopic.delete(topic)
    }
    follower.wake()
  }

  const moveToEnd = (follower: FollowerState): ChangePosition => {
    if (position === undefined)
      throw new Error('moveToEnd was called before the reader had a position.')
    follower.index = window.end
    follower.seenTo = position
    return position
  }

  /** The matching changes from an index on, at most a batch. */
  const take = (follower: FollowerState, from: number): readonly Change[] => {
    const batch = createBatch()
    let index = from
    while (index < window.end && !batch.isFull) {
      const change = window.at(index)
      index += 1
      if (follower.topics.includes(change.topic) && matches(follower, change)) batch.add(change)
    }
    follower.index = index < window.end ? index : undefined
    return batch.changes
  }

  const next = async (
    follower: FollowerState,
  ): Promise<readonly Change[] | 'overtaken' | undefined> => {
    // Yield to the other followers while changes are left to take.
    if (follower.index !== undefined) await yieldToEventLoop()
    while (followers.has(follower)) {
      const { index } = follower
      if (index === undefined) {
        await new Promise<void>((resolve) => {
          follower.wake = resolve
        })
      } else if (index < window.start) return 'overtaken'
      else {
        const changes = take(follower, index)
        if (changes.length > 0) return changes
      }
    }
    return undefined
  }

  return {
    get followers() {
      return [...followers].filter(({ seenTo }) => seenTo !== undefined).length
    },
    get position() {
      return position
    },
    start: () => {
      running ??= run()
    },
    stop: async () => {
      isStopping = true
      wakeReader()
      for (const join of joining.splice(0)) join()
      for (const follower of followers) leave(follower)
      await running
    },
    join: async (selector) => {
      if (isStopping) return undefined
      const follower = enter(selector)
      await new Promise<void>((resolve) => {
        joining = [...joining, resolve]
        wakeReader()
      })
      if (isStopping) return undefined
      return {
        moveToEnd: () => moveToEnd(follower),
        next: () => next(follower),
        seenTo: () => {
          if (follower.seenTo === undefined) throw new Error('seenTo was called before moveToEnd.')
          return follower.seenTo
        },
        isOvertaken: () => follower.index !== undefined && follower.index < window.start,
        leave: () => leave(follower),
        hasLeft: () => !followers.has(follower),
      }
    },
  }
}
