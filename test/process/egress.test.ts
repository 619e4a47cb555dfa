/** A service behind EGRESS_PROXY: all requests use the proxy, its password stays secret, its address is published. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTrunkline } from '../../src/main.ts'
import { readConfig } from '../../src/process/config.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { listen, openProxy, PROXY_PASSWORD, type TestProxy } from '../outbound/proxy.ts'
import { createTestDatabase } from '../support/database.ts'
import { dumpTables } from '../support/dump.ts'
import { TEST_KEYS } from '../support/vault.ts'

const KEY = `tl_dev_${'6b'.repeat(24)}`

const received: string[] = []
const target = createServer((request, response) => {
  received.push(`${request.method} ${request.url}`)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"data":{"activeAdministrator":{"id":"1"},"me":{"id":"1"}}}')
})

let server: Awaited<ReturnType<typeof createTestDatabase>>
let dataDir: string
let proxy: TestProxy
let port: number
beforeAll(async () => {
  server = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-egress-'))
  port = await listen(target)
  proxy = await openProxy(Number)
})
afterAll(async () => {
  target.close().closeAllConnections()
  await proxy.stop()
  await server.drop()
  await rm(dataDir, { recursive: true })
})

test('reaches apps and webhooks through the proxy only', { timeout: 120_000 }, async () => {
  const logFile = join(dataDir, 'trunkline.log')
  const trunkline = await startTrunkline(
    readConfig({
      DATABASE_URL: server.url,
      DATA_DIR: dataDir,
      LOG_FILE: logFile,
      LOG_LEVEL: 'trace',
      TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
      TRUNKLINE_DEV_API_KEY: KEY,
      PORT: '0',
      SANDBOX: 'false',
      ALLOW_PRIVATE_ADDRESSES: 'true',
      EGRESS_PROXY: proxy.url.href,
      EGRESS_ADDRESS: '203.0.113.7',
    }),
  )
  let responses = ''
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${trunkline.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    responses += text
    return { status: response.status, body: JSON.parse(text) }
  }

  const apps = await send('GET', '/2024-03/metadata/credentials')
  const vendure = apps.body.data.find(({ app }: { app: string }) => app === 'vendure')
  expect(vendure).toMatchObject({ outboundAddress: '203.0.113.7' })

  const { body: user } = await send('POST', '/2023-12/users', { username: 'harbour' })
  const { body: hook } = await send('POST', '/2024-03/one/webhooks', {
    address: `http://hooks.internal:${port}/hook`,
    topic: ['connection/created'],
  })
  const connect = () =>
    send('POST', '/2024-03/headless/credentials', {
      userId: user.userId,
      app: 'vendure',
      credential: { url: `http://shop.internal:${port}/app`, apiKey: 'a key of the shop' },
    })
  const { body: created } = await connect()
  expect(created).toEqual({ credentialId: expect.any(String) })
  await expect.poll(() => received, { timeout: 60_000 }).toContain('POST /hook')
  expect(received.some((request) => request.startsWith('POST /app'))).toBe(true)
  const authorities = new Set(proxy.tunnels.map(({ authority }) => authority))
  expect(authorities).toEqual(new Set([`hooks.internal:${port}`, `shop.internal:${port}`]))

  await proxy.stop()
  const passed = await send('POST', `/2024-03/passthrough?credentialId=${created.credentialId}`, {
    method: 'POST',
    endpoint: '/',
    body: {},
  })
  expect(passed).toMatchObject({ status: 502, body: { error: { code: 'APP_UNAVAILABLE' } } })
  expect(passed.body.error.message).toContain('the egress proxy cannot be reached (ECONNREFUSED)')
  await send('POST', `/2024-03/one/webhooks/${hook.subscription.subscriptionId}/test`)
  const listAttempts = () =>
    send('GET', `/2024-03/one/webhooks/${hook.subscription.subscriptionId}/attempts`)
  await expect
    .poll(async () => JSON.stringify((await listAttempts()).body), { timeout: 60_000 })
    .toContain('the egress proxy cannot be reached')
  await trunkline.stop()

  const database = openDatabase({ url: server.url })
  const dump = await dumpTables(database)
  await database.stop()
  const log = await readFile(logFile, 'utf8')
  expect(log).toContain('connections to apps and webhooks use a proxy')
  const basic = Buffer.from(`trunk line:${PROXY_PASSWORD}`).toString('base64')
  for (const secret of [PROXY_PASSWORD, proxy.url.password, basic])
    for (const text of [log, responses, dump]) expect(text).not.toContain(secret)
})

test.each([
  [{ EGRESS_PROXY: `socks5://me:${PROXY_PASSWORD}@host` }, 'EGRESS_PROXY: expected http://'],
  [{ EGRESS_PROXY: `me:${PROXY_PASSWORD}@host` }, 'EGRESS_PROXY: expected http://'],
  [{ EGRESS_ADDRESS: 'proxy.internal' }, 'EGRESS_ADDRESS: expected one IP address'],
])('rejects %j at start and names the expected value', (variables, message) => {
  const read = () => readConfig(variables)
  expect(read).toThrow(message)
  expect(read).not.toThrow(PROXY_PASSWORD)
})

test('connects from the configured address of this machine', () => {
  expect(readConfig({ EGRESS_ADDRESS: '127.0.0.1' }).egress.localAddress).toBe('127.0.0.1')
  expect(readConfig({ EGRESS_ADDRESS: '203.0.113.7' }).egress.localAddress).toBe(undefined)
  const behindProxy = { EGRESS_ADDRESS: '127.0.0.1', EGRESS_PROXY: 'http://proxy.internal:3128' }
  expect(readConfig(behindProxy).egress.localAddress).toBe(undefined)
})
