/** The classification of responses of apps, without I/O. */
import type { AppFailure, AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import { isNestedTooDeep, MAX_JSON_LEVELS } from '../definition/json-depth.ts'
import { parseJson } from '../definition/parse-json.ts'
import {
  AppAuthenticationError,
  type AppError,
  type AppErrorFacts,
  AppRateLimitedError,
  AppRefusedError,
  AppUnavailableError,
} from './app-error.ts'
import type { ExchangeResponse } from './exchange.ts'
import { describeStatus, readRetryAfter } from './retry.ts'

const MAX_REASON_LENGTH = 300

/** Removes secrets from a text of an app, which may repeat a part of the request. */
export type Redactor = (reason: string) => string

/** Creates a function that removes secrets. @param secrets the values of a credential and the headers made of them */
export const createRedactor = (secrets: readonly string[]): Redactor => {
  // Of `Bearer abc`, the token alone is a secret too.
  const parts = new Set(secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]))
  // Shorter parts would match ordinary words, and no app issues such short tokens.
  const long = [...parts].filter((part) => part.length >= 6)
  return (text) => {
    let redacted = text
    for (const secret of long) redacted = redacted.replaceAll(secret, '[redacted]')
    return redacted
  }
}

/** Creates a function that removes secrets from an app's reason and truncates it to 300 characters. */
export const createReasonRedactor = (secrets: readonly string[]): Redactor => {
  const redactText = createRedactor(secrets)
  return (reason) => {
    const text = redactText(reason)
    return text.length > MAX_REASON_LENGTH ? `${text.slice(0, MAX_REASON_LENGTH)}…` : text
  }
}

/**
 * Reads a response unchanged, whatever its status, except that secrets of the credential are removed.
 * @throws AppUnavailableError if its JSON is nested too deep
 */
export const readPlainResponse = (
  { status, headers, text }: ExchangeResponse,
  facts: Omit<AppErrorFacts, 'reason'>,
  redactText: Redactor,
): AppResponse => {
  const safeText = redactText(text)
  const { body, problem } = parse(safeText)
  if (problem === TOO_DEEP)
    throw new AppUnavailableError({ ...facts, reason: problem }, 'malformed')
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, redactText(value)]),
    ),
    body: problem === undefined ? body : safeText,
  }
}

/** Classifies a response by its status, if the connector does not classify it as a failure. */
const failureByStatus = (status: number): AppFailure | undefined => {
  const reason = describeStatus(status)
  if (status === 401) return { kind: 'authentication', reason }
  if (status === 429) return { kind: 'rate-limited', reason }
  if (status === 408 || status >= 500) return { kind: 'unavailable', reason }
  // Following a redirect would send the credential to its target. 304 is not a redirect.
  if (status >= 300 && status < 400 && status !== 304)
    return { kind: 'refused', reason: `${reason}, and redirects are not followed` }
  return status >= 400 ? { kind: 'refused', reason } : undefined
}

const toError = (
  failure: AppFailure,
  { headers }: AppResponse,
  facts: Omit<AppErrorFacts, 'reason'>,
  redact: Redactor,
): AppError => {
  const errorFacts = { ...facts, reason: redact(failure.reason) }
  const retryAfterMs = failure.retryAfterMs ?? readRetryAfter(headers)
  switch (failure.kind) {
    case 'authentication':
      return new AppAuthenticationError(errorFacts)
    case 'refused':
    case 'conflict':
    case 'absent':
    case 'expired':
      return new AppRefusedError(errorFacts, failure.kind, failure.field)
    case 'rate-limited':
      return new AppRateLimitedError(errorFacts, retryAfterMs, { limit: failure.limit })
    case 'unavailable':
      return new AppUnavailableError(errorFacts, 'server', { retryAfterMs })
  }
}

const NOT_JSON = 'the response is not valid JSON'
const TOO_DEEP = `the response is nested more than ${MAX_JSON_LEVELS} levels deep`

/** The only place where the JSON of an app is parsed. */
const parse = (text: string): { readonly body?: unknown; readonly problem?: string } => {
  if (text.trim() === '') return {}
  if (isNestedTooDeep(text)) return { problem: TOO_DEEP }
  try {
    return { body: parseJson(text) }
  } catch {
    return { problem: NOT_JSON }
  }
}

/** RFC 8259 and the suffix of RFC 6839: `application/vnd.api+json`. */
const isJsonType = (contentType = ''): boolean => {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  return type.trim() === 'application/json' || type.trim().endsWith('+json')
}

/** The failure that a response reports, by the connector or by its status; undefined: none. */
const failureOf = (
  connector: Connector,
  response: AppResponse,
  request: AppRequest,
): AppFailure | undefined => {
  let failure: AppFailure | undefined
  try {
    failure = connector.readFailure(response, request)
  } catch {
    // The body does not have the form of the app's failures.
  }
  return failure ?? failureByStatus(response.status)
}

/** The rate limit that a response reports; undefined: none. */
export const readRateLimit = (
  connector: Connector,
  response: AppResponse,
  request: AppRequest,
): Pick<AppRateLimitedError, 'retryAfterMs' | 'limit'> | undefined => {
  const failure = failureOf(connector, response, request)
  if (failure?.kind !== 'rate-limited') return
  const retryAfterMs = failure.retryAfterMs ?? readRetryAfter(response.headers)
  return { retryAfterMs, limit: failure.limit }
}

/** Parses a response. @throws AppUnavailableError if it should be JSON and is not */
export const parseResponse = (
  { status, headers, text }: ExchangeResponse,
  facts: Omit<AppErrorFacts, 'reason'>,
  expect: AppRequest['expect'],
): AppResponse => {
  const isText = expect === 'text' && !isJsonType(headers['content-type'])
  const { body, problem } = isText ? { body: text } : parse(text)
  // A failure may have an HTML body, e.g. of a proxy; then its status decides.
  if (problem !== undefined && status < 300)
    throw new AppUnavailableError({ ...facts, reason: problem }, 'malformed')
  return { status, headers, body }
}

/** A request whose response is checked. */
export interface CheckedRequest {
  readonly connector: Connector
  readonly request: AppRequest
  readonly facts: Omit<AppErrorFacts, 'reason'>
  readonly redact: Redactor
}

/** Checks a response. @throws AppError if the connector or the status classifies it as a failure */
export const checkResponse = (
  { connector, request, facts, redact }: CheckedRequest,
  response: AppResponse,
): AppResponse => {
  const failure = failureOf(connector, response, request)
  if (failure) throw toError(failure, response, facts, redact)
  return response
}
