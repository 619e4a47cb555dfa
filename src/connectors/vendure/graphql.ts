/** Requests to Vendure's Admin API, and readers of its responses. */
import type { AppRequest, AppResponse, Json, Steps } from '../../definition/connector.ts'

/** The path of the Admin API below the shop's address (NOTES "POST {url}/admin-api"). */
export const ADMIN_API = '/admin-api'

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

/** The request of a GraphQL query, which Vendure accepts as a POST. */
export const query = (text: string, variables: { readonly [name: string]: Json }): AppRequest => ({
  method: 'POST',
  path: ADMIN_API,
  body: { query: text, variables },
  read: true,
})

/** The root fields of a response. @throws Error if it has no `data` */
export const rootFields = ({ body }: AppResponse): Values => {
  const { data } = valuesOf(body)
  if (typeof data !== 'object' || data === null)
    throw new Error('The response of Vendure has no data.')
  return valuesOf(data)
}

/** The selection for mutations that report errors in `data` (NOTES "domain errors are in data"). */
export const OR_ERROR = '... on ErrorResult { errorCode message }'

const mutation = (text: string, variables: { readonly [name: string]: Json }): AppRequest => ({
  method: 'POST',
  path: ADMIN_API,
  body: { query: text, variables },
})

/** Sends a mutation once, without retries, and returns its root field (NOTES "nothing is idempotent"). */
export function* mutate(text: string, variables: { readonly [name: string]: Json }): Steps<Values> {
  const [result] = Object.values(rootFields(yield mutation(text, variables)))
  return valuesOf(result)
}

/** Sends a compensating mutation. Its own failure is ignored, so that the caller reports the original one. */
export function* undo(text: string, variables: { readonly [name: string]: Json }): Steps<void> {
  try {
    yield { ...mutation(text, variables), undo: true }
  } catch {
    // The engine reports that the write was partly done.
  }
}
