/** The port for operators: health, readiness and metrics, and the dashboard and alerts that use them. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTrunkline, type TrunklineProcess } from '../../src/main.ts'
import { readConfig } from '../../src/process/config.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { type Receiver, startReceiver, status } from '../delivery/receiver.ts'
import { subscribe } from '../delivery/subscription-harness.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { TEST_KEYS } from '../support/vault.ts'

const key = generateApiKey('development')
let database: TestDatabase
let way: DatabaseProxy
let receiver: Receiver
let trunkline: TrunklineProcess

const configOf = (variables: Readonly<Record<string, string>>) =>
  readConfig({
    DATABASE_URL: way.url,
    TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
    TRUNKLINE_DEV_API_KEY: key,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    PORT: '0',
    LOG_LEVEL: 'silent',
    SYNC_INTERVAL_SECONDS: '1',
    ...variables,
  })

beforeAll(async () => {
  database = await createTestDatabase()
  way = await openDatabaseProxy(database.url)
  receiver = await startReceiver()
  trunkline = await startTrunkline(configOf({ OPERATOR_PORT: '0' }))
})
afterAll(async () => {
  await trunkline.stop()
  await receiver.stop()
  await way.close()
  await database.drop()
})

const request = async (path: string, body?: object): Promise<Response> =>
  fetch(`${trunkline.address}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })

const fetchFromOperatorPort = (path: string): Promise<Response> =>
  fetch(`${trunkline.operatorAddress}${path}`)
const scrape = async (): Promise<string> => (await fetchFromOperatorPort('/metrics')).text()

/** The value of a series; undefined: the scrape does not contain it. */
const sampleOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((other) => other.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** Requests of every kind that is measured. */
const causeTraffic = async () => {
  const { data: users } = await (await request('/2024-03/one/users')).json()
  const path = `/2024-03/users/${users[0].userId}/credentials`
  const { data: credentials } = await (await request(path)).json()
  const credentialId = String(credentials[0].credentialId)
  await request(`/2024-03/one/crm/contacts?credentialId=${credentialId}`)
  await request(`/2024-03/one/crm/contacts/unknown-contact?credentialId=${credentialId}`)
  await request('/2024-03/never/heard/of')
  const first = `crmContacts(credentialId: "${credentialId}") { totalCount }`
  await request('/graphql', { query: `query ChosenName { alias: ${first} }` })
  await request('/graphql', { query: `{ a: ${first} b: ${first} }` })
  await request('/graphql', { query: '{ crmContacts(credentialId: "x") { totalCount } }' })
  await request('/graphql', { query: '{ nothing }' })
  const createTaken = 'createUser(input: { username: "taken" }) { userErrors { code } }'
  for (const _again of [1, 2]) await request('/graphql', { query: `mutation { ${createTaken} }` })
  await request('/2024-03/one/webhooks', {
    address: `${receiver.origin}/metrics`,
    topic: ['crm/contacts'],
  })
  const query = 'subscription { crmContacts { cursor } }'
  const url = `${trunkline.address}/graphql`
  const subscribed = subscribe('WebSocket', { url, key, query })
  await expect.poll(async () => sampleOf(await scrape(), 'trunkline_subscribers')).toBe(1)
  await request(`/2024-03/one/crm/contacts?credentialId=${credentialId}`, { lastName: 'Noether' })
  await expect.poll(() => receiver.at('/metrics').length, { timeout: 60_000 }).toBeGreaterThan(0)
  subscribed.stop()
  return { credentialId, userId: String(users[0].userId) }
}

/** The metric names in expressions of PromQL. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(text.match(/\btrunkline_[a-z0-9_]+/g))

test('health and readiness are served', async () => {
  expect((await fetchFromOperatorPort('/health')).status).toBe(200)
  const ready = await fetchFromOperatorPort('/ready')
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
  expect((await fetchFromOperatorPort('/other')).status).toBe(404)
  expect((await fetch(`${trunkline.operatorAddress}/metrics`, { method: 'POST' })).status).toBe(405)
})

test('traffic is measured by route pattern and root field, and no label names a tenant', async () => {
  const { credentialId, userId } = await causeTraffic()
  const text = await scrape()
  const countRequests = (labels: string) =>
    sampleOf(text, `trunkline_http_requests_total{${labels}}`)
  expect(countRequests('method="GET",route="/2024-03/one/crm/contacts/:id",status="404"')).toBe(1)
  expect(countRequests('method="GET",route="none",status="404"')).toBe(1)
  expect(countRequests('method="POST",route="/2024-03/one/crm/contacts",status="200"')).toBe(1)
  const countOperations = (labels: string) =>
    sampleOf(text, `trunkline_graphql_operations_total{${labels}}`)
  expect(countOperations('type="query",field="crmContacts",outcome="ok"')).toBe(1)
  expect(countOperations('type="query",field="several",outcome="ok"')).toBe(1)
  expect(countOperations('type="query",field="crmContacts",outcome="CREDENTIAL_NOT_FOUND"')).toBe(1)
  expect(countOperations('type="mutation",field="createUser",outcome="ok"')).toBe(1)
  expect(countOperations('type="mutation",field="createUser",outcome="USERNAME_TAKEN"')).toBe(1)
  expect(countOperations('type="none",field="none",outcome="BAD_REQUEST"')).toBe(1)
  expect(countOperations('type="subscription",field="crmContacts",outcome="ok"')).toBe(1)
  const runs = sampleOf(text, 'trunkline_sync_runs_total{app="sandbox",outcome="completed"}')
  expect(runs).toBeGreaterThanOrEqual(46)
  const sent = sampleOf(text, 'trunkline_app_requests_total{app="sandbox",outcome="200"}')
  expect(sent).toBeGreaterThanOrEqual(46)
  expect(sampleOf(text, 'trunkline_posts_total{kind="webhook",outcome="204"}')).toBeGreaterThan(0)
  expect(sampleOf(text, 'trunkline_ready')).toBe(1)
  expect(sampleOf(text, 'trunkline_webhook_failing_endpoints')).toBe(0)
  for (const secret of [credentialId, userId, key, 'ChosenName', 'unknown-contact', 'never'])
    expect(text).not.toContain(secret)
})

test.each(['deploy/grafana/trunkline.json', 'deploy/prometheus/alerts.yaml'])(
  '%s uses only metrics that exist',
  async (path) => {
    const text = await scrape()
    const used = namesIn(await readFile(path, 'utf8'))
    expect(used.size).toBeGreaterThan(5)
    const described = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name))
    const isDescribed = (name: string) =>
      described.has(name) || described.has(name.replace(/_(bucket|sum|count)$/, ''))
    expect([...used].filter((name) => !isDescribed(name))).toEqual([])
  },
)

test('the dashboard shows every metric of the product', async () => {
  const own = [...(await scrape()).matchAll(/^# TYPE (trunkline_(?!nodejs_|process_)\S+) (\S+)/gm)]
  const shown = namesIn(await readFile('deploy/grafana/trunkline.json', 'utf8'))
  const missing = own
    .map(([, name, type]) => (type === 'histogram' ? `${name}_bucket` : `${name}`))
    .filter((name) => !shown.has(name))
  expect(missing).toEqual([])
})

test('the metrics count failing endpoints and measure their backlog', async () => {
  receiver.behave('/metrics', status(500))
  const { data: users } = await (await request('/2024-03/one/users')).json()
  const path = `/2024-03/users/${users[0].userId}/credentials`
  const { data: credentials } = await (await request(path)).json()
  const url = `/2024-03/one/crm/contacts?credentialId=${credentials[0].credentialId}`
  await request(url, { lastName: 'Galois' })
  await expect
    .poll(async () => sampleOf(await scrape(), 'trunkline_webhook_failing_endpoints'), {
      timeout: 30_000,
    })
    .toBe(1)
  const text = await scrape()
  expect(sampleOf(text, 'trunkline_webhook_waiting_messages')).toBeGreaterThan(0)
  expect(sampleOf(text, 'trunkline_webhook_failing_seconds')).toBeGreaterThan(0)
  expect(
    sampleOf(text, 'trunkline_change_log_lag_seconds{reader="webhooks"}'),
  ).toBeGreaterThanOrEqual(0)
})

test('a scrape does not wait for an unavailable database, and readiness reports it', async () => {
  way.cut()
  await expect.poll(async () => (await fetchFromOperatorPort('/ready')).status).toBe(503)
  const startedMs = performance.now()
  const text = await scrape()
  expect(performance.now() - startedMs).toBeLessThan(4000)
  expect(sampleOf(text, 'trunkline_ready')).toBe(0)
  expect(sampleOf(text, 'trunkline_webhook_waiting_messages')).toBeUndefined()
  expect((await fetchFromOperatorPort('/health')).status).toBe(200)
  way.restore()
  await expect
    .poll(async () => (await fetchFromOperatorPort('/ready')).status, { timeout: 30_000 })
    .toBe(200)
})

test('a worker also serves the operator port; without the setting, none is open', async () => {
  const worker = await startTrunkline(configOf({ OPERATOR_PORT: '0' }), 'worker')
  expect(worker.address).toBeUndefined()
  expect((await fetch(`${worker.operatorAddress}/ready`)).status).toBe(200)
  await worker.stop()
  const other = await startTrunkline(configOf({}), 'worker')
  expect(other.operatorAddress).toBeUndefined()
  await other.stop()
})

test('a port that is taken is an error that names the variable', async () => {
  const { port } = new URL(trunkline.operatorAddress ?? '')
  await expect(startTrunkline(configOf({ OPERATOR_PORT: port }), 'worker')).rejects.toThrow(
    /OPERATOR_PORT.*EADDRINUSE/s,
  )
})
