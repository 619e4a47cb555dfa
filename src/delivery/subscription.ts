/** A subscription: a replay of the log after a cursor, then live changes, without gaps or duplicates. */
import { ResumeError } from '../errors.ts'
import { type ChangePosition, encodeChangeCursor } from '../query/change-cursor.ts'
import { type Change, type ChangesQuery, isBefore, readChanges } from '../store/changes/changes.ts'
import type { Database } from '../store/database/database.ts'
import { inBatches } from './batch.ts'
import type { ChangeSelector, Follower, LiveChanges } from './live-changes.ts'

export interface SubscriptionRequest extends ChangeSelector {
  /** The position to resume after; undefined: from now on. */
  readonly after?: ChangePosition | undefined
  /** Narrows what is read from the log to some credentials; undefined: those of the whole environment. */
  readonly logged?:
    | (() => Promise<Pick<ChangesQuery, 'credentialIds' | 'formerUserId'>>)
    | undefined
  /** Creates the error for a log that no longer contains every change after `after`. */
  readonly expired: () => Error
}

export interface Subscriptions {
  /**
   * The matching changes, in batches, until the service stops. Close it with `return`, which is allowed while
   * `next` is pending. `next` throws RESUME if the caller stalls until its next change has left the window.
   */
  subscribe(request: SubscriptionRequest): AsyncIterableIterator<readonly Change[]>
}

export interface SubscriptionsOptions {
  readonly database: Database
  readonly live: LiveChanges
}

const PAGE_SIZE = 200
/** Pages of the log that are read concurrently for all replays; the other connections are for the API. */
const MAX_REPLAYS = 3
/** A subscriber that does not read for longer, and is behind the window, gets RESUME. */
const STALLED_MS = 1000

const createSemaphore = (count: number) => {
  let free = count
  const waiting: (() => void)[] = []
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free -= 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

export const createSubscriptions = ({ database, live }: SubscriptionsOptions): Subscriptions => {
  const withPermit = createSemaphore(MAX_REPLAYS)

  /** The matching changes of the log between two positions. */
  async function* replay(
    { environmentId, logged, topics, wants, expired }: SubscriptionRequest,
    { follower, from, to }: { follower: Follower; from: ChangePosition; to: ChangePosition },
  ): AsyncGenerator<readonly Change[], void> {
    if (!isBefore(from, to)) return
    // Read after `to` was: a credential that was created before it is included.
    const credentials = await logged?.()
    let after = from
    while (isBefore(after, to)) {
      const page = await withPermit(async () =>
        // The follower may have left while this replay waited for its turn.
        follower.hasLeft()
          ? undefined
          : readChanges(database, {
              environmentId,
              topics,
              after,
              before: to,
              limit: PAGE_SIZE,
              ...credentials,
            }),
      )
      if (page === undefined) return
      if (page.truncated) throw expired()
      yield* inBatches(wants === undefined ? page.changes : page.changes.filter(wants))
      if (page.changes.length < PAGE_SIZE) return
      after = page.next
    }
  }

  async function* follow(
    request: SubscriptionRequest,
    follower: Follower,
    pace: { readonly heldMs: number },
  ): AsyncGenerator<readonly Change[], void> {
    let reached = request.after ?? follower.moveToEnd()
    for (;;) {
      // The live changes start where the replay ends. If the replay takes so long that their start has left the
      // window, the rest is replayed too.
      do {
        const to = follower.moveToEnd()
        yield* replay(request, { follower, from: reached, to })
        // The cursor of another process may be ahead of the position of this one.
        if (isBefore(reached, to)) reached = to
      } while (follower.isOvertaken())
      for (;;) {
        const read = await follower.next()
        if (read === undefined) return
        if (read === 'overtaken') break
        const changes = read.filter(({ position }) => isBefore(reached, position))
        const last = changes.at(-1)
        if (last === undefined) continue
        reached = last.position
        yield changes
      }
      // Its last change may be old and deleted by now. No change matched between that and the wake-up.
      const seenTo = follower.seenTo()
      if (isBefore(reached, seenTo)) reached = seenTo
      // A subscriber that reads is only behind, after a burst of changes, and catches up from the log.
      if (pace.heldMs > STALLED_MS) throw new ResumeError(encodeChangeCursor(reached))
    }
  }

  return {
    subscribe: (request) => {
      let follower: Follower | undefined
      let changes: AsyncGenerator<readonly Change[], void> | undefined
      let isClosed = false
      const pace = { heldMs: 0, yieldedAtMs: performance.now() }
      const open = async (): Promise<AsyncGenerator<readonly Change[], void> | undefined> => {
        follower = await live.join(request)
        if (isClosed) follower?.leave()
        return follower && !isClosed ? follow(request, follower, pace) : undefined
      }
      const opening = open()
      const close = async (): Promise<IteratorReturnResult<undefined>> => {
        isClosed = true
        follower?.leave()
        return { done: true, value: undefined }
      }
      return {
        [Symbol.asyncIterator]() {
          return this
        },
        next: async () => {
          changes ??= await opening
          if (changes === undefined || isClosed) return { done: true, value: undefined }
          try {
            pace.heldMs = performance.now() - pace.yieldedAtMs
            const result = await changes.next()
            pace.yieldedAtMs = performance.now()
            if (result.done) await close()
            return isClosed ? { done: true, value: undefined } : result
          } catch (error) {
            await close()
            throw error
          }
        },
        return: close,
      }
    },
  }
}
