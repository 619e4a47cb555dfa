/**
 * Failures in Vendure's responses, which the HTTP status does not show (NOTES "the HTTP status is not
 * reliable").
 */
import type { AppFailure, AppResponse } from '../../definition/connector.ts'
import { valuesOf } from './graphql.ts'

/** The error codes that concern the credential or the request. Any other code is a failure of Vendure. */
const kinds: Readonly<Record<string, AppFailure['kind']>> = {
  FORBIDDEN: 'authentication',
  UNAUTHORIZED: 'authentication',
  // The credential names a channel that does not exist.
  CHANNEL_NOT_FOUND: 'authentication',
  USER_INPUT_ERROR: 'refused',
  BAD_USER_INPUT: 'refused',
  BAD_REQUEST: 'refused',
  ENTITY_NOT_FOUND: 'refused',
  ILLEGAL_OPERATION: 'refused',
  GRAPHQL_VALIDATION_FAILED: 'refused',
  GRAPHQL_PARSE_FAILED: 'refused',
}

// Vendure has one code for all of these causes (NOTES "API keys need the tokenMethod 'api-key'").
const FORBIDDEN_MEANS =
  'the API key is unknown, revoked, of another channel or lacks a permission, ' +
  "or the shop's authOptions.tokenMethod does not include 'api-key'"

/** The mutations whose ENTITY_NOT_FOUND can only mean the record itself. */
const ABSENT_FOR = ['updateCustomer', 'deleteCustomer', 'updateProduct', 'deleteProduct']
const CHANGE = /^(add|cancel|create|delete|modify|set|transition|update)[A-Z]/

/** The text between the first `before` and the next `after`; empty if there is none. */
const textBetween = (text: string, before: string, after: string): string => {
  const at = text.indexOf(before)
  const end = at < 0 ? -1 : text.indexOf(after, at + before.length)
  return end < 0 ? '' : text.slice(at + before.length, end)
}

/** The field that a BAD_USER_INPUT message names: `updateShippingAddress.city`. */
const badField = (message: string): string | undefined => {
  const place = textBetween(message, ' at "input', '";')
  const name = textBetween(message, '; Field "', '"')
  const steps = `${place.replaceAll(/\[(\d{1,9})\]/g, '.$1')}.${name}`.split('.').filter(Boolean)
  return steps.join('.') || undefined
}

const named = (field: string | undefined) => field !== undefined && { field }

/** The failure of an entry of `errors`. */
const readError = (error: unknown): AppFailure => {
  const { message, extensions, path } = valuesOf(error)
  const { code } = valuesOf(extensions)
  const root = Array.isArray(path) ? String(path[0]) : ''
  const words = typeof message === 'string' && message !== '' ? message : 'no message'
  if (code === 'FORBIDDEN')
    return {
      // A read-only key is valid, so a forbidden mutation does not invalidate the credential.
      kind: CHANGE.test(root) ? 'refused' : 'authentication',
      reason: `FORBIDDEN: ${words} (${FORBIDDEN_MEANS})`,
    }
  if (typeof code !== 'string') return { kind: 'unavailable', reason: words }
  if (code === 'ENTITY_NOT_FOUND' && ABSENT_FOR.includes(root))
    return { kind: 'absent', reason: `${code}: ${words}` }
  if (code === 'BAD_USER_INPUT')
    return {
      kind: 'refused',
      // The message repeats the whole input before the reason.
      reason: `${code}: ${words.slice(words.lastIndexOf('; ') + 1).trim()}`,
      ...named(badField(words)),
    }
  return { kind: kinds[code] ?? 'unavailable', reason: `${code}: ${words}` }
}

/** The fields that error results concern. */
const resultFields: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS_CONFLICT_ERROR: 'emailAddress',
}

/** The failure that a mutation reports in `data` (NOTES "domain errors are in data"). */
const readRefusal = (data: unknown): AppFailure | undefined => {
  for (const value of Object.values(valuesOf(data))) {
    const { errorCode, result, message, ...rest } = valuesOf(value)
    const code = errorCode ?? (result === 'NOT_DELETED' ? result : undefined)
    if (typeof code !== 'string') continue
    // Some messages are only the key of a missing translation.
    const messages = [message, rest.transitionError, rest.fulfillmentHandlerError].filter(
      (text) => typeof text === 'string' && text !== '' && text !== `errorResult.${code}`,
    )
    const words = [...new Set(messages)].join('; ')
    return {
      kind: 'refused',
      reason: words === '' ? code : `${code}: ${words}`,
      ...named(resultFields[code]),
    }
  }
  return undefined
}

/** The failure of a response; undefined if only the HTTP status decides. */
export const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  const { errors, data, statusCode, message } = valuesOf(body)
  if (Array.isArray(errors) && errors.length > 0) return readError(errors[0])
  if (status === 200) return readRefusal(data)
  // Vendure's response to a body over 100 kB. A retry would fail again.
  if (status === 500 && statusCode === 500 && message === '')
    return {
      kind: 'refused',
      reason: 'Vendure returned 500 without a message: the request body is too large (over 100 kB)',
    }
  if (status === 404)
    return {
      kind: 'refused',
      reason: 'no Admin API at this address (404); use the address of the shop server',
    }
  if (status === 400) return { kind: 'refused', reason: `Vendure returned 400: ${String(message)}` }
  return undefined
}
