/**
 * The examples of the OpenAPI document succeed when they are sent to the server. closed-world.ts checks that
 * the responses are documented; this file checks that the examples are valid.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resourcePaths } from '../../src/api/rest/paths.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { filterParameters } from '../../src/query/filter.ts'
import {
  type OpenApiDocument,
  openapiText,
  type Parameter,
  resolvePointer,
  resolveReference,
} from '../support/openapi.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

// openapi.test.ts proves that the document has this type.
const document = JSON.parse(openapiText) as OpenApiDocument
const CREDENTIAL = String(
  resolveReference<Parameter>(document, { $ref: '#/components/parameters/credentialId' }).example,
)

/** The example of a schema in `components`. */
const exampleOf = (name: string): Readonly<Record<string, unknown>> =>
  // Each is an object: only the schemas of records have examples.
  (resolvePointer(document, `#/components/schemas/${name}/examples/0`) ?? {}) as Record<
    string,
    unknown
  >

/** The example as its app would send it: without the fields that Trunkline adds. */
const rowOf = (resource: Resource): RecordRow => {
  const { createdAt, updatedAt, ...record } = exampleOf(resource.typeName)
  const fields = Object.entries(record).map(([name, value]) => {
    const field = resource.allFields[name]
    const isEmbedded = field?.kind.reference?.embeds !== undefined
    return [name, isEmbedded ? Object(value).id : value]
  })
  return { ...Object.fromEntries(fields), id: String(record.id), remoteId: String(record.remoteId) }
}

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  for (const resource of catalogue.resources)
    await service.save(tenant, CREDENTIAL, resource, [rowOf(resource)])
})
afterAll(() => service.stop())

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The examples of an operation's parameters, by location. */
const examplesAt = (path: string, method: Method, place: Parameter['in']): [string, string][] =>
  (document.paths[path]?.[method]?.parameters ?? [])
    .map((parameter) => resolveReference<Parameter>(document, parameter))
    .filter((parameter) => parameter.in === place && parameter.example !== undefined)
    .map(({ name, example }) => [name, String(example)])

const addressOf = (path: string, method: Method, query: readonly [string, string][]): string => {
  const inPath = new Map(examplesAt(path, method, 'path'))
  const address = path.replace(/\{(\w+)\}/g, (_, name) => String(inPath.get(name)))
  return query.length === 0 ? address : `${address}?${new URLSearchParams([...query])}`
}

let requests = 0

/** A used key replays its first response, so each request gets the example with a number. */
const headersAt = (path: string, method: Method): Record<string, string> => {
  requests += 1
  return Object.fromEntries(
    examplesAt(path, method, 'header').map(([name, value]) => [
      name,
      name === 'Idempotency-Key' ? `${value}.${requests}` : value,
    ]),
  )
}

const places = catalogue.resources.flatMap((resource) =>
  resourcePaths(resource).map((place) => ({
    path: place.path.replace(/:(\w+)/g, '{$1}'),
    resource,
  })),
)

describe.each(places)('$path', ({ path, resource }) => {
  const credential: [string, string] = ['credentialId', CREDENTIAL]
  const send = (method: Method, at: string, query: [string, string][] = [], body?: object) =>
    service.send(
      tenant.key,
      method.toUpperCase() as Uppercase<Method>,
      addressOf(at, method, [credential, ...query]),
      body,
      method === 'get' ? {} : headersAt(at, method),
    )

  test('a record stored from the example is returned as the example', async () => {
    const { createdAt: _, updatedAt: __, ...example } = exampleOf(resource.typeName)
    const response = await send('get', `${path}/{id}`)
    expect(response.statusCode, response.body).toBe(200)
    expect(response.json()[resource.name]).toMatchObject(example)
  })

  test('each parameter accepts its example, and filters with examples find the example', async () => {
    const { id, ...example } = exampleOf(resource.typeName)
    const filters = filterParameters(resource)
    for (const [at, key] of [
      [path, resource.plural],
      [`${path}/count`, 'count'],
      [`${path}/aggregate`, 'groups'],
    ] as const)
      for (const [name, value] of examplesAt(at, 'get', 'query')) {
        const result = await send('get', at, name === 'credentialId' ? [] : [[name, value]])
        expect(result.statusCode, `${name}=${value}: ${result.body}`).toBe(200)
        const { field = '', operator } = filters.get(name) ?? {}
        // The test itself wrote the record, so these two hold the time of the test.
        if (field === 'createdAt' || field === 'updatedAt') continue
        const found =
          operator === undefined || (operator === 'notEquals') === (example[field] === null)
        const answered = result.json()[key]
        const count = key === 'groups' ? answered.length && answered[0].count : answered
        const ids =
          key === resource.plural ? answered.map((record: { id: string }) => record.id) : count
        const expected = key === resource.plural ? (found ? [id] : []) : Number(found)
        expect(ids, `${name}=${value}`).toEqual(expected)
      }
  })

  test('the example of a write passes validation; the app, which accepts no writes here, is the first to reject it', async () => {
    for (const [at, method] of [
      [path, 'post'],
      [`${path}/{id}`, 'put'],
      [`${path}/{id}`, 'patch'],
      [`${path}/{id}`, 'delete'],
    ] as const) {
      const operation = document.paths[at]?.[method]
      if (operation === undefined) continue
      expect(operation.requestBody === undefined).toBe(method === 'delete')
      const schema = `${resource.typeName}${method === 'patch' ? 'UpdateInput' : 'Input'}`
      const input = method === 'delete' ? undefined : exampleOf(schema)
      const response = await send(method, at, [], input)
      expect(response.json().error, response.body).toMatchObject({ code: 'NOT_SUPPORTED' })
    }
  })
})
