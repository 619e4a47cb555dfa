/** Requests to Vendure's Admin API, and readers of its responses. */
import { graphqlApi } from '../../definition/graphql.ts'

export { rootFields } from '../../definition/graphql.ts'

/** The path of the Admin API below the shop's address (NOTES "POST {url}/admin-api"). */
export const ADMIN_API = '/admin-api'

/** A mutation is sent once, without retries (NOTES "nothing is idempotent"). */
export const { query, mutate, undo } = graphqlApi(ADMIN_API)

/** The selection for mutations that report errors in `data` (NOTES "domain errors are in data"). */
export const OR_ERROR = '... on ErrorResult { errorCode message }'

/** A JSON object of a response. */
export type Values = Readonly<Record<string, unknown>>

/** A value as an object; an empty object for any other value. */
export const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null
    ? // Safe: an object is read by key, and a missing key is undefined.
      (value as Values)
    : {}

/** The entries of a list as objects; empty if the value is not a list. */
export const entriesOf = (list: unknown): readonly Values[] =>
  Array.isArray(list) ? list.map(valuesOf) : []
