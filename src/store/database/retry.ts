/** Retries of database work that is safe to repeat. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import { temporaryFailureOf } from './temporary-failure.ts'

export interface RetryOptions {
  readonly log: Pick<Log, 'warn'>
  /** Name of the work in the log. */
  readonly name: string
  /** Cancels the retries. */
  readonly signal?: AbortSignal | undefined
  /** Time after which a failure is not retried. Default: 5 minutes. */
  readonly limitMs?: number
}

const LIMIT_MS = 300_000

/**
 * Runs `work` and retries it after temporary failures of the database. On a busy machine a connection may take
 * longer than any limit that suits a request.
 *
 * @throws the error of `work`, if it is not temporary or the limit has passed
 */
export const retryTemporary = async <Result>(
  work: () => Promise<Result>,
  { log, name, signal, limitMs = LIMIT_MS }: RetryOptions,
): Promise<Result> => {
  const deadlineMs = performance.now() + limitMs
  for (;;)
    try {
      return await work()
    } catch (error) {
      const failure = temporaryFailureOf(error)
      if (!failure || performance.now() + failure.retryAfterMs > deadlineMs) throw error
      log.warn({ err: error, work: name }, 'temporary failure of the database; retrying')
      await wait(failure.retryAfterMs, undefined, signal && { signal })
    }
}
