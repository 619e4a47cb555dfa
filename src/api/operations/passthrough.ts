/** Requests to an app's own API, for features outside the unified model. */
import type { AppRequest, Json } from '../../definition/connector.ts'
import { defineShape, integer, json, object, reference, text } from '../../definition/field.ts'
import { isObject } from '../../definition/value.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { resolveCredential } from '../auth/caller.ts'
import { httpMethod } from '../enumerations.ts'
import { defineOperation, required } from '../operation.ts'
import { EXAMPLE_CREDENTIAL } from './credential-shape.ts'

const passthroughResponse = defineShape({
  name: 'PassthroughResponse',
  doc: 'The unchanged response of the app.',
  fields: {
    status: required(integer('The HTTP status.')),
    headers: required(json('The headers, with lower-case names.')),
    body: json('The body: parsed JSON, otherwise a string; null if empty.'),
  },
})

const MAX_NAME = 100
/** A header name in lower case, at most `MAX_NAME` characters (RFC 9110, section 5.6.2: token). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/
/** Headers of the connection or of the credential, which callers cannot set. */
const RESERVED = new Set([
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
const readHeaders = (input: unknown): Readonly<Record<string, string>> => {
  if (input === undefined || input === null) return {}
  if (!isObject(input)) throw invalidParameter('headers', 'an object of strings')
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const lower = name.toLowerCase()
      const field = `headers.${lower.slice(0, MAX_NAME)}`
      if (RESERVED.has(lower))
        throw invalidParameter(field, 'no value: this service sets this header')
      if (!HEADER_NAME.test(lower))
        throw invalidParameter(
          field,
          `a header name of at most ${MAX_NAME} letters, digits and characters of !#$%&'*+.^_\`|~-`,
        )
      // Printable ASCII without line breaks is valid in a header.
      if (typeof value !== 'string' || !/^[\x20-\x7e]{0,4096}$/.test(value))
        throw invalidParameter(field, 'a string of at most 4,096 printable ASCII characters')
      return [lower, value]
    }),
  )
}

/** @throws INVALID_PARAMETER */
const readQuery = (input: unknown): string => {
  if (input === undefined || input === null) return ''
  if (!isObject(input))
    throw invalidParameter('query', 'an object of strings, numbers and booleans')
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(input))
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!['string', 'number', 'boolean'].includes(typeof item))
        throw invalidParameter(
          `query.${name.slice(0, MAX_NAME)}`,
          'a string, a number or a boolean, or a list of them',
        )
      parameters.append(name, String(item))
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
    throw invalidParameter(
      'endpoint',
      'a path that begins with a single /, relative to the URL of the app',
    )
  if (query === '') return endpoint
  return `${endpoint}${endpoint.includes('?') ? '&' : '?'}${query}`
}

export const passthroughOperations = [
  defineOperation({
    name: 'passthrough',
    summary: 'Send a request to an app',
    doc: "Sends a request to the app's own API with the stored credential and returns the response unchanged, whatever its status. While the app's limits allow no request, it returns APP_RATE_LIMITED.",
    tag: 'Passthrough',
    rest: { method: 'POST', path: '/2024-03/passthrough' },
    callers: ['key'],
    hasExternalEffects: true,
    query: {
      credentialId: required(
        reference('credentials', 'The credential that authenticates the request.'),
      ),
    },
    body: {
      method: required(httpMethod('The HTTP method.')),
      endpoint: required(text('The path, relative to the URL of the app: `/v1/people`.')),
      query: json('The query parameters, by name.'),
      body: json('The body, sent as JSON. Not allowed with GET.'),
      headers: json('Additional headers. The service adds those of the credential.'),
    },
    response: { payloadField: 'response', value: object(passthroughResponse, 'The response.') },
    errors: [
      'CREDENTIAL_NOT_FOUND',
      'NOT_SUPPORTED',
      'APP_AUTHENTICATION',
      'APP_ADDRESS',
      'APP_RATE_LIMITED',
      'APP_UNAVAILABLE',
      'WRITE_OUTCOME_UNKNOWN',
    ],
    example: {
      input: {
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
    run: async ({ access, caller, passthrough, interruptedSince }, input) => {
      const credential = await resolveCredential(access, caller, input.credentialId)
      // RFC 9110, section 9.3.1: the body of a GET has no defined meaning.
      if (input.method === 'GET' && input.body != null)
        throw invalidParameter('body', 'no value with the method GET')
      const request: AppRequest = {
        method: input.method,
        path: readPath(input.endpoint, readQuery(input.query)),
        headers: readHeaders(input.headers),
        // The input is JSON.
        ...(input.body != null && { body: input.body as Json }),
      }
      if (interruptedSince !== undefined && input.method !== 'GET')
        throw new ApiError(
          'WRITE_OUTCOME_UNKNOWN',
          'An earlier attempt with this Idempotency-Key was interrupted and may have reached the app. Check in the app; to send the request again, use a new key.',
        )
      const { status, headers, body } = await passthrough(credential.id, request)
      return { status, headers, body: body ?? null }
    },
  }),
]
