/** Requests to Vendure's Admin API. */
import { graphqlApi } from '../../definition/graphql.ts'

/** The path of the Admin API below the shop's address (NOTES "POST {url}/admin-api"). */
export const ADMIN_API = '/admin-api'

/** Nothing is idempotent (NOTES "nothing is idempotent"): a mutation is sent once. */
export const { query, read, mutation, mutate } = graphqlApi(ADMIN_API)

/** The selection for mutations that report errors in `data` (NOTES "domain errors are in data"). */
export const OR_ERROR = '... on ErrorResult { errorCode message }'
