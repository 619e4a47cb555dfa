/** Failures in Shopify's responses. Most of these have the status 200. */
import type { AppFailure, AppRequest, AppResponse } from '../../definition/connector.ts'
import { graphqlFailures } from '../../definition/graphql-failure.ts'
import { entriesOf, type Values, valuesOf } from '../../definition/raw-values.ts'
import { POINTS, throttledMs } from './limits.ts'

/** The arguments of mutations: the paths of user errors start with them. `trackingInfoInput` has other parts here. */
const ARGUMENTS: readonly string[] = ['input', 'order', 'product', 'fulfillment']

/** The path of a user error in the body of a write: `['input', 'email']` is `email`. */
const fieldOf = (path: unknown): string | undefined => {
  const [first = '', ...rest] = Array.isArray(path) ? path.map(String) : []
  const steps = ARGUMENTS.includes(first)
    ? rest
    : first === 'trackingInfoInput'
      ? ['trackingInfo', ...rest]
      : [first, ...rest]
  return steps.join('.') || undefined
}

/** The ids of the record that a mutation changes. An error there means that the shop does not have it. */
const IDS: readonly string[] = ['id', 'orderId', 'fulfillmentId', 'productId']

/** The failure that a mutation reports in `data` (NOTES "user errors"). */
const readUserErrors = (payloads: readonly unknown[]): AppFailure | undefined => {
  const errors = payloads.flatMap((payload) => entriesOf(valuesOf(payload).userErrors))
  const [error] = errors
  if (!error) return
  const reason = [...new Set(errors.map(describe))].join('; ')
  const field = fieldOf(error.field)
  if (field !== undefined && IDS.includes(field)) return { kind: 'absent', reason }
  return { kind: 'refused', reason, ...(field !== undefined && { field }) }
}

const describe = ({ code, message }: Values): string =>
  typeof code === 'string' ? `${code}: ${String(message)}` : String(message)

/** The failure of a response. An error without a code, or with the name of a rule of GraphQL, is one of the request. */
const failureIn = graphqlFailures({
  kinds: {
    THROTTLED: 'rate-limited',
    INTERNAL_SERVER_ERROR: 'unavailable',
    SERVICE_UNAVAILABLE: 'unavailable',
    TIMEOUT: 'unavailable',
    SHOP_INACTIVE: 'unavailable',
  },
  otherwise: 'refused',
  hints: {
    ACCESS_DENIED:
      'the OAuth client lacks a scope, or its approval for protected customer data; NOTES "access"',
  },
  inResults: readUserErrors,
  // NOTES "statuses"
  statuses: {
    401: ({ errors }) => ({
      kind: 'authentication',
      reason: typeof errors === 'string' ? errors : 'the access token is invalid (401)',
    }),
    402: { kind: 'unavailable', reason: 'the shop is frozen until its owner pays (402)' },
    404: { kind: 'refused', reason: 'no shop with this name, or no such version of its API (404)' },
    423: { kind: 'unavailable', reason: 'the shop is locked (423)' },
  },
})

/** Where a variable is invalid: `Variable $input of type CustomerInput! was provided invalid value for email`. */
const invalidPath = (response: AppResponse): string | undefined => {
  const [error] = entriesOf(valuesOf(response.body).errors)
  const [problem] = entriesOf(valuesOf(error?.extensions).problems)
  return Array.isArray(problem?.path) && problem.path.length > 0
    ? problem.path.join('.')
    : undefined
}

/** The failure of a response; undefined if only the HTTP status decides. */
export const readFailure = (response: AppResponse, request: AppRequest): AppFailure | undefined => {
  const failure = failureIn(response, request)
  if (failure?.kind === 'rate-limited') {
    const retryAfterMs = throttledMs(response)
    return { ...failure, limit: POINTS, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  }
  const field = invalidPath(response)
  return failure && field !== undefined ? { ...failure, kind: 'refused', field } : failure
}
