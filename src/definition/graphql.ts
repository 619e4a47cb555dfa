/** Requests to a GraphQL API, and the fields of its responses. */
import type { Json } from './json.ts'
import { textsAt, type Values, valuesOf } from './raw-values.ts'
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

/**
 * The requests of a GraphQL API, of one operation each. The signatures are those of its schema, as in `operation`.
 * @param path its path below the base URL: `/graphql`
 */
export const graphqlApi = (path: string) => {
  const send = (query: string, variables: Variables): AppRequest => ({
    method: 'POST',
    path,
    body: { query, variables },
  })
  const query = (text: string, variables: Variables): AppRequest => ({
    ...send(text, variables),
    read: true,
  })
  const mutation = (signature: string, variables: Variables, selection?: string): AppRequest =>
    send(operation('mutation', signature, selection), variables)
  const resultOf = (response: AppResponse): Values =>
    valuesOf(Object.values(rootFields(response))[0])
  return {
    /** The request of a query, which may be retried. */
    query,
    /** The request of a mutation. */
    mutation,
    /** The result of a query of one field; empty if it is null. */
    *read(signature: string, variables: Variables, selection: string): Steps<Values> {
      return resultOf(yield query(operation('query', signature, selection), variables))
    },
    /** Sends a mutation once, without retries, and returns its result; empty if it is no object. */
    *mutate(signature: string, variables: Variables, selection?: string): Steps<Values> {
      return resultOf(yield mutation(signature, variables, selection))
    },
  }
}
