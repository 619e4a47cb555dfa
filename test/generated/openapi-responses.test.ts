/** The server's responses match the OpenAPI document: every operation, with full and empty records. */
import { describe, expect, test } from 'vitest'
import { resourcePaths } from '../../src/api/rest/paths.ts'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import {
  aggregateFunctions,
  groupKeys,
  MAX_GROUP_KEYS,
  measuredFields,
} from '../../src/query/aggregate.ts'
import {
  type OpenApiDocument,
  openapiText,
  resolveReference,
  schemaCompiler,
} from '../support/openapi.ts'
import { sampleRecord } from '../support/sample.ts'
import { CREDENTIAL, shareServiceWithRecords } from '../support/service-with-records.ts'

// openapi.test.ts proves that the document has this type.
const document = JSON.parse(openapiText) as OpenApiDocument
const compile = schemaCompiler(document)

const harness = shareServiceWithRecords(4)

/** Sends a GET and checks the response against the operation that documents it. */
const check = async (path: string, address: string, status: number, query = '') => {
  const credential = `credentialId=${CREDENTIAL}`
  const response = await harness.service.server.inject({
    url: `${address}?${[credential, query].filter(Boolean).join('&')}`,
    headers: { authorization: `Bearer ${harness.tenant.key}` },
  })
  expect(response.statusCode, response.body).toBe(status)
  const input = document.paths[path]?.get?.responses[status]
  if (input === undefined) throw new Error(`${path} does not document ${status}.`)
  const steps =
    '$ref' in input
      ? input.$ref.split('/').slice(1)
      : ['paths', path, 'get', 'responses', String(status)]
  const fits = compile(...steps, 'content', 'application/json', 'schema')
  expect(fits(response.json()), JSON.stringify(fits.errors?.slice(0, 3))).toBe(true)
  const documented = Object.keys(resolveReference(document, input).headers).map((name) =>
    name.toLowerCase(),
  )
  expect(documented).toContain('x-request-id')
  for (const name of ['x-request-id', 'link', 'next-cursor'])
    if (name in response.headers) expect(documented).toContain(name)
  return response
}

const places = catalogue.resources.flatMap((resource) =>
  resourcePaths(resource).map(({ path, parent }) => ({
    path: path.replace(/:(\w+)/g, '{$1}'),
    address: parent === undefined ? path : path.replace(`:${parent}`, '2'),
    resource,
  })),
)

describe.each(places)('$path', ({ path, address, resource }) => {
  test('lists, counts and gets records as documented', async () => {
    const list = await check(path, address, 200)
    expect(list.json()[resource.plural].length).toBeGreaterThan(0)
    await check(`${path}/count`, `${address}/count`, 200)
    const measures = aggregateFunctions.flatMap((of) =>
      measuredFields(resource).map((field) => `${of}.${field}`),
    )
    const keys = [...groupKeys(resource).keys()]
    for (let at = 0; at < keys.length; at += MAX_GROUP_KEYS) {
      const groupBy = keys.slice(at, at + MAX_GROUP_KEYS)
      const query =
        measures.length > 0 ? `groupBy=${groupBy}&measures=${measures}` : `groupBy=${groupBy}`
      const { groups } = (
        await check(`${path}/aggregate`, `${address}/aggregate`, 200, query)
      ).json()
      expect(groups.length).toBeGreaterThan(0)
      expect(Object.keys(groups[0].key)).toEqual(groupBy)
    }
    await check(`${path}/{id}`, `${address}/2`, 200)
    if (path === address) {
      const more = await check(path, address, 200, 'pageSize=1')
      expect(more.headers).toHaveProperty('next-cursor')
    }
  })

  test('fails as documented', async () => {
    await check(path, address, 400, 'pageSize=101')
    await check(`${path}/count`, `${address}/count`, 400, 'other=1')
    await check(`${path}/aggregate`, `${address}/aggregate`, 400, 'groupBy=other')
    await check(`${path}/{id}`, `${address}/none`, 404)
  })
})

test('an embedded reference is null while its record has not arrived', async () => {
  const contacts = catalogue.get('crm/contacts')
  const account = recordId(CREDENTIAL, 'crm/accounts', 'elsewhere')
  await harness.service.save(harness.tenant, CREDENTIAL, contacts, [
    { ...sampleRecord(CREDENTIAL, contacts, 5), account },
  ])
  const path = '/2024-03/one/crm/contacts'
  const response = await check(`${path}/{id}`, `${path}/5`, 200)
  expect(response.json().contact.account).toBeNull()
})

test('the health check responds as documented', async () => {
  for (const path of ['/health', '/ready']) {
    const response = await harness.service.server.inject(path)
    const fits = compile(
      'paths',
      path,
      'get',
      'responses',
      '200',
      'content',
      'application/json',
      'schema',
    )
    expect(fits(response.json())).toBe(true)
  }
})
