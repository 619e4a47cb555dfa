/** Section 5 of the contract: keys, environments and user tokens. */
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'

let service: TestService
let development: Tenant
let production: Tenant
beforeAll(async () => {
  service = await startService()
  development = await service.createTenant('development', [A])
  production = await service.createTenant('production', [B])
  const vendors = catalogue.get('accounting/vendors')
  for (const [tenant, credentialId] of [
    [development, A],
    [production, B],
  ] as const)
    await service.save(tenant, credentialId, vendors, [sampleRecord(credentialId, vendors, 1)])
})
afterAll(() => service.stop())

const request = (authorization: string | undefined, url: string) =>
  service.server.inject({ url, ...(authorization && { headers: { authorization } }) })
const vendorsOf = (credentialId: string) =>
  `/2024-03/one/accounting/vendors?credentialId=${credentialId}`

test.each(['Bearer', 'bearer', 'BEARER'])(
  '5.1.1 and 5.1.2 the scheme may be written %s',
  async (word) => {
    for (const url of [vendorsOf(A), '/2024-03/one/users', '/2024-03/one/webhooks'])
      expect((await request(`${word} ${development.key}`, url)).statusCode).toBe(200)
    const graph = await service.server.inject({
      method: 'POST',
      url: '/graphql',
      payload: { query: '{ users { nodes { userId } } }' },
      headers: { authorization: `${word} ${development.key}` },
    })
    expect(graph.json().errors).toBeUndefined()
  },
)

test('5.1.1 only a key as a bearer token is accepted', async () => {
  const { key } = development
  for (const input of [undefined, key, `Basic ${key}`, 'Bearer', `Bearer ${key.slice(0, -1)}`])
    expect((await request(input, '/2024-03/one/users')).statusCode, input).toBe(401)
})

test('5.2.1 there are development and production keys', () => {
  expect(development.key).toMatch(/^tl_dev_/)
  expect(production.key).toMatch(/^tl_prod_/)
})

test('5.2.2 both kinds have the same abilities', async () => {
  for (const { key } of [development, production]) {
    const username = 'same-in-both'
    const created = await service.send(key, 'POST', '/2023-12/users', { username })
    expect(created.statusCode, created.body).toBe(200)
    const { userId } = created.json()
    const token = await service.send(key, 'GET', `/2023-12/user/${userId}/token`)
    expect(token.statusCode).toBe(200)
  }
  expect((await request(`Bearer ${production.key}`, vendorsOf(B))).json().vendors).toHaveLength(1)
})

test('5.2.2 users, tokens and records of one environment do not exist in the other', async () => {
  const created = await service.send(development.key, 'POST', '/2023-12/users', {
    username: 'mine',
  })
  const { userId } = created.json()
  const users = await service.send(production.key, 'GET', '/2024-03/one/users')
  const ids = users.json().data.map((user: { userId: string }) => user.userId)
  expect(ids).not.toContain(userId)
  for (const [key, url] of [
    [production.key, `/2023-12/user/${userId}/token`],
    [production.key, vendorsOf(A)],
    [development.key, vendorsOf(B)],
  ] as const)
    expect((await service.send(key, 'GET', url)).statusCode, url).toBe(404)
  const { errors } = await service.graphql(
    production.key,
    `{ accountingVendors(credentialId: "${A}") { totalCount } }`,
  )
  expect(errors[0]?.extensions.code).toBe('CREDENTIAL_NOT_FOUND')
})

test('5.3.2 a key is shown once, when it is created', async () => {
  const { key } = await service.createTenant('production', [], 'Shown once')
  const created = (await service.send(key, 'POST', '/2024-03/api-keys')).json().data
  const list = await service.send(key, 'GET', '/2024-03/api-keys')
  expect(list.json().data).toHaveLength(2)
  expect(list.body).not.toContain(created.key)
})

test('5.3.3 a regenerated key replaces the previous one', async () => {
  const { key } = await service.createTenant('production', [], 'Regenerated')
  const created = await service.send(key, 'POST', '/2024-03/api-keys/regenerate')
  const { key: next } = created.json().data
  expect(next).not.toBe(key)
  expect((await service.send(next, 'GET', '/2024-03/one/users')).statusCode).toBe(200)
  await vi.waitFor(async () => {
    expect((await service.send(key, 'GET', '/2024-03/one/users')).statusCode).toBe(401)
  })
})

test('5.5.1 and 5.5.2 the token is a JWT of one user, whose integrations it lists', async () => {
  const url = `/2023-12/user/${development.userId}/token`
  const { token } = (await service.send(development.key, 'GET', url)).json()
  expect(decodeJwt(token).sub).toBe(development.userId)
  expect((await service.send(token, 'GET', '/2024-03/integrations')).statusCode).toBe(200)
  const { userId: other } = (
    await service.send(development.key, 'POST', '/2023-12/users', { username: 'another' })
  ).json()
  const others = await service.send(token, 'GET', `/2024-03/integrations?userId=${other}`)
  expect(others.statusCode).toBe(404)
})

test('5.4.1 a user’s token does not open operations for the backend', async () => {
  const { token } = await service.tokens.issue(development)
  for (const url of [
    vendorsOf(A),
    '/2024-03/one/users',
    '/2024-03/one/webhooks',
    '/2024-03/api-keys',
    `/2023-12/user/${development.userId}/token`,
  ])
    expect((await service.send(token, 'GET', url)).statusCode, url).toBe(403)
})

test('5.6.1 without the end user neither a token nor a credential is created', async () => {
  const userId = '99999999-0000-4000-8000-000000000009'
  const token = await service.send(development.key, 'GET', `/2023-12/user/${userId}/token`)
  expect(token.statusCode).toBe(404)
  const connected = await service.send(development.key, 'POST', '/2024-03/headless/credentials', {
    userId,
    app: 'sandbox',
    credential: { tenant: 'acme', token: 'x' },
  })
  expect([connected.statusCode, connected.json().error.code]).toEqual([404, 'USER_NOT_FOUND'])
})

test('5.7.2 one static outbound address is published, with the requirements of each app', async () => {
  const { token } = await service.tokens.issue(development)
  for (const caller of [development.key, token]) {
    const { data } = (await service.send(caller, 'GET', '/2024-03/metadata/credentials')).json()
    const addresses = data.map((app: { outboundAddress: string }) => app.outboundAddress)
    expect(new Set(addresses)).toEqual(new Set(['203.0.113.7']))
  }
})
