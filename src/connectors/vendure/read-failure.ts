/**
 * Failures in Vendure's responses, which the HTTP status does not show (NOTES "the HTTP status is not
 * reliable").
 */
import type { AppFailure } from '../../definition/connector.ts'
import { isMutation } from '../../definition/graphql.ts'
import { graphqlFailures } from '../../definition/graphql-failure.ts'
import { textsAt } from '../../definition/raw-values.ts'

/** The mutations whose ENTITY_NOT_FOUND can only mean the record itself. */
const ABSENT_FOR = ['updateCustomer', 'deleteCustomer', 'updateProduct', 'deleteProduct']

/** The failure that a mutation reports in `data` (NOTES "domain errors are in data"). */
const refusalIn = (results: readonly unknown[]): AppFailure | undefined => {
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

/** The failure of a response. The codes concern the credential or the request. */
export const readFailure = graphqlFailures({
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
  inResults: refusalIn,
  statuses: {
    400: ({ message }) =>
      typeof message === 'string'
        ? { kind: 'refused', reason: `Vendure returned 400: ${message}` }
        : undefined,
    404: {
      kind: 'refused',
      reason: 'no Admin API at this address (404); use the address of the shop server',
    },
    // Vendure's response to a body over 100 kB. A retry would fail again.
    500: ({ statusCode, message }) =>
      statusCode === 500 && message === ''
        ? {
            kind: 'refused',
            reason:
              'Vendure returned 500 without a message: the request body is too large (over 100 kB)',
          }
        : undefined,
  },
})
