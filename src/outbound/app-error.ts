/** Why a request to an app brought no usable answer: one class a cause, no secret in any of them. */

/** What was asked, without its query: `GET /v2/customers`. */
export interface AppErrorFacts {
  readonly app: string
  readonly request: string
  /** In the app's words or ours; never a header, a body or an address with its query. */
  readonly reason: string
}

abstract class AppErrorBase extends Error {
  readonly app: string
  readonly request: string
  readonly reason: string

  constructor(what: string, { app, request, reason }: AppErrorFacts, options?: ErrorOptions) {
    super(`${app} ${what} ${request}: ${reason}`, options)
    this.app = app
    this.request = request
    this.reason = reason
  }
}

/** The app does not accept the credential: the end user must connect it anew. */
export class AppAuthenticationError extends AppErrorBase {
  override readonly name = 'AppAuthenticationError'
  readonly code = 'APP_AUTHENTICATION'

  constructor(facts: AppErrorFacts) {
    super('does not accept the credential for', facts)
  }
}

/** Why an app refuses: the request itself, the version that it names, or a record that is not there. */
export type Refusal = 'refused' | 'conflict' | 'absent'

/** The app understood the request and will not do it; the same request will fail again. */
export class AppRefusedError extends AppErrorBase {
  override readonly name = 'AppRefusedError'
  readonly code = 'APP_REFUSED'
  readonly kind: Refusal
  /** The field that the app names, by its own name. */
  readonly field: string | undefined

  constructor(facts: AppErrorFacts, kind: Refusal, field?: string) {
    super('refused', facts)
    this.kind = kind
    this.field = field
  }
}

/** Too many requests. */
export class AppRateLimitedError extends AppErrorBase {
  override readonly name = 'AppRateLimitedError'
  readonly code = 'APP_RATE_LIMITED'
  /** As the app asked; undefined where it named no time. */
  readonly retryAfterMs: number | undefined

  constructor(facts: AppErrorFacts, retryAfterMs: number | undefined) {
    super('limits the rate of', facts)
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * `network`: no connection, or a broken one · `deadline`: no whole answer in time · `server`: the app
 * says that it failed · `malformed`: the answer is not of the app's form · `too-large`: past the cap ·
 * `circuit-open`: it failed so often just now that it was not asked.
 */
export type Unavailability =
  | 'network'
  | 'deadline'
  | 'server'
  | 'malformed'
  | 'too-large'
  | 'circuit-open'

/** No usable answer; the same request may succeed later. */
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
    super('gave no usable answer to', facts, options)
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** The app's address is no URL, or one that this process does not dial. */
export class AppAddressError extends AppErrorBase {
  override readonly name = 'AppAddressError'
  readonly code = 'APP_ADDRESS'

  constructor(facts: AppErrorFacts) {
    super('was not dialled for', facts)
  }
}

export type AppError =
  | AppAuthenticationError
  | AppRefusedError
  | AppRateLimitedError
  | AppUnavailableError
  | AppAddressError

/** Whether something thrown is a failure of an app rather than of ours. */
export const isAppError = (error: unknown): error is AppError => error instanceof AppErrorBase
