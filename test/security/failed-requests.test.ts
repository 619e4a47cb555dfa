/** The log of failed requests: the error, and who sent the request. */
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { subscribe } from '../delivery/subscription-harness.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const UNKNOWN = 'bbbbbbbb-0000-4000-8000-000000000002'

type Line = Readonly<Record<string, unknown>>
const lines: Line[] = []
let service: TestService
let tenant: Tenant
let keyId: string

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(JSON.parse(line)) })
  service = await startService({ log })
  tenant = await service.createTenant('development', [CREDENTIAL])
  keyId = (await service.database.prisma.apiKey.findFirstOrThrow()).id
})
afterAll(() => service.stop())
beforeEach(() => {
  lines.length = 0
})

const linesOf = (message: string): readonly Line[] => lines.filter(({ msg }) => msg === message)

test('a rejected request is logged with its code, key, credential and address', async () => {
  await service.rest(tenant.key, `/crm/accounts?credentialId=${CREDENTIAL}&nothing=1`)
  const sender = { keyId, credentialId: CREDENTIAL, address: '127.0.0.1' }
  expect(linesOf('request')).toEqual([
    expect.objectContaining({ status: 400, code: 'INVALID_PARAMETER', ...sender }),
  ])
})

test('a request of an end user is logged with the id of the user', async () => {
  const { token } = await service.tokens.issue(tenant)
  await service.rest(token, `/crm/accounts?credentialId=${CREDENTIAL}`)
  const [line] = linesOf('request')
  expect(line).toMatchObject({ code: 'FORBIDDEN', userId: tenant.userId })
  expect(line).not.toHaveProperty('keyId')
})

test('a successful request is logged without code, key, credential and address', async () => {
  await service.rest(tenant.key, `/crm/accounts?credentialId=${CREDENTIAL}`)
  const [line] = linesOf('request')
  expect(line).toMatchObject({ status: 200 })
  for (const name of ['code', 'keyId', 'credentialId', 'address'])
    expect(line).not.toHaveProperty(name)
})

test('text that is not an id is not logged as the credential', async () => {
  await service.rest(tenant.key, `/crm/accounts?credentialId=${tenant.key}`)
  const [line] = linesOf('request')
  expect(line).toMatchObject({ code: 'CREDENTIAL_NOT_FOUND', keyId })
  expect(JSON.stringify(lines)).not.toContain(tenant.key.slice(8))
})

test('a failed GraphQL request is logged with the code, although its status may be 200', async () => {
  const query = `{ crmAccounts(credentialId: "${UNKNOWN}") { nodes { id } } }`
  await service.graphql(tenant.key, query)
  expect(linesOf('request')).toEqual([
    expect.objectContaining({ code: 'CREDENTIAL_NOT_FOUND', keyId, credentialId: UNKNOWN }),
  ])
})

test('a mutation with user errors is logged with their code', async () => {
  const query = `mutation {
    createCrmContact(credentialId: "${CREDENTIAL}", input: { lastName: "" }) {
      contact { id }
      userErrors { code }
    }
  }`
  const { data, errors } = await service.graphql(tenant.key, query)
  expect(errors).toEqual([])
  const [{ code }] = data.createCrmContact.userErrors
  expect(linesOf('request')).toEqual([
    expect.objectContaining({ status: 200, code, keyId, credentialId: CREDENTIAL }),
  ])
})

test('a request without a key is logged with its address', async () => {
  await service.rest(undefined, '/crm/accounts')
  const [line] = linesOf('request')
  expect(line).toMatchObject({ code: 'UNAUTHENTICATED', address: '127.0.0.1' })
  expect(line).not.toHaveProperty('keyId')
})

test('a rejected subscription over a WebSocket is logged with its sender', async () => {
  const address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  const url = `${address}/graphql`
  const query = `subscription { crmAccounts(credentialId: "${UNKNOWN}") { cursor } }`
  const rejected = subscribe('WebSocket', { url, key: tenant.key, query })
  await rejected.ended.catch(() => {})
  await vi.waitFor(() => expect(linesOf('subscription failed')).not.toEqual([]))
  expect(linesOf('subscription failed')).toEqual([
    expect.objectContaining({
      code: 'CREDENTIAL_NOT_FOUND',
      keyId,
      credentialId: UNKNOWN,
      address: '127.0.0.1',
    }),
  ])
})
