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

/** Of what is changed here, only these records can be the one that is not there. */
const ABSENT_FOR = ['updateCustomer', 'deleteCustomer', 'updateProduct', 'deleteProduct']
const CHANGE = /^(add|cancel|create|delete|modify|set|transition|update)[A-Z]/

/** The field that a bad variable names: `updateShippingAddress.city`. */
const badField = (message: string): string | undefined => {
  const [, place = ''] = / at "input([^"]*)";/.exec(message) ?? []
  const [, name = ''] = /; Field "([^"]+)"/.exec(message) ?? []
  const steps = `${place.replaceAll(/\[(\d+)\]/g, '.$1')}.${name}`.split('.').filter(Boolean)
  return steps.join('.') || undefined
}

const named = (field: string | undefined) => field !== undefined && { field }

/** An entry of `errors`. */
const readError = (error: unknown): AppFailure => {
  const { message, extensions, path } = valuesOf(error)
  const { code } = valuesOf(extensions)
  const root = Array.isArray(path) ? String(path[0]) : ''
  const said = typeof message === 'string' && message !== '' ? message : 'no message'
  if (code === 'FORBIDDEN')
    return {
      // A key that only reads is a good one: the credential is not to be taken for dead.
      kind: CHANGE.test(root) ? 'refused' : 'authentication',
      reason: `FORBIDDEN: ${said} (${FORBIDDEN_MEANS})`,
    }
  if (typeof code !== 'string') return { kind: 'unavailable', reason: said }
  if (code === 'ENTITY_NOT_FOUND' && ABSENT_FOR.includes(root))
    return { kind: 'absent', reason: `${code}: ${said}` }
  if (code === 'BAD_USER_INPUT')
    return {
      kind: 'refused',
      // Before its reason it repeats all that it was given.
      reason: `${code}: ${said.slice(said.lastIndexOf('; ') + 1).trim()}`,
      ...named(badField(said)),
    }
  return { kind: kinds[code] ?? 'unavailable', reason: `${code}: ${said}` }
}

/** The fields that error results speak of. */
const resultFields: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS_CONFLICT_ERROR: 'emailAddress',
}

/** A mutation's own refusal: it stands in `data` (NOTES 9). */
const readRefusal = (data: unknown): AppFailure | undefined => {
  for (const value of Object.values(valuesOf(data))) {
    const { errorCode, result, message, ...rest } = valuesOf(value)
    const code = errorCode ?? (result === 'NOT_DELETED' ? result : undefined)
    if (typeof code !== 'string') continue
    // Some have no words but the key of a translation that is missing.
    const words = [message, rest.transitionError, rest.fulfillmentHandlerError].filter(
      (some) => typeof some === 'string' && some !== '' && some !== `errorResult.${code}`,
    )
    const said = [...new Set(words)].join('; ')
    return {
      kind: 'refused',
      reason: said === '' ? code : `${code}: ${said}`,
      ...named(resultFields[code]),
    }
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
