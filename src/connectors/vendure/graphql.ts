/** Requests to Vendure's Admin API. The signatures are those of its schema: `deleteCustomer(id: ID!)`. */
import { graphqlApi, operation, rootFields, type Variables } from '../../definition/graphql.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import type { Steps } from '../../definition/steps.ts'

/** The path of the Admin API below the shop's address (NOTES "POST {url}/admin-api"). */
export const ADMIN_API = '/admin-api'

const api = graphqlApi(ADMIN_API)

/** The request of a query. */
export const { query } = api

/** The result of a query of one field. */
export function* read(signature: string, variables: Variables, parts: string): Steps<Values> {
  const response = yield query(operation('query', signature, parts), variables)
  return valuesOf(Object.values(rootFields(response))[0])
}

/** Sends a mutation once, without retries (NOTES "nothing is idempotent"). */
export const mutate = (signature: string, variables: Variables, parts?: string): Steps<Values> =>
  api.mutate(operation('mutation', signature, parts), variables)

/** Sends a compensating mutation, whose own failure is ignored. */
export const undo = (signature: string, variables: Variables, parts?: string): Steps<void> =>
  api.undo(operation('mutation', signature, parts), variables)

/** The selection for mutations that report errors in `data` (NOTES "domain errors are in data"). */
export const OR_ERROR = '... on ErrorResult { errorCode message }'
