/** When access tokens are renewed, and how long that may take. */

/** The times of renewals, in milliseconds. */
export interface RenewalTimes {
  /** How long before its expiry a token is renewed; at most a tenth of its lifetime. */
  readonly marginMs: number
  /** How long a killed process blocks a renewal; at most half of the app's period of grace. */
  readonly leaseMs: number
  /** How long a request waits for the renewal of another process. */
  readonly waitMs: number
  /** After a rejection has led to a renewal, the next one within this time does not: it has another cause. */
  readonly betweenRejectionsMs: number
  /** The pause after a failed renewal, while the earlier token is still valid. */
  readonly pauseMs: number
}

/** Those of the product. */
export const RENEWAL_TIMES: RenewalTimes = {
  marginMs: 60_000,
  leaseMs: 30_000,
  waitMs: 40_000,
  betweenRejectionsMs: 30_000,
  pauseMs: 5000,
}
