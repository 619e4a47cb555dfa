/** The OpenAPI document: valid, complete, and with the bounds that the code checks. */
import { Validator } from '@seriousme/openapi-schema-validator'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import type { ApiContext } from '../../src/api/context.ts'
import { operations as apiOperations } from '../../src/api/operations.ts'
import { addOperationRoutes } from '../../src/api/rest/operations.ts'
import { resourcePaths } from '../../src/api/rest/paths.ts'
import { addRecordWriteRoutes } from '../../src/api/rest/record-writes.ts'
import { addRecordRoutes, aggregateParameters, listParameters } from '../../src/api/rest/records.ts'
import { errorCodes } from '../../src/errors.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { measuredFields } from '../../src/query/aggregate.ts'
import { filterParameters, parseFilterValue } from '../../src/query/filter.ts'
import { parseOrder, parsePage } from '../../src/query/list-request.ts'
import {
  type OpenApiDocument,
  openapiText,
  type Parameter,
  resolvePointer,
  resolveReference,
  schemaCompiler,
} from '../support/openapi.ts'

// The tests below check that the document has this type.
const document = JSON.parse(openapiText) as OpenApiDocument
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)
const parametersAt = (path: string, method = 'get'): Parameter[] =>
  (document.paths[path]?.[method]?.parameters ?? []).map((parameter) =>
    resolveReference<Parameter>(document, parameter),
  )

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(openapiText))
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('refers only to components that it has, and has only components that are referred to', () => {
    const references = new Set(
      [...openapiText.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference]) => String(reference)),
    )
    for (const reference of references)
      expect(resolvePointer(document, reference), reference).toBeDefined()
    const { securitySchemes: _, ...components } = document.components
    for (const [kind, named] of Object.entries(components))
      for (const name of Object.keys(named))
        expect(references).toContain(`#/components/${kind}/${name}`)
  })

  test('names every operation once, with a tag that it describes', () => {
    const messages = Object.values(document.webhooks).map(({ post }) => post)
    const ids = [...operations, ...messages].map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const known = document.tags.map(({ name }) => name)
    for (const { operationId, tags } of operations)
      for (const tag of tags) expect(known, operationId).toContain(tag)
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(known))
  })

  test('gives every operation a verb phrase as its title, and describes it in sentences', () => {
    const verbs =
      /^(Aggregate|Check|Complete|Count|Create|Deactivate|Delete|Get|List|Pause|Reactivate|Receive|Replace|Replay|Resume|Revoke|Rotate|Send|Start|Update|Upgrade) [a-zA-Z]/
    const messages = Object.values(document.webhooks).map(({ post }) => post)
    const titles = new Set<string>()
    for (const { operationId, summary, description, tags, responses } of [
      ...operations,
      ...messages,
    ]) {
      expect(summary, operationId).toMatch(verbs)
      expect(summary, operationId).not.toMatch(/\.$/)
      // Two resources of different categories may have the same name.
      expect(titles, operationId).not.toContain(`${tags}: ${summary}`)
      titles.add(`${tags}: ${summary}`)
      expect(description, operationId).toMatch(/^[A-Z][\s\S]+\.$/)
      for (const response of Object.values(responses))
        expect(resolveReference(document, response).description, operationId).toMatch(
          /^[A-Z`][\s\S]+\.$/,
        )
    }
  })

  test('has exactly the routes of the server', () => {
    const server = Fastify({ exposeHeadRoutes: false })
    const routes: string[] = []
    server.addHook('onRoute', ({ method, url }) => {
      routes.push(`${String(method).toLowerCase()} ${url.replace(/:(\w+)/g, '{$1}')}`)
    })
    // The routes are only listed; no request is sent.
    const context = { catalogue } as ApiContext
    addRecordRoutes(server, context)
    addRecordWriteRoutes(server, context)
    addOperationRoutes(server, context, apiOperations)
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      [...routes, 'get /health', 'get /ready'].sort(),
    )
  })

  test('declares each path parameter, and each parameter once', () => {
    for (const { path, method } of operations) {
      const parameters = parametersAt(path, method)
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      const names = parameters.map((parameter) => parameter.name)
      expect(new Set(names).size, path).toBe(names.length)
    }
  })

  test('lists every error code, each with an example of its own status', () => {
    const { properties } = resolveReference<{
      properties: { error: { properties: { code: object } } }
    }>(document, { $ref: '#/components/schemas/Error' })
    expect(properties.error.properties.code).toMatchObject({ enum: Object.keys(errorCodes) })
    const fits = schemaCompiler(document)('components', 'schemas', 'Error')
    for (const { responses } of operations)
      for (const [status, response] of Object.entries(responses)) {
        if (status === '200') continue
        const { content } = resolveReference(document, response)
        const examples = Object.entries(content['application/json']?.examples ?? {})
        expect(examples.length).toBeGreaterThan(0)
        for (const [code, { value }] of examples) {
          expect(fits(value), JSON.stringify(fits.errors)).toBe(true)
          expect(errorCodes).toHaveProperty(`${code}.status`, Number(status))
        }
      }
  })
})

const compile = schemaCompiler(document)

describe.each(apiOperations.map((operation) => [operation.name, operation] as const))(
  'the operation %s',
  (name, { rest, body }) => {
    const path = rest.path.replace(/:(\w+)/g, '{$1}')
    const method = rest.method.toLowerCase()
    const place = ['paths', path, method]

    test('has examples of its input and its response that match their schemas', () => {
      const documented = document.paths[path]?.[method]
      expect(documented?.operationId).toBe(name)
      const media = ['content', 'application/json', 'schema']
      const acceptsResponse = compile(...place, 'responses', '200', ...media)
      const response = document.paths[path]?.[method]?.responses['200']
      const documentedMedia =
        response && resolveReference(document, response).content['application/json']
      expect(
        acceptsResponse(documentedMedia?.example),
        JSON.stringify(acceptsResponse.errors),
      ).toBe(true)
      if (body === undefined) return expect(documented?.requestBody).toBeUndefined()
      const acceptsInput = compile(...place, 'requestBody', ...media)
      const input = documented?.requestBody?.content['application/json']?.example
      expect(acceptsInput(input), JSON.stringify(acceptsInput.errors)).toBe(true)
    })
  },
)

const places = catalogue.resources.flatMap((resource) =>
  resourcePaths(resource).map((place) => {
    const path = place.path.replace(/:(\w+)/g, '{$1}')
    return { path, filled: place.parent, resource }
  }),
)

describe.each(places)('$path', ({ path, filled, resource }) => {
  const offered = [...filterParameters(resource).keys()].filter((name) => name !== filled)
  const queryOf = (at: string): string[] =>
    parametersAt(at)
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name)

  test('has the parameters that the server knows, by their exact names', () => {
    const filters = [...offered, 'includeDeleted']
    expect(queryOf(path).sort()).toEqual([...listParameters, ...filters].sort())
    const ofEach = ['credentialId', 'maxStalenessSeconds']
    expect(queryOf(`${path}/count`).sort()).toEqual([...ofEach, ...filters].sort())
    const others = aggregateParameters.filter(
      (name) => name !== 'measures' || measuredFields(resource).length > 0,
    )
    expect(queryOf(`${path}/aggregate`).sort()).toEqual([...others, ...filters].sort())
    expect(queryOf(`${path}/{id}`)).toEqual(ofEach)
  })

  test('has enumerations and bounds that the server accepts', () => {
    for (const { name, schema } of parametersAt(path)) {
      const parameter = filterParameters(resource).get(name)
      const values = [schema.enum, schema.minimum, schema.maximum, schema.default]
        .flat()
        .filter((value) => value !== undefined)
      for (const value of values)
        if (parameter) expect(() => parseFilterValue(parameter, String(value))).not.toThrow()
        else if (name === 'orderBy') parseOrder(resource, String(value))
        else if (name === 'pageSize' || name === 'pageNumber')
          parsePage(resource, parseOrder(resource, undefined), { [name]: String(value) })
    }
  })
})

describe.each(catalogue.resources.map((resource) => [resource.typeName, resource] as const))(
  '%s',
  (typeName, resource) => {
    const fits = compile('components', 'schemas', typeName)
    const [example] = resolveReference<{ examples: Record<string, unknown>[] }>(document, {
      $ref: `#/components/schemas/${typeName}`,
    }).examples

    test('has an example that is valid', () => {
      expect(fits(example), JSON.stringify(fits.errors)).toBe(true)
      expect(JSON.stringify(example)).not.toMatch(/:"Example"|:\["example"\]/)
    })

    test('allows no additional properties, and null only where a value may be null', () => {
      expect(fits({ ...example, other: 1 })).toBe(false)
      const never = ['id', 'remoteId', 'remoteDeleted', 'createdAt', 'updatedAt']
      for (const name of ['id', ...Object.keys(resource.allFields)]) {
        const { [name]: value, ...rest } = example ?? {}
        expect(fits(rest), `without ${name}`).toBe(false)
        expect(fits({ ...example, [name]: null }), `${name}: null`).toBe(
          !never.includes(name) && !Array.isArray(value),
        )
      }
    })
  },
)
