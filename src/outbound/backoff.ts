/** Pauses after failures. */

/** The longest Retry-After that is honoured: a day. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000

/** The pause that a Retry-After requests, at most a day; 0: none. */
export const requestedPauseMs = (retryAfterMs: number | undefined): number =>
  Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)

/** The pause after a number of consecutive failures: `firstMs`, then twice as long each time, at most `maxMs`. */
export const exponentialPauseMs = (firstMs: number, failures: number, maxMs: number): number =>
  // Limited, because 0 * Infinity is NaN.
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 20))

/** A random pause between two multiples of a pause, so that requests that failed together are not retried together. */
export const withJitter = (
  ms: number,
  [least, most]: readonly [number, number],
  random: () => number = Math.random,
): number => Math.round(ms * (least + random() * (most - least)))
