/**
 * Holds every answer that a test gets against the OpenAPI document, closed-world: its status, its content
 * type, its headers and every field of its body must be documented for the operation that was asked. What
 * is not fails the test that asked.
 */
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach } from 'vitest'
import {
  type OpenApiDocument,
  openapiText,
  type Response,
  resolved,
  schemaCompiler,
} from './openapi.ts'

/** Served beside the API that the document tells of. */
const BESIDE =
  /^\/(graphql|docs|docs\/assets\/.*|openapi\.json|sdk\.js|connect|connect\/assets\/.*)$/

/** Of HTTP itself, and what browsers are told (helmet, CORS): said of no single operation. */
const GENERAL_HEADER =
  /^(content-(type|length|security-policy)|date|connection|keep-alive|transfer-encoding|vary|cache-control|(access-control|cross-origin)-.*|origin-agent-cluster|referrer-policy|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/

/** Where no operation documents the answer: a bad body, an address of nothing, a method that is not taken. */
const UNDOCUMENTED = {
  statuses: [400, 404, 405, 413, 415, 429],
  headers: ['x-request-id', 'allow', 'retry-after', 'ratelimit', 'ratelimit-policy'],
}

export interface Answer {
  readonly method: string
  /** As the router knows it: `/2024-03/one/users/:userId`; undefined: no route has the address. */
  readonly route: string | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** What the document says of the answers of one operation and status. */
interface Documented {
  readonly fits: ValidateFunction
  /** In lower case: whether each is always there. */
  readonly headers: ReadonlyMap<string, boolean>
}

const describe = ({ instancePath, message, params }: ErrorObject): string => {
  const { additionalProperty, allowedValues } = params
  return [instancePath || 'the body', message, additionalProperty ?? allowedValues]
    .filter((part) => part !== undefined)
    .join(' ')
}

/** A judge of answers: what is wrong with one, in words. Schemas are compiled when first needed. */
export const createJudge = (text: string): ((answer: Answer) => readonly string[]) => {
  // openapi.test.ts proves that it is what this type says.
  const document = JSON.parse(text) as OpenApiDocument
  const compile = schemaCompiler(document)
  const known = new Map<string, Documented>()

  const remembered = (place: string, find: () => Documented): Documented => {
    const found = known.get(place) ?? find()
    known.set(place, found)
    return found
  }

  const documentedAt = (path: string, method: string, status: string): Documented | undefined => {
    const given = document.paths[path]?.[method]?.responses[status]
    if (given === undefined) return
    const steps =
      '$ref' in given
        ? given.$ref.split('/').slice(1)
        : ['paths', path, method, 'responses', status]
    return remembered(steps.join(' '), () => ({
      fits: compile(...steps, 'content', 'application/json', 'schema'),
      headers: new Map(
        Object.entries(resolved<Response>(document, given).headers).map(([name, header]) => {
          const { required = false } = resolved<{ readonly required?: boolean }>(document, header)
          return [name.toLowerCase(), required]
        }),
      ),
    }))
  }

  const undocumented = (): Documented =>
    remembered('Error', () => ({
      fits: compile('components', 'schemas', 'Error'),
      headers: new Map(UNDOCUMENTED.headers.map((name) => [name, name === 'x-request-id'])),
    }))

  const compare = (answer: Answer, { fits, headers }: Documented): readonly string[] => {
    const names = Object.keys(answer.headers)
    const problems = [
      ...names
        .filter((name) => !headers.has(name) && !GENERAL_HEADER.test(name))
        .map((name) => `the header ${name} is not documented`),
      ...[...headers]
        .filter(([name, required]) => required && !names.includes(name))
        .map(([name]) => `the header ${name} is missing`),
    ]
    if (answer.method === 'HEAD') return problems
    if (!/^application\/json\b/.test(String(answer.headers['content-type'])))
      return [...problems, `its content type is ${answer.headers['content-type']}`]
    if (!fits(JSON.parse(answer.body))) problems.push(...(fits.errors ?? []).map(describe))
    return problems
  }

  return (answer) => {
    const { method, route, status } = answer
    if (route !== undefined && BESIDE.test(route)) return []
    const path = route?.replace(/:(\w+)/g, '{$1}')
    const operations = path === undefined ? undefined : document.paths[path]
    if (path !== undefined && operations === undefined) return ['its path is not documented']
    // A browser asks so before it asks another origin; the answer has no body.
    if (method === 'OPTIONS' && status === 204) return []
    const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
    if (path === undefined || operations?.[asked] === undefined)
      return UNDOCUMENTED.statuses.includes(status)
        ? compare(answer, undocumented())
        : [`neither a method nor an address that is not documented is answered with ${status}`]
    const documented = documentedAt(path, asked, String(status))
    return documented === undefined
      ? [`the status ${status} is not documented`]
      : compare(answer, documented)
  }
}

let judge: ReturnType<typeof createJudge> | undefined
const wrong: string[] = []

const fail = (): void => {
  const found = wrong.splice(0)
  if (found.length > 0)
    throw new Error(
      `src/generated/openapi.json does not say what was answered:\n${found.join('\n')}`,
    )
}

/** From now on, an answer of the server that is not documented fails the test that runs. */
export const holdToDocument = (server: FastifyInstance): void => {
  server.addHook('onSend', async (request, reply, payload) => {
    judge ??= createJudge(openapiText)
    const { method, routeOptions } = request
    const problems = judge({
      ...{ method, route: routeOptions.url, status: reply.statusCode },
      headers: reply.getHeaders(),
      body: String(payload),
    })
    const shown = problems.slice(0, 5).map((problem) => `  ${problem}`)
    if (shown.length > 0)
      wrong.push(`${method} ${routeOptions.url ?? request.url} ${reply.statusCode}`, ...shown)
    return payload
  })
}

afterEach(fail)
// What was answered to the set-up, or after the last test.
afterAll(fail)
