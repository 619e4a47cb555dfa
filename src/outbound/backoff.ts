/** How long to leave alone what has failed. */

/** Beyond a day an app asks for something else than patience. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

/** The pause that a Retry-After asks for, a day at most; 0: none. */
export const askedPauseMs = (retryAfterMs: number | undefined): number =>
  Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)

/** The pause after so many failures in a row: the first, then twice as long each time, up to a longest. */
export const doubling = (firstMs: number, failures: number, maxMs: number): number =>
  // Without a limit the power grows to infinity, and zero times that is no number.
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 20))

/** A pause between two multiples of itself: what failed together is not tried again together. */
export const jittered = (
  ms: number,
  [least, most]: readonly [number, number],
  random: () => number = Math.random,
): number => Math.round(ms * (least + random() * (most - least)))
