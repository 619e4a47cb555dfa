/** The limits that count the requests of one credential: which of its requests are counted with those of others. */
import { hash } from 'node:crypto'
import {
  type LimitScope,
  periodMs,
  type RequestLimits,
  type RequestPurpose,
  type WindowLimit,
} from './request-limits.ts'

/** The stored credential whose requests are counted. */
export interface LimitedCredential {
  readonly environmentId: string
  readonly credentialId: string
  readonly app: string
  readonly values: Readonly<Record<string, string>>
}

/** A window limit with the requests that it counts for one credential. */
export interface CountedWindow extends WindowLimit {
  /** Requests with the same key are counted together. */
  readonly key: string
  /** The period is counted in buckets of this length. */
  readonly bucketMs: number
  /** Number of buckets: the period and two more. */
  readonly buckets: number
}

/** A set of requests that are counted together. */
export interface CountedScope {
  readonly scope: LimitScope
  readonly key: string
  /** How many requests may be in flight at the same time; undefined: no limit. */
  readonly slots: number | undefined
}

/** The limits of one credential. */
export interface CountedLimits {
  readonly windows: readonly CountedWindow[]
  /** Every scope that the app declares, and the one that a rate limit without a name pauses. */
  readonly scopes: readonly CountedScope[]
  /** Key of the scope that is paused if the app limits the rate without naming a limit. */
  readonly pauseKey: string
}

// Long enough for one row to stay below 2 kB, short enough that what is spent returns soon after its period.
const BUCKETS_PER_PERIOD = 40
// The shortest bucket is also the least tolerance for delays of the network.
const MIN_BUCKET_MS = 100

// 144 bits.
const DIGEST_LENGTH = 24

const accountOf = (
  { account }: RequestLimits,
  { values, credentialId }: LimitedCredential,
): string => {
  try {
    const id = typeof account === 'function' ? account(values) : values[account ?? '']
    // The value may be a secret.
    return id ? hash('sha256', id, 'base64url').slice(0, DIGEST_LENGTH) : credentialId
  } catch {
    return credentialId
  }
}

const keyOf = (scope: LimitScope, limits: RequestLimits, owner: LimitedCredential): string => {
  const { environmentId, app, credentialId } = owner
  switch (scope) {
    case 'credential':
      return `credential/${credentialId}`
    case 'account':
      return `account/${environmentId}/${app}/${accountOf(limits, owner)}`
    case 'app':
      return `app/${environmentId}/${app}`
  }
}

/** The limits of a credential. Without declared ones, only its own scope, which a rate limit pauses. */
export const countLimits = (
  limits: RequestLimits | undefined,
  owner: LimitedCredential,
): CountedLimits => {
  const { windows = [], concurrency } = limits ?? {}
  const declared = [...windows, ...(concurrency ? [concurrency] : [])].map(({ scope }) => scope)
  const pauseScope: LimitScope = declared.includes('account') ? 'account' : 'credential'
  const keys = new Map(
    [pauseScope, ...declared].map((scope) => [scope, keyOf(scope, limits ?? {}, owner)]),
  )
  const keyIn = (scope: LimitScope): string => keys.get(scope) ?? ''
  return {
    windows: windows.map((window) => {
      const lengthMs = periodMs(window)
      const bucketMs = Math.max(MIN_BUCKET_MS, Math.ceil(lengthMs / BUCKETS_PER_PERIOD))
      const buckets = Math.ceil(lengthMs / bucketMs) + 2
      return { ...window, key: keyIn(window.scope), bucketMs, buckets }
    }),
    scopes: [...keys].map(([scope, key]) => {
      const slots = concurrency?.scope === scope ? concurrency.max : undefined
      return { scope, key, slots }
    }),
    pauseKey: keyIn(pauseScope),
  }
}

/** A request to be counted. */
export interface CountedRequest {
  readonly credentialId: string
  readonly limits: CountedLimits
  readonly purpose: RequestPurpose
  /** In points; a limit in requests counts 1. */
  readonly points: number
}

/** The state of a window after a request was counted. */
export interface SpentWindow extends CountedWindow {
  /** The bucket that counted the request. */
  readonly bucket: number
  /** What was spent in the period, including this request. */
  readonly total: number
  /** The maximum that the app reported last, otherwise the declared one. */
  readonly knownMax: number
}

/** `waitMs`: 0 if the request was counted and may be sent, otherwise the time until the next attempt may succeed. */
export interface SpendResult {
  readonly waitMs: number
  readonly windows: readonly SpentWindow[]
  /** Id of the slot that the request occupies; undefined: the app declares no concurrency. */
  readonly holder: string | undefined
}

/** A correction of one window after a response. */
export interface WindowCorrection {
  readonly window: SpentWindow
  /** What the request cost more, or less if negative, than was counted. */
  readonly extraCost: number
  /** What the app reports as used in the period; undefined: nothing. */
  readonly used: number | undefined
  /** The maximum that the app reports; undefined: none. */
  readonly max: number | undefined
  /** Time until what was used is available again; undefined: unknown. */
  readonly resetMs: number | undefined
}

/** Counts requests of all processes. */
export interface RequestLedger {
  /** How long a pause of one of the scopes still lasts; 0: none is paused. Without a statement. */
  pausedMs(limits: CountedLimits): number
  /** Counts a request in all of its limits, or in none. One statement; two more for the first of a scope. */
  spend(request: CountedRequest): Promise<SpendResult>
  /** Corrects what a request has cost, and frees its slot. One statement. */
  settle(
    request: CountedRequest,
    spent: SpendResult,
    corrections: readonly WindowCorrection[],
  ): Promise<void>
  /** Pauses all requests with the key, in every process. One statement. */
  pause(key: string, ms: number): Promise<void>
}
