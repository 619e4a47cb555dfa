/** The budget of a request: it is counted before it is sent, and corrected by what the response reports. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import {
  type CountedLimits,
  type CountedRequest,
  countLimits,
  type RequestLedger,
  type SpendResult,
  type WindowCorrection,
} from '../definition/counted-limits.ts'
import {
  periodMs,
  type ReportedBudget,
  type ReportedUsage,
  type RequestPurpose,
} from '../definition/request-limits.ts'
import type { Log } from '../log.ts'
import {
  AppAddressError,
  type AppErrorFacts,
  AppRateLimitedError,
  AppUnavailableError,
} from './app-error.ts'
import { requestedPauseMs } from './backoff.ts'
import type { AppCredential } from './compose-request.ts'

/** Whose budget a request spends, and for what. */
export interface BudgetUse {
  readonly environmentId: string
  readonly credentialId: string
  readonly purpose: RequestPurpose
}

/** Receives the share of a limit that is left after a request, from 0 to 1. */
export type OnBudget = (app: string, limit: string, remaining: number) => void

/** Receives a request that the budget did not allow. */
export type OnBudgetRefusal = (app: string, purpose: RequestPurpose) => void

export interface BudgetOptions {
  readonly ledger: RequestLedger
  readonly log?: Log | undefined
  readonly onBudget?: OnBudget | undefined
  readonly onRefusal?: OnBudgetRefusal | undefined
  /** Waits, and rejects when the signal is aborted. Default: a timer. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** One request, as its budget observes it. */
export interface ObservedRequest {
  /** Receives the response, also that of a failure. */
  onResponse(response: AppResponse): void
  /** Receives the app's rate limit of a response that is not thrown as an error. */
  onRateLimit(limit: Pick<AppRateLimitedError, 'retryAfterMs' | 'limit'>): void
}

/** Sends a request once its budget allows it. @throws AppRateLimitedError with `isSent: false` if it does not */
export type BudgetedSend = (
  send: (observed: ObservedRequest) => Promise<AppResponse>,
) => Promise<AppResponse>

/** The request to be counted. */
export interface BudgetedRequest {
  readonly connector: Connector
  readonly credential: AppCredential
  readonly request: AppRequest
  readonly facts: Omit<AppErrorFacts, 'reason'>
  readonly use: BudgetUse
  readonly signal?: AbortSignal | undefined
}

const MAX_WRITE_WAIT_MS = 5_000
const MAX_READ_WAIT_MS = 2_000
// When a limit is free again, only some of the waiting reads fit into it. The others wait again.
const MAX_TOTAL_READ_WAIT_MS = 10_000
// The longest pause after a rate limit without Retry-After.
const MAX_DEFAULT_PAUSE_MS = 60_000
const DEFAULT_PAUSE_MS = 1_000

/**
 * How long a request waits in place at a time, for its budget or after a rate limit. A caller waits for a write; a
 * listing occupies a sync slot, and its run resumes later.
 */
export const maxWaitMs = ({ purpose }: Pick<BudgetUse, 'purpose'>): number =>
  purpose === 'write' ? MAX_WRITE_WAIT_MS : MAX_READ_WAIT_MS

/** How long a request waits in place altogether. */
const maxTotalWaitMs = ({ purpose }: BudgetUse): number =>
  purpose === 'write' ? MAX_WRITE_WAIT_MS : MAX_TOTAL_READ_WAIT_MS

const NOT_COUNTED: SpendResult = { waitMs: 0, windows: [], holder: undefined }

/** How long requests pause after a rate limit, and with which key they are counted. */
const pauseAfter = (
  { windows, pauseKey }: CountedLimits,
  { retryAfterMs, limit }: Pick<AppRateLimitedError, 'retryAfterMs' | 'limit'>,
): { readonly key: string; readonly ms: number } => {
  const named = windows.find(({ name }) => name === limit)
  const counted = windows.filter(({ key }) => key === pauseKey)
  const periods = (named ? [named] : counted).map(periodMs)
  const ownMs = periods.length === 0 ? DEFAULT_PAUSE_MS : Math.min(MAX_DEFAULT_PAUSE_MS, ...periods)
  return { key: named?.key ?? pauseKey, ms: requestedPauseMs(retryAfterMs ?? ownMs) }
}

const isAmount = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value >= 0

/** What a response reports; nothing if the connector cannot read it. */
const readReport = ({ limits }: Connector, response: AppResponse | undefined): ReportedBudget => {
  if (!limits?.readUsage || !response) return {}
  try {
    return limits.readUsage(response)
  } catch {
    return {}
  }
}

/** The corrections that a report requires: none if it agrees with what was counted. */
const correctionsFor = (
  spent: SpendResult,
  report: ReportedBudget,
  points: number,
): readonly WindowCorrection[] =>
  spent.windows.flatMap((window) => {
    const usage: ReportedUsage = report.limits?.[window.name] ?? {}
    const max = isAmount(usage.max) && usage.max >= 1 ? Math.floor(usage.max) : undefined
    const knownMax = max ?? window.knownMax
    const reported = isAmount(usage.remaining) ? knownMax - usage.remaining : usage.used
    const used = isAmount(reported) ? Math.ceil(reported) : undefined
    const cost = isAmount(report.cost) ? Math.ceil(report.cost) : points
    const extraCost = window.unit === 'points' ? cost - points : 0
    const isSame =
      extraCost === 0 &&
      (used === undefined || used <= window.total) &&
      (max === undefined || max === window.knownMax)
    const resetMs = isAmount(usage.resetMs) ? usage.resetMs : undefined
    return isSame ? [] : [{ window, extraCost, used, max, resetMs }]
  })

/** The cost of a request in points; 1 if the connector cannot compute it, e.g. for a passthrough request. */
const pointsOf = ({ limits }: Connector, request: AppRequest): number => {
  try {
    const cost = limits?.cost?.(request)
    return isAmount(cost) ? Math.ceil(cost) : 1
  } catch {
    return 1
  }
}

/** Whether a failed request was sent, or may have been. */
const wasSent = (error: unknown): boolean =>
  !(error instanceof AppAddressError) &&
  !(error instanceof AppUnavailableError && error.problem === 'circuit-open')

/** The corrections for a request that was not sent. */
const refund = (spent: SpendResult, points: number): readonly WindowCorrection[] =>
  spent.windows.map((window) => ({
    window,
    extraCost: window.unit === 'points' ? -points : -1,
    used: undefined,
    max: undefined,
    resetMs: undefined,
  }))

/** Creates the budgets of requests, which all processes share through the ledger. */
export const createRequestBudgets = (options: BudgetOptions) => {
  const { ledger, log, onBudget, onRefusal } = options
  const wait = options.wait ?? ((ms, signal) => sleep(ms, undefined, signal && { signal }))

  /** Logs a failure instead of throwing it: the app has processed the request, whatever happens to its budget. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log?.warn({ err: error }, 'a request budget could not be corrected')
    }
  }

  const settle = async (
    counted: CountedRequest,
    spent: SpendResult,
    corrections: readonly WindowCorrection[],
  ): Promise<void> => {
    if (corrections.length > 0 || spent.holder !== undefined)
      await attempt(() => ledger.settle(counted, spent, corrections))
  }

  /** Counts a request, after a short wait if necessary. @throws AppRateLimitedError */
  const take = async (
    { connector, facts, use, signal }: BudgetedRequest,
    counted: CountedRequest,
  ): Promise<SpendResult> => {
    for (let waitedMs = 0; ; ) {
      const pausedMs = ledger.pausedMs(counted.limits)
      const spent = pausedMs === 0 && connector.limits ? await ledger.spend(counted) : NOT_COUNTED
      const waitMs = Math.ceil(Math.max(pausedMs, spent.waitMs))
      if (waitMs === 0) {
        // The app may have limited another request while this one was counted.
        if (ledger.pausedMs(counted.limits) === 0) return spent
        await settle(counted, spent, refund(spent, counted.points))
        continue
      }
      if (waitMs > maxWaitMs(use) || waitedMs + waitMs > maxTotalWaitMs(use)) {
        onRefusal?.(connector.app, use.purpose)
        const reason = `its request budget allows the next request in ${Math.ceil(waitMs / 1000)} s`
        throw new AppRateLimitedError({ ...facts, reason }, waitMs, { isSent: false })
      }
      await wait(waitMs, signal)
      waitedMs += waitMs
    }
  }

  const budgeted = (budgetedRequest: BudgetedRequest): BudgetedSend => {
    const { connector, credential, request, use } = budgetedRequest
    const { app } = connector
    const { values } = credential
    const limits = countLimits(connector.limits, { ...use, app, values })
    const points = pointsOf(connector, request)
    const counted: CountedRequest = { ...use, limits, points }

    const pause = (limit: Pick<AppRateLimitedError, 'retryAfterMs' | 'limit'>): Promise<void> => {
      const { key, ms } = pauseAfter(limits, limit)
      return attempt(() => ledger.pause(key, ms))
    }

    return async (send) => {
      const spent = await take(budgetedRequest, counted)
      let seen: AppResponse | undefined
      let isSent = true
      let pausing: Promise<void> | undefined
      const onResponse: ObservedRequest['onResponse'] = (response) => {
        seen = response
      }
      const onRateLimit: ObservedRequest['onRateLimit'] = (limit) => {
        pausing = pause(limit)
      }
      try {
        return await send({ onRateLimit, onResponse })
      } catch (error) {
        if (error instanceof AppRateLimitedError) onRateLimit(error)
        isSent = wasSent(error)
        throw error
      } finally {
        await pausing
        const corrections = isSent
          ? correctionsFor(spent, readReport(connector, seen), points)
          : refund(spent, points)
        await settle(counted, spent, corrections)
        for (const { name, total, knownMax } of spent.windows)
          onBudget?.(app, name, Math.max(0, 1 - total / knownMax))
      }
    }
  }
  return budgeted
}
