/** A new credential is checked against its app once before it is stored, outside of any transaction. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defineFakeConnector, type FakeApp, type Fault, startFakeApp } from '../support/fake-app.ts'
import { callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let app: FakeApp
let service: TestService
let tenant: Tenant

beforeAll(async () => {
  app = await startFakeApp()
  service = await startService({
    connectors: new Map([['fake', defineFakeConnector()]]),
    allowPrivateAddresses: true,
  })
  tenant = await service.createTenant('development', [])
})
afterAll(async () => {
  await service.stop()
  await app.stop()
})
beforeEach(() => {
  app.requests.length = 0
})

const credentialInput = (values: object = {}) => ({
  userId: tenant.userId,
  app: 'fake',
  credential: { url: app.url, token: app.settings.token, ...values },
})
const count = () => service.database.prisma.credential.count()

describe.each(transports)('over %s', (transport) => {
  const connect = (input: Record<string, unknown>) =>
    callOver(service, transport)(tenant.key, 'createCredential', input)

  test.each<[string, Fault]>([
    ['is down', { kind: 'status', status: 503 }],
    ['limits its rate', { kind: 'status', status: 429 }],
    ['resets the connection', { kind: 'reset' }],
  ])(
    'an app that %s is connected anyway after one attempt; the sync reports the problem',
    async (_what, fault) => {
      const before = await count()
      app.faults.push(fault)
      expect(await connect(credentialInput())).toMatchObject({ status: 200 })
      expect(app.requests.map(({ path }) => path)).toEqual(['/api/accounts'])
      expect(await count()).toBe(before + 1)
    },
  )

  test('an app that rejects the credential is not connected, and its message is passed on without the secret', async () => {
    const before = await count()
    const refused = await connect(credentialInput({ token: 'not-it' }))
    expect(refused).toMatchObject({
      status: 400,
      code: 'APP_AUTHENTICATION',
      fields: ['credential'],
    })
    expect(refused.message).toContain('Refused [redacted]')
    expect(refused.message).not.toContain('not-it')
    expect(await count()).toBe(before)
  })

  test('errors in the request itself are reported first, without a call to the app', async () => {
    const userId = '99999999-0000-4000-8000-000000000009'
    expect(await connect({ ...credentialInput(), userId })).toMatchObject({
      code: 'USER_NOT_FOUND',
    })
    expect(await connect(credentialInput({ token: 7 }))).toMatchObject({
      code: 'INVALID_PARAMETER',
    })
    expect(app.requests).toEqual([])
  })
})

test('a repeated request gets the same response without another call to the app', async () => {
  const countOpen = async () => {
    const [row] = await service.database.prisma.$queryRaw<{ count: number }[]>`
      SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
    return row?.count
  }
  let transactions: number | undefined
  app.settings.onPage = async () => {
    transactions = await countOpen()
  }
  const url = '/2024-03/headless/credentials'
  const headers = { 'idempotency-key': 'once' }
  const send = () => service.send(tenant.key, 'POST', url, credentialInput(), headers)
  const first = await send()
  expect(first.statusCode, first.body).toBe(200)
  const second = await send()
  expect([second.body, second.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
  expect(app.requests).toHaveLength(1)
  // The app may be slow, so no transaction waits for it.
  expect(transactions).toBe(0)
})
