/**
 * Failures in Vendure's responses, which the HTTP status does not show (NOTES "the HTTP status is not
 * reliable").
 */
import type { AppFailure, AppRequest, AppResponse } from '../../definition/connector.ts'
import { isMutation } from '../../definition/graphql.ts'
import { graphqlFailures } from '../../definition/graphql-failure.ts'
import { textsAt, valuesOf } from '../../definition/raw-values.ts'

/** The mutations whose ENTITY_NOT_FOUND can only mean the record itself. */
const ABSENT_FOR = ['updateCustomer', 'deleteCustomer', 'updateProduct', 'deleteProduct']

/** The failure that `errors` reports. These codes concern the credential or the request. */
const readErrors = graphqlFailures({
  kinds: {
    // A read-only key is valid, so a forbidden mutation does not invalidate the credential.
    FORBIDDEN: (_, request) => (isMutation(request) ? 'refused' : 'authentication'),
    UNAUTHORIZED: 'authentication',
    // The credential names a channel that does not exist.
    CHANNEL_NOT_FOUND: 'authentication',
    USER_INPUT_ERROR: 'refused',
    BAD_USER_INPUT: 'refused',
    BAD_REQUEST: 'refused',
    ENTITY_NOT_FOUND: ({ root }) => (ABSENT_FOR.includes(root) ? 'absent' : 'refused'),
    ILLEGAL_OPERATION: 'refused',
    GRAPHQL_VALIDATION_FAILED: 'refused',
    GRAPHQL_PARSE_FAILED: 'refused',
  },
  otherwise: 'unavailable',
  hints: {
    // Vendure has one code for all of these causes (NOTES "API keys need the tokenMethod 'api-key'").
    FORBIDDEN:
      'the API key is unknown, revoked, of another channel or lacks a permission, ' +
      "or the shop's authOptions.tokenMethod does not include 'api-key'",
  },
})

/** The failure that a mutation reports in `data` (NOTES "domain errors are in data"). */
const readRefusal = ({ body }: AppResponse): AppFailure | undefined => {
  const results = Object.values(valuesOf(valuesOf(body).data))
  const [code] = [
    ...textsAt(results, 'errorCode'),
    ...textsAt(results, 'result').filter((result) => result === 'NOT_DELETED'),
  ]
  if (code === undefined) return
  const messages = ['message', 'transitionError', 'fulfillmentHandlerError']
    .flatMap((name) => textsAt(results, name))
    // Some messages are only the key of a missing translation.
    .filter((text) => text !== '' && text !== `errorResult.${code}`)
  return {
    kind: 'refused',
    reason: [code, [...new Set(messages)].join('; ')].filter(Boolean).join(': '),
    ...(code === 'EMAIL_ADDRESS_CONFLICT_ERROR' && { field: 'emailAddress' }),
  }
}

/** The failure that only the status shows; undefined for a status with its usual meaning. */
const readStatus = ({ status, body }: AppResponse): AppFailure | undefined => {
  const { statusCode, message } = valuesOf(body)
  const reasons: Readonly<Record<number, string>> = {
    400: `Vendure returned 400: ${String(message)}`,
    404: 'no Admin API at this address (404); use the address of the shop server',
    // Vendure's response to a body over 100 kB. A retry would fail again.
    ...(statusCode === 500 &&
      message === '' && {
        500: 'Vendure returned 500 without a message: the request body is too large (over 100 kB)',
      }),
  }
  const reason = reasons[status]
  return reason === undefined ? undefined : { kind: 'refused', reason }
}

/** The failure of a response; undefined if only the HTTP status decides. */
export const readFailure = (response: AppResponse, request: AppRequest): AppFailure | undefined =>
  readErrors(response, request) ?? readRefusal(response) ?? readStatus(response)
