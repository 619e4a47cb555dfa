/** When to look into the change log again. What is in it says the log itself: announcements carry nothing. */
import type { Notices } from './notices.ts'

/** Announced by whoever writes changes, once a transaction. */
export const CHANGES_CHANNEL = 'trunkline_changes'

// An announcement can be lost, and changes become readable later than they are announced: when a
// transaction that began before them ends.
const LATEST_MS = 1000

export interface ChangeFeed {
  start(): void
  /** Lets every waiting reader go. */
  stop(): void
  /**
   * Resolves at the next announcement, and after a second at the latest. Call it before reading, and
   * wait if there was nothing to read: what is committed in between is then not slept through.
   */
  next(): Promise<void>
}

/** One for all readers of a process. Make it before the notices start. */
export const createChangeFeed = (notices: Pick<Notices, 'on'>): ChangeFeed => {
  let turn = Promise.withResolvers<void>()
  let ticker: NodeJS.Timeout | undefined
  const wake = (): void => {
    const woken = turn
    turn = Promise.withResolvers<void>()
    woken.resolve()
  }
  notices.on(CHANGES_CHANNEL, wake, wake)
  return {
    start: () => {
      ticker ??= setInterval(wake, LATEST_MS)
    },
    stop: () => {
      clearInterval(ticker)
      ticker = undefined
      wake()
    },
    next: () => turn.promise,
  }
}
