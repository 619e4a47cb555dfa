/** The errors of requests to apps: one class per cause. None contains a secret. */
import type { AppRequest, Connector } from '../definition/connector.ts'

/** The facts of a failed request to an app. */
export interface AppErrorFacts {
  readonly app: string
  /** The app's name for people: `Vendure`. */
  readonly appName: string
  /** The method and path, without the query: `GET /v2/customers`. */
  readonly request: string
  /** The reason, from the app or from this service; never a header, a body or an address with its query. */
  readonly reason: string
}

/** The facts of a request of a connector. */
export const factsOf = (
  { app, name }: Pick<Connector, 'app' | 'name'>,
  { method, path }: AppRequest,
): Omit<AppErrorFacts, 'reason'> => ({
  app,
  appName: name,
  request: `${method} ${path.split('?', 1)[0]}`,
})

abstract class AppErrorBase extends Error {
  readonly app: string
  readonly appName: string
  readonly request: string
  readonly reason: string

  constructor(
    outcome: string,
    { app, appName, request, reason }: AppErrorFacts,
    options?: ErrorOptions,
  ) {
    super(`${app} ${outcome} ${request}: ${reason}`, options)
    this.app = app
    this.appName = appName
    this.request = request
    this.reason = reason
  }
}

/** The app rejected the credential: the end user must reconnect the app. */
export class AppAuthenticationError extends AppErrorBase {
  override readonly name = 'AppAuthenticationError'
  readonly code = 'APP_AUTHENTICATION'
  /** Whether no later request can succeed: the app issues no more tokens. */
  readonly isFinal: boolean

  constructor(facts: AppErrorFacts, isFinal = false) {
    super('rejected the credential for', facts)
    this.isFinal = isFinal
  }
}

/** Why an app rejects a request: the request itself, a conflicting version, a missing record, or an expired position. */
export type RefusalKind = 'refused' | 'conflict' | 'absent' | 'expired'

/** The app rejected the request; the same request will fail again. */
export class AppRefusedError extends AppErrorBase {
  override readonly name = 'AppRefusedError'
  readonly code = 'APP_REFUSED'
  readonly kind: RefusalKind
  /** The name that the app uses for the rejected field, if it names one. */
  readonly field: string | undefined

  constructor(facts: AppErrorFacts, kind: RefusalKind, field?: string) {
    super('rejected', facts)
    this.kind = kind
    this.field = field
  }
}

/** The app rejected the request because of its rate limit. */
export class AppRateLimitedError extends AppErrorBase {
  override readonly name = 'AppRateLimitedError'
  readonly code = 'APP_RATE_LIMITED'
  /** The pause that the app requested, or the time until the request budget allows the request; undefined: none. */
  readonly retryAfterMs: number | undefined
  /** The declared limit that is used up, if the app names it. */
  readonly limit: string | undefined
  /** Whether the app received the request; if not, the request budget did not allow it. */
  readonly isSent: boolean

  constructor(
    facts: AppErrorFacts,
    retryAfterMs: number | undefined,
    {
      limit,
      isSent = true,
    }: { readonly limit?: string | undefined; readonly isSent?: boolean } = {},
  ) {
    super('limits the rate of', facts)
    this.retryAfterMs = retryAfterMs
    this.limit = limit
    this.isSent = isSent
  }
}

/**
 * Why an app did not return a usable response.
 *
 * - `network`: no connection, or it broke
 * - `proxy`: the egress proxy did not connect to the app
 * - `deadline`: no complete response in time
 * - `server`: the app reported an internal failure
 * - `malformed`: the response does not have the expected form
 * - `too-large`: the response exceeds the size limit
 * - `memory-limit`: the responses in memory have reached the limit of the process
 * - `token`: not sent, because no access token could be obtained
 * - `circuit-open`: not sent, because the app has just failed several times in a row
 */
export type Unavailability =
  | 'network'
  | 'proxy'
  | 'deadline'
  | 'server'
  | 'malformed'
  | 'too-large'
  | 'memory-limit'
  | 'token'
  | 'circuit-open'

/** The app did not return a usable response; the same request may succeed later. */
export class AppUnavailableError extends AppErrorBase {
  override readonly name = 'AppUnavailableError'
  readonly code = 'APP_UNAVAILABLE'
  readonly problem: Unavailability
  readonly retryAfterMs: number | undefined

  constructor(
    facts: AppErrorFacts,
    problem: Unavailability,
    {
      retryAfterMs,
      ...options
    }: ErrorOptions & { readonly retryAfterMs?: number | undefined } = {},
  ) {
    super('did not return a usable response to', facts, options)
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** The app's address is not a URL, or this service does not connect to it. */
export class AppAddressError extends AppErrorBase {
  override readonly name = 'AppAddressError'
  readonly code = 'APP_ADDRESS'

  constructor(facts: AppErrorFacts) {
    super('has an address that is not allowed, for', facts)
  }
}

/** Whether the app no longer accepts the token or cursor of a listing. */
export const isExpiredPosition = (error: unknown): boolean =>
  error instanceof AppRefusedError && error.kind === 'expired'

export type AppError =
  | AppAuthenticationError
  | AppRefusedError
  | AppRateLimitedError
  | AppUnavailableError
  | AppAddressError

/** Whether an error is a failure of an app, not of this service. */
export const isAppError = (error: unknown): error is AppError => error instanceof AppErrorBase
