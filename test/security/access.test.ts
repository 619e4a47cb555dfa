/** Keys: who is let in and who is not. */
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateApiKey, hashApiKey } from '../../src/api-key.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { revokeKey } from '../support/revoke-key.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

const newKey = async (): Promise<string> => {
  const key = generateApiKey('development')
  await saveApiKey(service.database, tenant.environmentId, key)
  return key
}

const questions = {
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

/** The status of a question with this header, and the code where it is refused. */
const ask = async (
  question: keyof typeof questions,
  authorization: string | undefined,
  server: FastifyInstance = service.server,
) => {
  const answer = await server.inject({
    ...questions[question],
    headers: authorization === undefined ? {} : { authorization },
  })
  const { error, errors, data } = answer.json()
  return {
    status: answer.statusCode,
    code: error?.code ?? errors?.[0]?.extensions.code,
    requestIds: [
      answer.headers['x-request-id'],
      error?.requestId ?? errors?.[0]?.extensions.requestId,
    ],
    challenge: answer.headers['www-authenticate'],
    data,
  }
}

const REFUSED = { status: 401, code: 'UNAUTHENTICATED' }

describe.each(Object.keys(questions) as (keyof typeof questions)[])('%s', (question) => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('lets in a key after %s', async (scheme) => {
    expect(await ask(question, `${scheme} ${tenant.key}`)).toMatchObject({ status: 200 })
    expect(await ask(question, `${scheme}   ${tenant.key} `)).toMatchObject({ status: 200 })
  })

  test('refuses without a key, and says how to send one', async () => {
    const answer = await ask(question, undefined)
    expect(answer).toMatchObject({ ...REFUSED, challenge: 'Bearer', data: undefined })
    expect(answer.requestIds[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.requestIds[1]).toBe(answer.requestIds[0])
  })

  test('refuses every header that is not the key of an environment', async () => {
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
      expect(await ask(question, header), header).toMatchObject({ ...REFUSED, data: undefined })
  })

  test('refuses a key from the moment that it is revoked', async () => {
    for (let round = 0; round < 20; round++) {
      const key = await newKey()
      expect(await ask(question, `Bearer ${key}`)).toMatchObject({ status: 200 })
      expect(await revokeKey(service, key)).toBe(true)
      expect(await ask(question, `Bearer ${key}`), `round ${round}`).toMatchObject(REFUSED)
      expect(await revokeKey(service, key)).toBe(false)
    }
    expect(await ask(question, `Bearer ${tenant.key}`)).toMatchObject({ status: 200 })
  })
})

describe('with GraphiQL', () => {
  let open: TestService
  beforeAll(async () => {
    open = await startService({ graphiql: true })
  })
  afterAll(() => open.stop())

  test('the schema can be read without a key, and nothing else', async () => {
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
      const answer = await open.graphql(undefined, query)
      expect(answer.data ?? undefined, query).toBe(undefined)
      expect(answer.status, query).toBeGreaterThanOrEqual(400)
    }
  })

  test('a wrong key is refused even for the schema', async () => {
    const { status, errors } = await open.graphql(
      generateApiKey('development'),
      '{ __schema { queryType { name } } }',
    )
    expect([status, errors[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('without it nothing is shown to who has no key', async () => {
    const { status, data } = await service.graphql(undefined, '{ __schema { queryType { name } } }')
    expect([status, data]).toEqual([401, undefined])
  })
})
