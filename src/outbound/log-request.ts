/** What is logged of a request to an app, for the integrator to read: without secrets, and of limited size. */
import type { AppRequest, AppResponse } from '../definition/connector.ts'
import type { RequestPurpose } from '../definition/request-limits.ts'
import { storableText } from '../definition/value.ts'
import { type AppError, isAppError } from './app-error.ts'
import type { AppCredential, ComposedRequest, RequestKind } from './compose-request.ts'
import type { ExchangeResponse } from './exchange.ts'
import { observeReading } from './malformed-response.ts'
import { createRedactor } from './read-response.ts'
import type { BudgetUse } from './request-budget.ts'

/** A request to an app, as it is logged. */
export interface LoggedRequest {
  readonly credentialId: string
  /** Null: a check of the credential, or a login. */
  readonly purpose: RequestPurpose | null
  readonly method: string
  /** Path and query, without what authenticates. */
  readonly path: string
  /** Null: there was no complete response. */
  readonly status: number | null
  readonly tookMs: number
  /** The code of the failure and its reason; null: the request succeeded. */
  readonly error: string | null
  /** The first 2,000 characters of the body; null: there was none, or it is not logged. */
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** Which requests are logged. */
export type LoggedRequests = 'failures' | 'all'

export interface RequestLogOptions {
  readonly requests: LoggedRequests
  /** Receives each request. Must not throw. */
  readonly onRequest: (request: LoggedRequest) => void
}

/** A request that is sent. */
export interface SentRequest {
  readonly credential: AppCredential
  readonly use: BudgetUse | undefined
  readonly request: AppRequest
  readonly composed: ComposedRequest
  readonly kind?: RequestKind | undefined
}

/** Sends a request, which passes on its response before it is read, and logs it. */
type LogRequest = (
  sent: SentRequest,
  send: (onResponse: (response: ExchangeResponse) => ExchangeResponse) => Promise<AppResponse>,
) => Promise<AppResponse>

const MAX_PATH_LENGTH = 1_000
const MAX_BODY_LENGTH = 2_000
// A longer text is cut before its secrets are removed: most of it is dropped anyway.
const MAX_REDACTED_LENGTH = 64 * 1024

/** The beginning of a text, which is a copy: a slice would hold the whole text in memory. */
const startOf = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()

const cut = (text: string, length: number): string => storableText(startOf(text, length))

const outcomeOf = (
  error: AppError | undefined,
  response: Pick<ExchangeResponse, 'status'> | undefined,
): string | null => {
  if (error) return `${error.code}: ${error.reason}`
  return response && response.status >= 400 ? `it answered ${response.status}` : null
}

const isSent = (error: AppError | undefined): boolean =>
  error?.code !== 'APP_UNAVAILABLE' || error.problem !== 'circuit-open'

/** Creates the function that logs requests of stored credentials. Undefined options: nothing is logged. */
export const createRequestLogger = (options: RequestLogOptions | undefined): LogRequest => {
  if (!options) return (_, send) => send((response) => response)

  const log = (
    { credential, use, request, composed, kind }: SentRequest,
    response: Pick<ExchangeResponse, 'status' | 'text'> | undefined,
    error: AppError | undefined,
    tookMs: number,
  ): void => {
    const credentialId = use?.credentialId ?? credential.id
    const outcome = outcomeOf(error, response)
    if (credentialId === undefined || !isSent(error)) return
    if (outcome === null && options.requests === 'failures') return
    const { outgoing, secrets } = composed
    const redact = createRedactor(secrets)
    const bodyOf = (text: unknown): string | null =>
      // The bodies of a login have secrets that are not those of the credential, such as its token.
      typeof text !== 'string' || text === '' || kind === 'login'
        ? null
        : cut(redact(text.slice(0, MAX_REDACTED_LENGTH)), MAX_BODY_LENGTH)
    options.onRequest({
      credentialId,
      purpose: use?.purpose ?? null,
      method: outgoing.method,
      // A link may contain what authenticates; its query is left out.
      path: cut(redact(request.link ? outgoing.url.pathname : request.path), MAX_PATH_LENGTH),
      status: response?.status ?? null,
      tookMs: Math.round(tookMs),
      error: outcome === null ? null : cut(redact(outcome), MAX_PATH_LENGTH),
      requestBody: bodyOf(outgoing.body),
      responseBody: bodyOf(response?.text),
    })
  }

  return async (sent, send) => {
    const startedMs = performance.now()
    let received: ExchangeResponse | undefined
    const onResponse = (response: ExchangeResponse): ExchangeResponse => {
      received = response
      return response
    }
    try {
      const response = await send(onResponse)
      const tookMs = performance.now() - startedMs
      log(sent, received, undefined, tookMs)
      if (received) {
        const { status, text } = received
        const beginning = { status, text: startOf(text, MAX_REDACTED_LENGTH) }
        observeReading(response, (error) => log(sent, beginning, error, tookMs))
      }
      return response
    } catch (error) {
      // An aborted request says nothing about the app.
      if (isAppError(error)) log(sent, received, error, performance.now() - startedMs)
      throw error
    }
  }
}
