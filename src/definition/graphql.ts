/** Requests to a GraphQL API, and the fields of its responses. */
import type { Json } from './json.ts'
import { textsAt } from './raw-values.ts'
import type { AppRequest, AppResponse, Steps } from './steps.ts'
import { isObject } from './value.ts'

/** The variables of a query or mutation. */
export type Variables = { readonly [name: string]: Json }

/** The root fields of a response. @throws Error if it has no `data` */
export const rootFields = ({ body }: AppResponse): Readonly<Record<string, unknown>> => {
  if (isObject(body) && isObject(body.data)) return body.data
  throw new Error('The GraphQL response has no data.')
}

/**
 * The text of an operation with one root field, by its signature in the schema: of `deleteCustomer(id: ID!)` and
 * `result message`, it is `mutation ($id: ID!) { deleteCustomer(id: $id) { result message } }`.
 * @param selection none for a root field without parts
 */
export const operation = (
  type: 'query' | 'mutation',
  signature: string,
  selection?: string,
): string => {
  const [field = '', declared = ''] = signature.split(/[()]/)
  const parameters = declared.split(', ').map((parameter) => parameter.split(':')[0] ?? '')
  const variables = declared.split(', ').map((parameter) => `$${parameter}`)
  const passed = parameters.map((name) => `${name}: $${name}`)
  const root = `${field}(${passed.join(', ')})${selection === undefined ? '' : ` { ${selection} }`}`
  return `${type} (${variables.join(', ')}) { ${root} }`
}

/** Whether a request of a GraphQL API is a mutation. */
export const isMutation = ({ body }: AppRequest): boolean =>
  /^\s{0,99}mutation\b/.test(textsAt(body, 'query')[0] ?? '')

/** The requests of a GraphQL API. @param path its path below the base URL: `/graphql` */
export const graphqlApi = (path: string) => {
  const mutation = (query: string, variables: Variables): AppRequest => ({
    method: 'POST',
    path,
    body: { query, variables },
  })
  return {
    /** The request of a query, which may be retried. */
    query: (text: string, variables: Variables): AppRequest => ({
      ...mutation(text, variables),
      read: true,
    }),
    /** Sends a mutation of one field, once, and returns its result. */
    *mutate(text: string, variables: Variables): Steps<Readonly<Record<string, unknown>>> {
      const [result] = Object.values(rootFields(yield mutation(text, variables)))
      return isObject(result) ? result : {}
    },
    /** Sends a compensating mutation. Its own failure is ignored, so that the caller reports the original one. */
    *undo(text: string, variables: Variables): Steps<void> {
      try {
        yield { ...mutation(text, variables), undo: true }
      } catch {
        // The engine reports that the write was partly done.
      }
    },
  }
}
