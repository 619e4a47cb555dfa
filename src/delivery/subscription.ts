/** One subscription: what the log holds after a cursor, then what comes, without a gap and nothing twice. */
import { ResumeError } from '../errors.ts'
import { type ChangePosition, encodeChangeCursor } from '../query/change-cursor.ts'
import { type Change, isBefore, readChanges } from '../store/changes.ts'
import type { Database } from '../store/database.ts'
import { inBatches } from './batch.ts'
import type { Follower, Interest, LiveChanges } from './live-changes.ts'

export interface SubscriptionRequest extends Interest {
  /** Undefined: from now on. */
  readonly after?: ChangePosition | undefined
  /** What to throw when the log no longer holds all that follows `after`. */
  readonly expired: () => Error
}

export interface Subscriptions {
  /**
   * The changes of interest, in batches; ends when the service does. To be closed by `return`, also while
   * one is waited for. `next` throws RESUME if the caller stalls while the process forgets what comes next.
   */
  subscribe(request: SubscriptionRequest): AsyncIterableIterator<readonly Change[]>
}

export interface SubscriptionsOptions {
  readonly database: Database
  readonly live: LiveChanges
}

const PAGE_SIZE = 200
/** Pages of the log that are read at once for all that catch up: the rest of the pool is for the API. */
const MAX_REPLAYS = 3
/** Who has left changes untaken for longer, and is behind what the process remembers, is told to resume. */
const STALLED_MS = 1000

const createTurns = (count: number) => {
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
  const inTurn = createTurns(MAX_REPLAYS)

  /** What lies in the log between two places. */
  async function* replay(
    { environmentId, credentialId, topics, wants, expired }: SubscriptionRequest,
    { follower, from, to }: { follower: Follower; from: ChangePosition; to: ChangePosition },
  ): AsyncGenerator<readonly Change[], void> {
    let after = from
    while (isBefore(after, to)) {
      const page = await inTurn(async () =>
        // Whoever has left while others had their turn is read nothing.
        follower.hasLeft()
          ? undefined
          : readChanges(database.prisma, {
              ...{ environmentId, topics, after, before: to, limit: PAGE_SIZE },
              ...(credentialId !== undefined && { credentialIds: [credentialId] }),
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
      // The live changes begin where the replay ends. If that takes so long that the process remembers
      // their beginning no more, there is more to replay.
      do {
        const to = follower.moveToEnd()
        yield* replay(request, { follower, from: reached, to })
        // The cursor of another process may be ahead of what this one has read.
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
      // What it was told last may be long ago, and forgotten since: nothing was for it until it was woken.
      const seenTo = follower.seenTo()
      if (isBefore(reached, seenTo)) reached = seenTo
      // Whoever takes what it is given is only behind, in a rush of changes, and catches up in the log.
      if (pace.heldMs > STALLED_MS) throw new ResumeError(encodeChangeCursor(reached))
    }
  }

  return {
    subscribe: (request) => {
      let follower: Follower | undefined
      let changes: AsyncGenerator<readonly Change[], void> | undefined
      let isClosed = false
      const pace = { heldMs: 0, givenAt: performance.now() }
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
            pace.heldMs = performance.now() - pace.givenAt
            const result = await changes.next()
            pace.givenAt = performance.now()
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
