/**
 * Failures in Vendure's responses, which the HTTP status does not show (NOTES "the HTTP status is not
 * reliable").
 */
import type { AppFailure, AppRequest, AppResponse } from '../../definition/connector.ts'
import { isMutation } from '../../definition/graphql.ts'
import { graphqlFailure } from '../../definition/graphql-failure.ts'
import { textsAt, valuesOf } from '../../definition/raw-values.ts'

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
  ' (the API key is unknown, revoked, of another channel or lacks a permission, ' +
  "or the shop's authOptions.tokenMethod does not include 'api-key')"

/** The mutations whose ENTITY_NOT_FOUND can only mean the record itself. */
const ABSENT_FOR = ['updateCustomer', 'deleteCustomer', 'updateProduct', 'deleteProduct']

/** The failure that `errors` reports. */
const readErrors = (response: AppResponse, request: AppRequest): AppFailure | undefined => {
  const failure = graphqlFailure(response, ({ code = '', root }) => {
    // A read-only key is valid, so a forbidden mutation does not invalidate the credential.
    if (code === 'FORBIDDEN' && isMutation(request)) return 'refused'
    return code === 'ENTITY_NOT_FOUND' && ABSENT_FOR.includes(root) ? 'absent' : kinds[code]
  })
  return failure?.reason.startsWith('FORBIDDEN: ')
    ? { ...failure, reason: failure.reason + FORBIDDEN_MEANS }
    : failure
}

/** The fields that error results concern. */
const resultFields: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS_CONFLICT_ERROR: 'emailAddress',
}

/** The failure that a mutation reports in `data` (NOTES "domain errors are in data"). */
const readRefusal = ({ body }: AppResponse): AppFailure | undefined => {
  const results = Object.values(valuesOf(valuesOf(body).data))
  const [code = textsAt(results, 'result').find((result) => result === 'NOT_DELETED')] = textsAt(
    results,
    'errorCode',
  )
  if (code === undefined) return
  const messages = ['message', 'transitionError', 'fulfillmentHandlerError']
    .flatMap((name) => textsAt(results, name))
    // Some messages are only the key of a missing translation.
    .filter((text) => text !== '' && text !== `errorResult.${code}`)
  const words = [...new Set(messages)].join('; ')
  const field = resultFields[code]
  return {
    kind: 'refused',
    reason: words === '' ? code : `${code}: ${words}`,
    ...(field !== undefined && { field }),
  }
}

/** The failure that only the status shows; undefined for a status with its usual meaning. */
const readStatus = ({ status, body }: AppResponse): string | undefined => {
  const { statusCode, message } = valuesOf(body)
  // Vendure's response to a body over 100 kB. A retry would fail again.
  if (status === 500 && statusCode === 500 && message === '')
    return 'Vendure returned 500 without a message: the request body is too large (over 100 kB)'
  if (status === 404)
    return 'no Admin API at this address (404); use the address of the shop server'
  return status === 400 ? `Vendure returned 400: ${String(message)}` : undefined
}

/** The failure of a response; undefined if only the HTTP status decides. */
export const readFailure = (response: AppResponse, request: AppRequest): AppFailure | undefined => {
  const failure = readErrors(response, request) ?? readRefusal(response)
  if (failure) return failure
  const reason = readStatus(response)
  return reason === undefined ? undefined : { kind: 'refused', reason }
}
