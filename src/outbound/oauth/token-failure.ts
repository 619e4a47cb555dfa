/** The failures that a token endpoint reports. */
import {
  AppAuthenticationError,
  type AppError,
  type AppErrorFacts,
  AppRateLimitedError,
  AppRefusedError,
  AppUnavailableError,
} from '../app-error.ts'
import type { ExchangeResponse } from '../exchange.ts'
import type { Redactor } from '../read-response.ts'
import { describeStatus, readRetryAfter } from '../retry.ts'

/** RFC 6749, section 5.2, and OpenID Connect Core 1.0, section 3.1.2.6: the end user must authorize again. */
const NEEDS_AUTHORIZATION = new Set([
  'invalid_grant',
  'access_denied',
  'consent_required',
  'interaction_required',
  'login_required',
])

/** RFC 6749, section 4.1.2.1: the server cannot respond now. */
const TEMPORARY = new Set(['temporarily_unavailable', 'server_error', 'slow_down'])

/**
 * The failure that a response of a token endpoint means; undefined for a success. Some apps report failures with the
 * status 200.
 * @param body the JSON object of the response; undefined if it has none
 */
export const readTokenFailure = (
  { status, headers }: ExchangeResponse,
  body: Readonly<Record<string, unknown>> | undefined,
  facts: Omit<AppErrorFacts, 'reason'>,
  redact: Redactor,
): AppError | undefined => {
  const { error: code, error_description: description } = body ?? {}
  const isOAuthError = typeof code === 'string'
  if (!isOAuthError && status >= 200 && status < 300) return
  const words = isOAuthError
    ? typeof description === 'string'
      ? `${code}: ${description}`
      : code
    : describeStatus(status)
  const errorFacts = { ...facts, reason: redact(words) }
  const retryAfterMs = readRetryAfter(headers)
  if (status === 429) return new AppRateLimitedError(errorFacts, retryAfterMs)
  if (status === 408 || status >= 500 || (isOAuthError && TEMPORARY.has(code)))
    return new AppUnavailableError(errorFacts, 'server', { retryAfterMs })
  return isOAuthError && NEEDS_AUTHORIZATION.has(code)
    ? new AppAuthenticationError(errorFacts)
    : new AppRefusedError(errorFacts, 'refused')
}
