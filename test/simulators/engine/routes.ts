/** Finds the route of a request and rejects what the route does not declare. */
import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject } from './json.ts'
import {
  type ArrivedRequest,
  type Parameter,
  type Profile,
  RefusalError,
  type Route,
} from './profile.ts'

/** Headers of HTTP itself, of proxies, browsers and tracing, which change no API's behaviour. */
const GENERAL_HEADER =
  /^(host|connection|keep-alive|user-agent|accept|accept-(encoding|language|charset)|content-(length|type)|transfer-encoding|authorization|cache-control|pragma|origin|referer|cookie|upgrade-insecure-requests|priority|te|traceparent|tracestate|sec-.*)$/

const DEFAULT_MAX_BYTES = 1_000_000

export interface MatchedRoute {
  readonly route: Route
  readonly path: Readonly<Record<string, string>>
}

const decode = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // Not a valid percent-encoding: no variable has this value.
    return undefined
  }
}

/** The variables of a path; undefined if it does not fit the template. */
export const matchPath = (
  template: string,
  path: string,
): Readonly<Record<string, string>> | undefined => {
  const expected = template.split('/')
  const actual = path.split('/')
  if (expected.length !== actual.length) return undefined
  const variables: Record<string, string> = {}
  for (const [at, segment] of expected.entries()) {
    const text = actual[at] ?? ''
    if (segment.startsWith('{') && segment.endsWith('}')) {
      const value = decode(text)
      if (value === undefined || value === '') return undefined
      variables[segment.slice(1, -1)] = value
    } else if (segment !== text) return undefined
  }
  return variables
}

/** Literal segments win over variables: `/companies/search` over `/companies/{id}`. */
const variableCount = ({ path }: Route): number => path.split('{').length

/** @throws RefusalError if no route has this path and method */
export const findRoute = (routes: readonly Route[], method: string, path: string): MatchedRoute => {
  const matches = routes
    .flatMap((route): MatchedRoute[] => {
      const variables = matchPath(route.path, path)
      return variables ? [{ route, path: variables }] : []
    })
    .sort((a, b) => variableCount(a.route) - variableCount(b.route))
  if (matches.length === 0) throw new RefusalError({ reason: 'unknown-path' })
  const found = matches.find(({ route }) => route.method === method)
  if (found) return found
  const allowed = matches.map(({ route }) => route.method)
  throw new RefusalError({ reason: 'unknown-method', allowed })
}

const checkValues = (
  declared: Readonly<Record<string, Parameter>>,
  values: ReadonlyMap<string, string>,
): void => {
  for (const [name, { required = false, accepts }] of Object.entries(declared)) {
    const value = values.get(name)
    if (value === undefined && required)
      throw new RefusalError({ reason: 'missing-parameter', name })
    if (value !== undefined && accepts?.(value) === false)
      throw new RefusalError({ reason: 'invalid-parameter', name, value })
  }
}

/**
 * The query parameters.
 * @throws RefusalError unless each is declared, sent once (or `repeats`) and accepted
 */
export const readQuery = (
  { parameters = {} }: Route,
  query: URLSearchParams,
): Readonly<Record<string, string>> => {
  const values = new Map<string, string>()
  for (const [name, value] of query) {
    if (!Object.hasOwn(parameters, name))
      throw new RefusalError({ reason: 'undeclared-parameter', name })
    const earlier = values.get(name)
    if (earlier !== undefined && !parameters[name]?.repeats)
      throw new RefusalError({ reason: 'invalid-parameter', name, value })
    values.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  checkValues(parameters, values)
  return Object.fromEntries(values)
}

/** @throws RefusalError if a header with a meaning is not declared or not accepted */
export const checkHeaders = (
  { requestHeaders = {} }: Pick<Profile, 'requestHeaders'>,
  route: Route,
  headers: IncomingHttpHeaders,
): void => {
  const declared = { ...requestHeaders, ...route.headers }
  const values = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  for (const name of values.keys())
    if (!Object.hasOwn(declared, name) && !GENERAL_HEADER.test(name))
      throw new RefusalError({ reason: 'undeclared-header', name })
  checkValues(declared, values)
}

export const mediaTypeOf = ({ 'content-type': type }: IncomingHttpHeaders): string | undefined =>
  type?.split(';')[0]?.trim().toLowerCase()

const parseObject = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch {
    // Rejected below, as any JSON that is not an object.
  }
  throw new RefusalError({ reason: 'malformed-body' })
}

export interface ReadBody {
  readonly text: string
  readonly body: JsonObject
}

/**
 * The body of a request.
 * @throws RefusalError unless the route declares a body of this type, size and content
 */
export const readBody = (
  { route, path }: MatchedRoute,
  { headers, body: bytes }: ArrivedRequest,
  query: Readonly<Record<string, string>>,
): ReadBody => {
  if (route.body === undefined) {
    if (bytes.length > 0) throw new RefusalError({ reason: 'malformed-body' })
    return { text: '', body: {} }
  }
  const { mediaTypes, check, maxBytes = DEFAULT_MAX_BYTES } = route.body
  const mediaType = mediaTypeOf(headers)
  if (!mediaTypes.includes(mediaType ?? ''))
    throw new RefusalError({ reason: 'media-type', mediaType })
  if (bytes.length > maxBytes) throw new RefusalError({ reason: 'body-too-large' })
  const text = bytes.toString()
  if (check === undefined) return { text, body: {} }
  const body = parseObject(text)
  const problems = check({ path, query })(body)
  if (problems.length > 0) throw new RefusalError({ reason: 'invalid-body', problems })
  return { text, body }
}
