/** GraphQL requests over HTTP: their parameters, and which of them can be executed without Yoga. */
import type { FastifyRequest } from 'fastify'
import { isObject } from '../../definition/value.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { parseInput } from '../http/json-body.ts'
import type { RequestedDocument } from './trusted-documents.ts'

/** The optional parameters of a GraphQL request, and the expected type of each. */
const PARAMETERS = {
  documentId: { expected: 'a string', fits: (value: unknown) => typeof value === 'string' },
  operationName: { expected: 'a string', fits: (value: unknown) => typeof value === 'string' },
  variables: { expected: 'a JSON object', fits: isObject },
  extensions: { expected: 'a JSON object', fits: isObject },
}

/** The parameters of a GraphQL request; others may exist, which Yoga rejects. */
export interface HttpParameters extends RequestedDocument {
  readonly operationName?: string | null | undefined
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/** Parses a JSON parameter of the query string. @throws INVALID_PARAMETER */
const readJson = (name: 'variables' | 'extensions', text: unknown): unknown => {
  // Yoga parses the parameter again and treats an empty one as absent.
  if (text === undefined || text === '') return undefined
  try {
    return parseInput(String(text))
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw invalidParameter(name, PARAMETERS[name].expected)
  }
}

/** The GraphQL request: the body of a POST, or the query string of a GET. @throws INVALID_PARAMETER */
const readGraphRequest = ({ method, body, query }: FastifyRequest): unknown => {
  if (method === 'POST') return body
  const { variables, extensions, ...texts } = query as Readonly<Record<string, unknown>>
  return {
    ...texts,
    variables: readJson('variables', variables),
    extensions: readJson('extensions', extensions),
  }
}

/**
 * The parameters of a GraphQL request. Yoga would respond to some malformed ones with 200, and would read an empty
 * body again from the request stream, which is consumed already.
 * @throws MALFORMED_BODY, BAD_REQUEST, INVALID_PARAMETER
 */
export const readParameters = (request: FastifyRequest): HttpParameters => {
  const graphRequest = readGraphRequest(request)
  if (graphRequest === undefined)
    throw new ApiError('MALFORMED_BODY', 'The body is empty. Send JSON.')
  if (!isObject(graphRequest))
    throw new ApiError('BAD_REQUEST', 'The body: expected a JSON object with a query.')
  for (const [name, { expected, fits }] of Object.entries(PARAMETERS)) {
    const value = graphRequest[name] ?? undefined
    if (value !== undefined && !fits(value)) throw invalidParameter(name, expected)
  }
  return graphRequest
}

const JSON_TYPE = 'application/json; charset=utf-8'
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8'

/** The Content-Type of Yoga's responses without errors, for the Accept headers that clients send most. */
const RESPONSE_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['application/json, text/plain, */*', JSON_TYPE],
  ['application/graphql-response+json', GRAPHQL_TYPE],
  ['application/graphql-response+json, application/json', GRAPHQL_TYPE],
  ['application/graphql-response+json, application/json;q=0.9', GRAPHQL_TYPE],
  ['application/graphql-response+json,application/json;q=0.9', GRAPHQL_TYPE],
])

const BODY_TYPE = /^application\/json(?:;|$)/

/**
 * The Content-Type of the response if a request has the common form; otherwise undefined. Only a request of this form
 * may be executed without Yoga: nothing but its operation decides the response.
 */
export const plannedTypeOf = (
  { method, url, headers, body }: FastifyRequest,
  path: string,
): string | undefined =>
  method === 'POST' &&
  url === path &&
  BODY_TYPE.test(headers['content-type'] ?? '') &&
  Object.keys(body as object).every((name) => name === 'query' || Object.hasOwn(PARAMETERS, name))
    ? RESPONSE_TYPES.get(headers.accept)
    : undefined
