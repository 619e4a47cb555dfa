/** Reads the failures of HubSpot from its responses (NOTES "errors"). */
import type { AppFailure, AppRequest, AppResponse } from '../../definition/connector.ts'
import { entriesOf, textsAt, valuesOf } from '../../definition/raw-values.ts'
import { contacts, crmPath } from './object-type.ts'

const SECOND_MS = 1000
const TEN_SECONDS_MS = 10_000
const LOCK_MS = 2_000

const isSearch = ({ path }: AppRequest): boolean => path.endsWith('/search')

/** The exhausted limit, and how long it takes to recover if the response does not say. */
const rateLimit = (
  body: unknown,
  request: AppRequest,
): Pick<AppFailure, 'limit' | 'retryAfterMs'> => {
  const { policyName } = valuesOf(body)
  if (policyName === 'DAILY') return { limit: 'daily' }
  if (policyName === 'TEN_SECONDLY_ROLLING') return { limit: 'burst', retryAfterMs: TEN_SECONDS_MS }
  return isSearch(request)
    ? { limit: 'search', retryAfterMs: SECOND_MS }
    : { limit: 'burst', retryAfterMs: TEN_SECONDS_MS }
}

/** The property that an error names: in its context, or in the message of a list of invalid values. */
const propertyIn = (body: unknown): string | undefined => {
  const { errors, message } = valuesOf(body)
  for (const { context } of entriesOf(errors)) {
    const [name] = [valuesOf(context).propertyName].flat()
    if (typeof name === 'string') return name
  }
  const [, named] = /"name": ?"(\w{1,200})"/.exec(String(message ?? '')) ?? []
  return named
}

const reasonIn = ({ status, body }: AppResponse): string => {
  const { errors, message } = valuesOf(body)
  const [first] = entriesOf(errors)
  const scopes = textsAt(first, 'context.requiredGranularScopes')
  const reason = scopes.length > 0 ? `${first?.message} ${scopes}` : (first?.message ?? message)
  return typeof reason === 'string' && reason !== '' ? reason : `it responded with ${status}`
}

/** Whether a conflict is that of an e-mail address which another contact has. */
const isDuplicateContact = (request: AppRequest): boolean =>
  request.path.startsWith(crmPath('objects', contacts.name))

/** The failure of a response (NOTES "errors"); undefined if only the HTTP status decides. */
export const readFailure = (response: AppResponse, request: AppRequest): AppFailure | undefined => {
  const { status, headers, body } = response
  if (status < 400) return
  const reason = reasonIn(response)
  switch (status) {
    case 401:
      return { kind: 'authentication', reason }
    case 404:
      return { kind: 'absent', reason }
    case 409:
      return {
        kind: 'refused',
        reason,
        ...(isDuplicateContact(request) && { field: 'properties.email' }),
      }
    case 423:
      return { kind: 'unavailable', reason, retryAfterMs: LOCK_MS }
    case 429: {
      const { retryAfterMs, ...limit } = rateLimit(body, request)
      // The header Retry-After takes precedence.
      const hasHeader = headers['retry-after'] !== undefined
      return {
        kind: 'rate-limited',
        reason,
        ...limit,
        ...(!hasHeader && retryAfterMs !== undefined && { retryAfterMs }),
      }
    }
    case 477: // the account moves to another data center
      return { kind: 'unavailable', reason }
  }
  if (status >= 500 || status === 408) return
  const property = propertyIn(body)
  return {
    kind: 'refused',
    reason,
    ...(property !== undefined && { field: `properties.${property}` }),
  }
}
