/**
 * The request budget of a credential over the API, and a rate limit that one process receives and another
 * honours.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Connector } from '../../src/definition/connector.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { callOver, transports } from '../support/operations.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { openServer, startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

let service: TestService
let other: Awaited<ReturnType<typeof openServer>>
let tenant: Tenant
let limited: Connector
let unlimited: Connector
/** The paths of the requests to the app. */
const requests: string[] = []
const app = createServer((request, response) => {
  requests.push(request.url ?? '')
  const isRefused = request.url === '/refused'
  response.writeHead(isRefused ? 429 : 200, isRefused ? { 'retry-after': '60' } : {})
  response.end('[]')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const { port } = app.address() as AddressInfo
  const base = defineRolodexConnector(`http://127.0.0.1:${port}`)
  unlimited = { ...base, app: 'unlimited' }
  limited = {
    ...base,
    limits: {
      windows: [
        { name: 'perDay', scope: 'credential', unit: 'requests', max: 2, per: 'day' },
        { name: 'ofApp', scope: 'app', unit: 'points', max: 100, per: 'month' },
      ],
      concurrency: { scope: 'app', max: 3 },
      cost: () => 7,
    },
  }
  const connectors = new Map([unlimited, limited].map((connector) => [connector.app, connector]))
  const options = { connectors, allowPrivateAddresses: true }
  service = await startService(options)
  other = await openServer(service.url, options)
  tenant = await service.createTenant('development', [])
})
afterAll(async () => {
  await other.stop()
  await service.stop()
  app.closeAllConnections()
  app.close()
})

const connect = (connector: Connector): Promise<string> => {
  const { environmentId, userId } = tenant
  const credential = { environmentId, userId, connector, values: {} }
  return createCredential(service.database, testVault, credential)
}

const pass = (server: Pick<TestService, 'server'>, credentialId: string, endpoint: string) =>
  server.server.inject({
    method: 'POST',
    url: `/2024-03/passthrough?credentialId=${credentialId}`,
    headers: { authorization: `Bearer ${tenant.key}` },
    payload: { method: 'GET', endpoint },
  })

describe.each(transports)('over %s', (transport) => {
  const budgetOf = async (credentialId: string, key = tenant.key) => {
    const call = callOver(service, transport)
    const response = await call(key, 'credentialBudget', { userId: tenant.userId, credentialId })
    expect(response, response.message).toMatchObject({ status: 200 })
    return response.result
  }

  test('the budget names each limit, the remaining amount and the purposes that used it', async () => {
    const credentialId = await connect(limited)
    const fresh = await budgetOf(credentialId)
    expect(fresh).toMatchObject({ pausedUntil: null, inFlight: 0, maxInFlight: 3 })
    expect(fresh.limits[0]).toEqual({
      name: 'perDay',
      scope: 'credential',
      unit: 'requests',
      max: 2,
      periodSeconds: 86_400,
      spent: 0,
      remaining: 2,
      resetsAt: null,
      spentOn: { write: 0, webhook: 0, changes: 0, history: 0, other: 0 },
    })
    const before = fresh.limits[1].spent
    for (const endpoint of ['/one', '/two'])
      expect((await pass(service, credentialId, endpoint)).statusCode).toBe(200)
    const { limits } = await budgetOf(credentialId)
    expect(limits[0]).toMatchObject({ spent: 2, remaining: 0, spentOn: { write: 2, changes: 0 } })
    const inMs = Date.parse(limits[0].resetsAt) - service.clock.nowMs()
    expect(inMs).toBeGreaterThan(24 * 3_600_000)
    expect(inMs).toBeLessThan(26 * 3_600_000)
    expect(limits[1]).toMatchObject({ name: 'ofApp', unit: 'points', spent: before + 14, max: 100 })

    // The day is used up: nothing is sent.
    const sent = requests.length
    const refused = await pass(other, credentialId, '/three')
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'APP_RATE_LIMITED'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000)
    expect(requests.length).toBe(sent)
  })

  test('an end user does not see limits that count the requests of others', async () => {
    const credentialId = await connect(limited)
    const { token } = await service.tokens.issue(tenant)
    const { limits, maxInFlight } = await budgetOf(credentialId, token)
    expect(limits.map(({ name }: { name: string }) => name)).toEqual(['perDay'])
    expect(maxInFlight).toBeNull()
  })
})

test('a rate limit of an app without limits holds back every process, without a statement per request', async () => {
  const credentialId = await connect(unlimited)
  const before = await pass(other, credentialId, '/one')
  expect(before.statusCode).toBe(200)
  service.takeStatements()
  expect((await pass(service, credentialId, '/one')).statusCode).toBe(200)
  expect(service.takeStatements().filter((sql) => sql.includes('request_budgets'))).toEqual([])

  expect((await pass(service, credentialId, '/refused')).json().status).toBe(429)
  const statements = service.takeStatements().filter((sql) => sql.includes('request_budgets'))
  expect(statements).toHaveLength(1)
  // The other process is notified.
  await expect
    .poll(async () => {
      const sent = requests.length
      const { statusCode, headers } = await pass(other, credentialId, '/after')
      return {
        statusCode,
        sent: requests.length - sent,
        waits: Number(headers['retry-after']) > 50,
      }
    })
    .toEqual({ statusCode: 429, sent: 0, waits: true })
  const path = `/2024-03/users/${tenant.userId}/credentials/${credentialId}/budget`
  const { budget } = (await service.send(tenant.key, 'GET', path)).json()
  expect(budget.limits).toEqual([])
  expect(Date.parse(budget.pausedUntil) - service.clock.nowMs()).toBeGreaterThan(50_000)

  // A process that starts later reads the pause.
  const later = await openServer(service.url, {
    connectors: new Map([['unlimited', unlimited]]),
    allowPrivateAddresses: true,
  })
  await expect.poll(async () => (await pass(later, credentialId, '/later')).statusCode).toBe(429)
  await later.stop()
})
