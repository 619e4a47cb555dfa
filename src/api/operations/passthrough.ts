/** The app's own API, for what the unified model does not have. */
import type { AppRequest, Json } from '../../definition/connector.ts'
import {
  defineShape,
  enumeration,
  integer,
  json,
  object,
  reference,
  text,
} from '../../definition/field.ts'
import { isObject } from '../../definition/value.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { resolveCredential } from '../caller.ts'
import { defineOperation, required } from '../operation.ts'
import { EXAMPLE_CREDENTIAL } from './credentials.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const answer = defineShape({
  name: 'PassthroughAnswer',
  doc: 'What the app answered, as it is.',
  fields: {
    status: required(integer('The HTTP status.')),
    headers: required(json('The headers, by their names in lower case.')),
    body: json('The body: its JSON, its text if it is none, null if there was none.'),
  },
})

/** RFC 9110, section 5.6.2; and the headers that belong to the connection, or to the credential. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/
const OURS = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'authorization',
  'cookie',
  'expect',
])

/** @throws INVALID_PARAMETER */
const readHeaders = (given: unknown): Readonly<Record<string, string>> => {
  if (given === undefined || given === null) return {}
  if (!isObject(given)) throw invalidParameter('headers', 'an object of texts')
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const lower = name.toLowerCase()
      if (!TOKEN.test(lower) || OURS.has(lower))
        throw invalidParameter('headers', 'names of headers that are not set here already')
      // What a header can carry: printable ASCII, and no line break.
      if (typeof value !== 'string' || !/^[\x20-\x7e]{0,4096}$/.test(value))
        throw invalidParameter(`headers.${lower}`, 'printable ASCII')
      return [lower, value]
    }),
  )
}

/** @throws INVALID_PARAMETER */
const readQuery = (given: unknown): string => {
  if (given === undefined || given === null) return ''
  if (!isObject(given)) throw invalidParameter('query', 'an object of texts, numbers and booleans')
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!['string', 'number', 'boolean'].includes(typeof one))
        throw invalidParameter(`query.${name}`, 'a text, a number or a boolean, or a list of them')
      parameters.append(name, String(one))
    }
  return parameters.toString()
}

/** @throws INVALID_PARAMETER */
const readPath = (endpoint: string, query: string): string => {
  if (
    !/^\/[\x21-\x7e]{0,2000}$/.test(endpoint) ||
    endpoint.startsWith('//') ||
    endpoint.includes('#')
  )
    throw invalidParameter('endpoint', 'a path that begins with /, below the address of the app')
  if (query === '') return endpoint
  return `${endpoint}${endpoint.includes('?') ? '&' : '?'}${query}`
}

export const passthroughOperations = [
  defineOperation({
    name: 'passthrough',
    doc: "Asks the app's own API with the stored credential, and gives its answer as it is, whatever its status.",
    tag: 'Passthrough',
    rest: { method: 'POST', path: '/2024-03/passthrough' },
    callers: ['key'],
    reachesOut: true,
    query: { credentialId: required(reference('credentials', 'The credential to ask with.')) },
    body: {
      method: required(enumeration('The method of the request.', methods)),
      endpoint: required(text("The path of the request, below the app's address: `/v1/people`.")),
      query: json('Its query parameters, by name.'),
      body: json('Its body, sent as JSON; a GET has none.'),
      headers: json('Further headers; those that carry the credential are added.'),
    },
    answer: { value: object(answer, 'The answer.') },
    errors: [
      'CREDENTIAL_NOT_FOUND',
      'NOT_SUPPORTED',
      'APP_AUTHENTICATION',
      'APP_ADDRESS',
      'APP_UNAVAILABLE',
      'WRITE_OUTCOME_UNKNOWN',
    ],
    example: {
      given: {
        credentialId: EXAMPLE_CREDENTIAL,
        method: 'GET',
        endpoint: '/v1/people',
        query: { limit: 1 },
      },
      result: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { items: [], next: null },
      },
    },
    run: async ({ access, caller, passthrough, brokenOffSince }, given) => {
      const credential = await resolveCredential(access, caller, given.credentialId)
      // RFC 9110, section 9.3.1: the body of a GET has no meaning, and is not sent.
      if (given.method === 'GET' && given.body != null)
        throw invalidParameter('body', 'no value beside the method GET')
      const request: AppRequest = {
        method: given.method,
        path: readPath(given.endpoint, readQuery(given.query)),
        headers: readHeaders(given.headers),
        // It was read as JSON.
        ...(given.body != null && { body: given.body as Json }),
      }
      if (brokenOffSince !== undefined && given.method !== 'GET')
        throw new ApiError(
          'WRITE_OUTCOME_UNKNOWN',
          'An earlier try with this Idempotency-Key was broken off and may have reached the app. Look there; to ask again, use another key.',
        )
      const { status, headers, body } = await passthrough(credential.id, request)
      return { status, headers, body: body ?? null }
    },
  }),
]
