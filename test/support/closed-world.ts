/**
 * Checks every response in a test against the OpenAPI document, closed-world: its status, content type,
 * headers and every field of its body must be documented for the requested operation. An undocumented
 * response fails the running test.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach } from 'vitest'
import {
  type OpenApiDocument,
  openapiText,
  type Response,
  resolveReference,
  schemaCompiler,
} from './openapi.ts'

/** Addresses that the server has in addition to the documented API. */
const OTHER_ROUTE =
  /^\/(graphql|docs|docs\/assets\/.*|docs\/(apps\/)?[\w-]+\.md|llms\.txt|openapi\.json|schema\.graphql|sdk\.js|connect|connect\/assets\/.*|oauth\/start\/:ticket|oauth\/callback|sandbox\/oauth\/authorize|webhooks\/:app\/:endpointId)$/

/** Headers of HTTP itself and of browser security (helmet, CORS), which no operation documents. */
const GENERAL_HEADER =
  /^(content-(type|length|security-policy)|date|connection|keep-alive|transfer-encoding|vary|cache-control|(access-control|cross-origin)-.*|origin-agent-cluster|referrer-policy|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/

/**
 * Statuses of requests that no operation documents: an unreadable body, an unknown address, a method that is not
 * allowed.
 */
const GENERAL_ERRORS = {
  statuses: [400, 404, 405, 413, 415, 429],
  headers: ['x-request-id', 'allow', 'retry-after', 'ratelimit', 'ratelimit-policy'],
}

export interface CheckedResponse {
  readonly method: string
  /** The path as the router has it: `/2024-03/one/users/:userId`; undefined if no route matches. */
  readonly route: string | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** What the document defines for the responses of one operation and status. */
interface Documented {
  readonly validate: ValidateFunction
  /** Header names in lower case, and whether each is required. */
  readonly headers: ReadonlyMap<string, boolean>
}

const describe = ({ instancePath, message, params }: ErrorObject): string => {
  const { additionalProperty, allowedValues } = params
  return [instancePath || 'the body', message, additionalProperty ?? allowedValues]
    .filter((part) => part !== undefined)
    .join(' ')
}

/** Creates a checker that describes what is wrong with a response. Schemas are compiled on first use. */
export const createResponseChecker = (
  text: string,
): ((response: CheckedResponse) => readonly string[]) => {
  // openapi.test.ts proves that the document has this type.
  const document = JSON.parse(text) as OpenApiDocument
  const compile = schemaCompiler(document)
  const documentedByPath = new Map<string, Documented>()

  const memoize = (place: string, find: () => Documented): Documented => {
    const found = documentedByPath.get(place) ?? find()
    documentedByPath.set(place, found)
    return found
  }

  const documentedAt = (path: string, method: string, status: string): Documented | undefined => {
    const input = document.paths[path]?.[method]?.responses[status]
    if (input === undefined) return
    const steps =
      '$ref' in input
        ? input.$ref.split('/').slice(1)
        : ['paths', path, method, 'responses', status]
    return memoize(steps.join(' '), () => ({
      validate: compile(...steps, 'content', 'application/json', 'schema'),
      headers: new Map(
        Object.entries(resolveReference<Response>(document, input).headers).map(
          ([name, header]) => {
            const { required = false } = resolveReference<{ readonly required?: boolean }>(
              document,
              header,
            )
            return [name.toLowerCase(), required]
          },
        ),
      ),
    }))
  }

  const generalError = (): Documented =>
    memoize('Error', () => ({
      validate: compile('components', 'schemas', 'Error'),
      headers: new Map(GENERAL_ERRORS.headers.map((name) => [name, name === 'x-request-id'])),
    }))

  const compare = (
    result: CheckedResponse,
    { validate, headers }: Documented,
  ): readonly string[] => {
    const names = Object.keys(result.headers)
    const problems = [
      ...names
        .filter((name) => !headers.has(name) && !GENERAL_HEADER.test(name))
        .map((name) => `the header ${name} is not documented`),
      ...[...headers]
        .filter(([name, required]) => required && !names.includes(name))
        .map(([name]) => `the header ${name} is missing`),
    ]
    if (result.method === 'HEAD') return problems
    if (!/^application\/json\b/.test(String(result.headers['content-type'])))
      return [...problems, `its content type is ${result.headers['content-type']}`]
    if (!validate(JSON.parse(result.body))) problems.push(...(validate.errors ?? []).map(describe))
    return problems
  }

  return (response) => {
    const { method, route, status, headers } = response
    if (route !== undefined && OTHER_ROUTE.test(route)) return []
    // The page at `/`, which has no route: other clients than browsers get a 404.
    if (route === undefined && headers['content-type'] === 'text/html; charset=utf-8') return []
    const path = route?.replace(/:(\w+)/g, '{$1}')
    const operations = path === undefined ? undefined : document.paths[path]
    if (path !== undefined && operations === undefined) return ['its path is not documented']
    // A CORS preflight request; its response has no body.
    if (method === 'OPTIONS' && status === 204) return []
    const requestedMethod = method === 'HEAD' ? 'get' : method.toLowerCase()
    if (path === undefined || operations?.[requestedMethod] === undefined)
      return GENERAL_ERRORS.statuses.includes(status)
        ? compare(response, generalError())
        : [`an undocumented method or address may not have the status ${status}`]
    const documented = documentedAt(path, requestedMethod, String(status))
    return documented === undefined
      ? [`the status ${status} is not documented`]
      : compare(response, documented)
  }
}

let check: ReturnType<typeof createResponseChecker> | undefined
const problemsOfTest: string[] = []

const failOnProblems = (): void => {
  const found = problemsOfTest.splice(0)
  if (found.length > 0)
    throw new Error(`Responses do not match src/generated/openapi.json:\n${found.join('\n')}`)
}

/** From this call on, an undocumented response of the server fails the running test. */
export const checkResponses = (server: FastifyInstance): void => {
  server.addHook('onSend', async (request, reply, payload) => {
    check ??= createResponseChecker(openapiText)
    const { method, routeOptions } = request
    const problems = check({
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: String(payload),
    })
    const firstProblems = problems.slice(0, 5).map((problem) => `  ${problem}`)
    if (firstProblems.length > 0)
      problemsOfTest.push(
        `${method} ${routeOptions.url ?? request.url} ${reply.statusCode}`,
        ...firstProblems,
      )
    return payload
  })
}

afterEach(failOnProblems)
// Responses to the set-up, or after the last test.
afterAll(failOnProblems)
