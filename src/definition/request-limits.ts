/** The limits of an app on requests, as a connector declares them. */
import { nearest } from './nearest.ts'
import type { AppRequest, AppResponse } from './steps.ts'

/**
 * Whose requests a limit counts together. `credential`: those of one credential · `account`: those of all
 * credentials of one account in the app, e.g. of one company · `app`: those of all credentials of an environment,
 * which use the same registered app (OAuth client).
 */
export type LimitScope = 'credential' | 'account' | 'app'

/** `month` is 31 days, so that no calendar month exceeds the limit. */
export type LimitPeriod = 'second' | 'minute' | 'hour' | 'day' | 'month'

/** A limit on the requests of any period of this length, whenever it starts. */
export interface WindowLimit {
  /** camelCase, unique in the connector: `perMinute`. */
  readonly name: string
  readonly scope: LimitScope
  /** `requests`: each request counts 1 · `points`: each request counts its `cost`. */
  readonly unit: 'requests' | 'points'
  readonly max: number
  /** A period, or a length in milliseconds. */
  readonly per: LimitPeriod | number
}

/** What a response reports about one limit. All parts are optional. */
export interface ReportedUsage {
  /** What is left in the current period. */
  readonly remaining?: number
  /** What was used in the current period; `remaining` takes precedence. */
  readonly used?: number
  /** The maximum, for apps where it depends on the account's plan. It replaces the declared one. */
  readonly max?: number
  /** Time until what was used is available again. */
  readonly resetMs?: number
}

/** What a response reports about the budget. */
export interface ReportedBudget {
  /** What the request really cost, in points. */
  readonly cost?: number
  /** By name of the limit; other names are ignored. */
  readonly limits?: Readonly<Record<string, ReportedUsage>>
}

/** The limits of an app. The engine keeps all processes together below each of them. */
export interface RequestLimits {
  readonly windows?: readonly WindowLimit[]
  /** How many requests may be in flight at the same time. */
  readonly concurrency?: { readonly scope: LimitScope; readonly max: number }
  /**
   * Identifies the account of a credential, for limits of the scope `account`: the name of a credential value, or
   * a function of the values. It must be one that the app has confirmed, not one that any end user can enter:
   * credentials of the same account share what is left.
   */
  readonly account?: string | ((credential: Readonly<Record<string, string>>) => string)
  /** The cost of a request in points, a whole number; rather too high than too low. */
  cost?(request: AppRequest): number
  /** Reads what a response reports, also that of a failure. Its errors are ignored. */
  readUsage?(response: AppResponse): ReportedBudget
}

/**
 * What a request is for, highest priority first. `webhook`: a fetch after a webhook of the app · `changes`: a
 * listing of changes · `history`: a full listing.
 */
export const PURPOSES = ['write', 'webhook', 'changes', 'history'] as const

export type RequestPurpose = (typeof PURPOSES)[number]

/**
 * A request of a purpose is sent while the requests of all purposes have used less than this share of a limit. The
 * difference to the next lower share is reserved: lower priorities cannot use it.
 */
export const CEILINGS: Readonly<Record<RequestPurpose, number>> = {
  write: 1,
  webhook: 0.9,
  changes: 0.8,
  history: 0.5,
}

// Most apps allow about that many requests of one credential at a time.
const DEFAULT_PAGES_AT_ONCE = 4
// Of an app that allows hundreds: each page is held in memory.
const MAX_PAGES_AT_ONCE = 16

/** How many pages of one listing are requested at the same time, where they do not depend on each other. */
export const pagesAtOnce = ({ concurrency }: Pick<RequestLimits, 'concurrency'> = {}): number =>
  concurrency === undefined
    ? DEFAULT_PAGES_AT_ONCE
    : Math.min(MAX_PAGES_AT_ONCE, Math.max(1, Math.floor(concurrency.max * CEILINGS.history)))

const SECOND_MS = 1000
const DAY_MS = 24 * 3600 * SECOND_MS
const PERIODS_MS: Readonly<Record<LimitPeriod, number>> = {
  second: SECOND_MS,
  minute: 60 * SECOND_MS,
  hour: 3600 * SECOND_MS,
  day: DAY_MS,
  month: 31 * DAY_MS,
}

/** The length of a limit's period in milliseconds. */
export const periodMs = ({ per }: Pick<WindowLimit, 'per'>): number =>
  typeof per === 'number' ? per : PERIODS_MS[per]

// The ledger stores 32-bit integers.
const MAX_LIMIT = 1_000_000_000
const MIN_PERIOD_MS = 100

const isCount = (value: number, max = MAX_LIMIT): boolean =>
  Number.isInteger(value) && value >= 1 && value <= max

const checkWindow = ({ name, max, per }: WindowLimit, fail: (problem: string) => never): void => {
  if (!/^[a-z][a-zA-Z0-9]{0,63}$/.test(name))
    fail(`the name "${name}", which is not camelCase with at most 64 characters`)
  if (!isCount(max)) fail(`the limit ${name} of ${max}: expected a whole number from 1 to 10^9`)
  if (typeof per === 'string' && !Object.hasOwn(PERIODS_MS, per))
    fail(`the period "${per}" of ${name}: did you mean "${nearest(per, Object.keys(PERIODS_MS))}"?`)
  const lengthMs = periodMs({ per })
  if (!isCount(lengthMs, PERIODS_MS.month) || lengthMs < MIN_PERIOD_MS)
    fail(`the period ${per} of ${name}: expected ${MIN_PERIOD_MS} ms to 31 days`)
}

/** Checks the limits of a connector. @throws TypeError that names the connector and the problem */
export const checkRequestLimits = (
  app: string,
  limits: RequestLimits,
  credentialValues: readonly string[],
): void => {
  const fail = (problem: string): never => {
    throw new TypeError(`The limits of the connector ${app} have ${problem}.`)
  }
  const { windows = [], concurrency, account, cost } = limits
  if (windows.length === 0 && !concurrency) fail('neither windows nor a concurrency')
  for (const window of windows) checkWindow(window, fail)
  const names = windows.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) fail(`two windows with the name ${twice}`)
  if (concurrency && !isCount(concurrency.max, 1000))
    fail(`a concurrency of ${concurrency.max}: expected a whole number from 1 to 1000`)
  const scopes = [...windows, ...(concurrency ? [concurrency] : [])].map(({ scope }) => scope)
  if (scopes.includes('account') !== (account !== undefined))
    fail(
      account === undefined
        ? 'the scope account without `account`, which identifies the account of a credential'
        : '`account` without a limit of the scope account',
    )
  if (typeof account === 'string' && !credentialValues.includes(account))
    fail(`the account "${account}", which is not a value of the credential`)
  if (windows.some(({ unit }) => unit === 'points') !== (cost !== undefined))
    fail(cost ? 'a cost without a limit in points' : 'a limit in points without `cost`')
}
