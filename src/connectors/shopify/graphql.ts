/** Requests to Shopify's Admin API. The signatures are those of its schema: `orderDelete(orderId: ID!)`. */
import { graphqlApi, operation, type Variables } from '../../definition/graphql.ts'
import type { Values } from '../../definition/raw-values.ts'
import type { Steps } from '../../definition/steps.ts'

/** A version is served for at least 12 months (NOTES "versions"). */
export const VERSION = '2026-07'

const api = graphqlApi(`/admin/api/${VERSION}/graphql.json`)

/** The request of a query. */
export const { query } = api

/**
 * Sends a mutation once and returns its payload. Its `userErrors` are failures (NOTES "user errors").
 * @param parts what is selected of the payload, in addition to the errors. Default: nothing
 */
export const mutate = (signature: string, variables: Variables, parts = ''): Steps<Values> =>
  api.mutate(operation('mutation', signature, `${parts} userErrors { field message }`), variables)

/** As `mutate`, for payloads whose user errors have a code. */
export const mutateCoded = (signature: string, variables: Variables, parts = ''): Steps<Values> =>
  api.mutate(
    operation('mutation', signature, `${parts} userErrors { field message code }`),
    variables,
  )
