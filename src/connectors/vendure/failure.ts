/** What Vendure says when it refuses or fails: the status alone tells nothing (NOTES 8). */
import type { AppFailure, AppResponse } from '../../definition/connector.ts'
import { valuesOf } from './graphql.ts'

/** The codes that speak of the credential or the request; any other is Vendure's own trouble. */
const kinds: Readonly<Record<string, AppFailure['kind']>> = {
  FORBIDDEN: 'authentication',
  UNAUTHORIZED: 'authentication',
  // The credential names a channel that is not there.
  CHANNEL_NOT_FOUND: 'authentication',
  USER_INPUT_ERROR: 'refused',
  BAD_USER_INPUT: 'refused',
  BAD_REQUEST: 'refused',
  ENTITY_NOT_FOUND: 'refused',
  ILLEGAL_OPERATION: 'refused',
  GRAPHQL_VALIDATION_FAILED: 'refused',
  GRAPHQL_PARSE_FAILED: 'refused',
}

// NOTES 2: one code for all of it, and the last is what most often surprises.
const FORBIDDEN_MEANS =
  'the key is unknown, revoked or of another channel, lacks a permission, ' +
  "or the shop's tokenMethod has no 'api-key'"

/** An entry of `errors`. */
const readError = (error: unknown): AppFailure => {
  const { message, extensions } = valuesOf(error)
  const { code } = valuesOf(extensions)
  const said = typeof message === 'string' && message !== '' ? message : 'no message'
  if (code === 'FORBIDDEN')
    return { kind: 'authentication', reason: `FORBIDDEN: ${said} (${FORBIDDEN_MEANS})` }
  if (typeof code !== 'string') return { kind: 'unavailable', reason: said }
  return { kind: kinds[code] ?? 'unavailable', reason: `${code}: ${said}` }
}

/** A mutation's own refusal: it stands in `data` (NOTES 9). */
const readRefusal = (data: unknown): AppFailure | undefined => {
  for (const value of Object.values(valuesOf(data))) {
    const { errorCode, result, message } = valuesOf(value)
    const code = errorCode ?? (result === 'NOT_DELETED' ? result : undefined)
    if (typeof code === 'string') return { kind: 'refused', reason: `${code}: ${message}` }
  }
  return undefined
}

/** Reads a failure out of any answer; what is left undefined is judged by its status. */
export const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  const { errors, data, statusCode, message } = valuesOf(body)
  if (Array.isArray(errors) && errors.length > 0) return readError(errors[0])
  if (status === 200) return readRefusal(data)
  // A body over 100 kB is answered so: the same request will fail again.
  if (status === 500 && statusCode === 500 && message === '')
    return {
      kind: 'refused',
      reason: 'it answered 500 without a message: the request is too large',
    }
  if (status === 404) return { kind: 'refused', reason: 'there is no Admin API at this address' }
  if (status === 400) return { kind: 'refused', reason: `it answered 400: ${String(message)}` }
  return undefined
}
