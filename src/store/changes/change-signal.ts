/** Wake-ups for readers of the change log. Notifications have no payload; readers query the log. */
import type { PgListener } from '../database/pg-listener.ts'

/** PostgreSQL channel that each transaction with changes notifies. */
export const CHANGES_CHANNEL = 'trunkline_changes'

// Polling interval, for two reasons: a notification can be lost, and changes become readable only after every
// older transaction has ended, which may be later than the notification.
const POLL_MS = 1000

/** Wakes readers when the change log may have new changes. */
export interface ChangeSignal {
  start(): void
  /** Stops polling and wakes every waiting reader. */
  stop(): void
  /**
   * Resolves at the next notification, or after a second at the latest. Call it before reading and await it
   * if nothing was read, so that a commit in between is not missed.
   */
  next(): Promise<void>
}

/** Creates the signal that all readers of a process share. Call it before `pgListener.start()`. */
export const createChangeSignal = (pgListener: Pick<PgListener, 'on'>): ChangeSignal => {
  let pending = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const wake = (): void => {
    const previous = pending
    pending = Promise.withResolvers<void>()
    previous.resolve()
  }
  pgListener.on(CHANGES_CHANNEL, wake, wake)
  return {
    start: () => {
      timer ??= setInterval(wake, POLL_MS)
    },
    stop: () => {
      clearInterval(timer)
      timer = undefined
      wake()
    },
    next: () => pending.promise,
  }
}
