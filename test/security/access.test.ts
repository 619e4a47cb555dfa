/** API keys: which requests are authenticated and which are rejected. */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateApiKey, hashApiKey } from '../../src/store/accounts/api-key.ts'
import { createKey, revokeKey } from '../support/keys.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

const createTenantKey = () => createKey(service.database, tenant.environmentId)

const requests = {
  REST: {
    method: 'GET',
    url: `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`,
  },
  GraphQL: {
    method: 'POST',
    url: '/graphql',
    payload: { query: `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { id } } }` },
  },
  'GraphQL in the address': {
    method: 'GET',
    url: `/graphql?query=${encodeURIComponent('{ __typename }')}`,
  },
} as const

/** Sends the request with this header. @returns the status, and the code if it is rejected */
const send = async (
  name: keyof typeof requests,
  authorization: string | undefined,
  server: FastifyInstance = service.server,
) => {
  const response = await server.inject({
    ...requests[name],
    headers: authorization === undefined ? {} : { authorization },
  })
  const { error, errors, data } = response.json()
  return {
    status: response.statusCode,
    code: error?.code ?? errors?.[0]?.extensions.code,
    requestIds: [
      response.headers['x-request-id'],
      error?.requestId ?? errors?.[0]?.extensions.requestId,
    ],
    challenge: response.headers['www-authenticate'],
    data,
  }
}

const REFUSED = { status: 401, code: 'UNAUTHENTICATED' }

describe.each(Object.keys(requests) as (keyof typeof requests)[])('%s', (name) => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('accepts a key after %s', async (scheme) => {
    expect(await send(name, `${scheme} ${tenant.key}`)).toMatchObject({ status: 200 })
    expect(await send(name, `${scheme}   ${tenant.key} `)).toMatchObject({ status: 200 })
  })

  test('rejects a request without a key and says how to send one', async () => {
    const response = await send(name, undefined)
    expect(response).toMatchObject({ ...REFUSED, challenge: 'Bearer', data: undefined })
    expect(response.requestIds[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.requestIds[1]).toBe(response.requestIds[0])
  })

  test('rejects every header that is not an environment’s key', async () => {
    const { key } = tenant
    const digits = key.slice('tl_dev_'.length)
    const headers = [
      '',
      'Bearer',
      'Bearer ',
      key,
      `Basic ${key}`,
      `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      `Token ${key}`,
      `Bearer${key}`,
      `Bearer:${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer "${key}"`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}0`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer tl_prod_${digits}`,
      `Bearer ${digits}`,
      `Bearer ${key.slice(0, 16)}`,
      `Bearer ${hashApiKey(key)}`,
      `Bearer tl_dev_${hashApiKey(key).slice(0, 48)}`,
      `Bearer ${generateApiKey('development')}`,
      `Bearer ${generateApiKey('production')}`,
      `Bearer ' OR '1'='1`,
      'Bearer null',
      'Bearer undefined',
      `Bearer ${'a'.repeat(8000)}`,
      'Bearer \u00e9\u00ff',
    ]
    for (const header of headers)
      expect(await send(name, header), header).toMatchObject({ ...REFUSED, data: undefined })
  })

  test('rejects a key as soon as it is revoked', async () => {
    for (let round = 0; round < 20; round++) {
      const key = await createTenantKey()
      expect(await send(name, `Bearer ${key}`)).toMatchObject({ status: 200 })
      expect(await revokeKey(service, key)).toBe(true)
      expect(await send(name, `Bearer ${key}`), `round ${round}`).toMatchObject(REFUSED)
      expect(await revokeKey(service, key)).toBe(false)
    }
    expect(await send(name, `Bearer ${tenant.key}`)).toMatchObject({ status: 200 })
  })
})

describe('with GraphiQL', () => {
  let open: TestService
  beforeAll(async () => {
    open = await startService({ graphiql: true })
  })
  afterAll(() => open.stop())

  test('the schema, and nothing else, can be read without a key', async () => {
    const schema = await open.graphql(undefined, '{ __schema { queryType { name } } }')
    expect(schema).toMatchObject({
      status: 200,
      data: { __schema: { queryType: { name: 'Query' } } },
    })
    for (const query of [
      `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { id } } }`,
      `{ __schema { queryType { name } } crmAccounts(credentialId: "${CREDENTIAL}") { nodes { id } } }`,
      `{ __typename node(id: "${CREDENTIAL}") { id } }`,
      `query A { __typename } query B { node(id: "${CREDENTIAL}") { id } }`,
      `fragment F on Query { node(id: "${CREDENTIAL}") { id } } { ...F }`,
      `{ ... { node(id: "${CREDENTIAL}") { id } } }`,
      `{ __alias: node(id: "${CREDENTIAL}") { id } }`,
    ]) {
      const response = await open.graphql(undefined, query)
      expect(response.data ?? undefined, query).toBe(undefined)
      expect(response.status, query).toBeGreaterThanOrEqual(400)
    }
  })

  test('rejects a wrong key even for the schema', async () => {
    const { status, errors } = await open.graphql(
      generateApiKey('development'),
      '{ __schema { queryType { name } } }',
    )
    expect([status, errors[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('without GraphiQL a request without a key reads nothing', async () => {
    const { status, data } = await service.graphql(undefined, '{ __schema { queryType { name } } }')
    expect([status, data]).toEqual([401, undefined])
  })
})
