/**
 * A GraphQL request for `server.inject`, with the current media type: the HTTP status reports the outcome.
 * `payload`: the body as text or bytes, or an object that is sent as JSON. `headers` override the others.
 */
export const graphqlRequest = (
  key: string | undefined,
  payload: string | Buffer | object,
  headers: Readonly<Record<string, string>> = {},
) => ({
  url: '/graphql',
  method: 'POST' as const,
  headers: {
    accept: 'application/graphql-response+json',
    'content-type': 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...headers,
  },
  payload,
})
