/**
 * Secrets are only in the vault: a service whose credentials hold canaries is driven into its failures, and
 * its log, its responses and every table of its database are searched for them.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { dumpTables } from '../support/dump.ts'
import { createKey } from '../support/keys.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { TEST_KEYS, testVault } from '../support/vault.ts'
import { startTraced } from './traced-service.ts'

const PLAIN = '11111111-0000-4000-8000-000000000001'
/** Each canary is in a credential whose app fails in another way. */
const CANARIES = {
  plain: 'canary-plain-4f1d9a',
  refused: 'canary-refused-8c27be',
  echoed: 'canary-echoed-1b90cc',
  hungUp: 'canary-hungup-77ad3e',
  nowhere: 'canary-nowhere-d2e651',
}

let service: TestService
let tenant: Tenant
let app: Server
let dataDir: string

/** An app that fails as the first part of the path says, and echoes the request. */
const createFailingApp = (): Server =>
  createServer((request, response) => {
    const [, behavior] = (request.url ?? '').split('/')
    const key = String(request.headers['vendure-api-key'])
    if (behavior === 'hungUp') return void request.socket.destroy()
    const message = behavior === 'echoed' ? `the key ${key} is not known` : 'no'
    response.writeHead(behavior === 'refused' ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ errors: [{ message, extensions: { code: 'FORBIDDEN' } }] }))
  })

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-canaries-'))
  app = createFailingApp()
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
  const { environmentId, userId } = tenant
  for (const behavior of ['refused', 'echoed', 'hungUp', 'nowhere'] as const)
    await createCredential(service.database, testVault, {
      environmentId,
      userId,
      connector,
      values: {
        url: behavior === 'nowhere' ? 'http://127.0.0.1:1' : `${origin}/${behavior}`,
        apiKey: CANARIES[behavior],
      },
    })
  // The form of an earlier version.
  await service.database.prisma.credential.create({
    data: {
      id: PLAIN,
      route: PLAIN.slice(0, 8),
      environmentId,
      userId,
      app: 'vendure',
      values: { url: 'not a URL', apiKey: CANARIES.plain },
      syncStates: { create: { topic: 'commerce/orders' } },
    },
  })
})
afterAll(async () => {
  app.close()
  await service.stop()
  await rm(dataDir, { recursive: true })
})

test('no canary is in the log, the responses or the tables', async () => {
  const { database } = service
  const { prisma } = database
  expect(await dumpTables(database)).toContain(CANARIES.plain)
  const key = await createKey(database, tenant.environmentId)

  const { trunkline, logFile } = await startTraced(service.url, dataDir)
  const haveAllFailed = async () => {
    const states = await prisma.syncState.findMany({ select: { failure: true } })
    return states.every(({ failure }) => failure !== null)
  }
  await expect.poll(haveAllFailed, { timeout: 25_000, interval: 100 }).toBe(true)

  let responses = ''
  const { token } = await service.tokens.issue(tenant)
  const send = async (path: string, init: RequestInit = {}): Promise<void> => {
    for (const bearer of [key, token]) {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const response = await fetch(`${trunkline.address}${path}`, { headers, ...init })
      responses += JSON.stringify([...response.headers]) + (await response.text())
    }
  }
  const list = `/2024-03/one/commerce/orders?credentialId=${PLAIN}`
  const query = `{ commerceOrders(credentialId: "${PLAIN}") { nodes { id } } }`
  const requestAll = async (): Promise<void> => {
    await send(list)
    await send(`${list}&pageSize=no`)
    await send('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
    await send('/graphql', { method: 'POST', body: '{' })
  }
  await requestAll()
  // Unexpected errors: the tables that requests read are gone.
  for (const table of ['commerce_orders', 'credentials', 'end_users'])
    await prisma.$executeRawUnsafe(`ALTER TABLE ${table} RENAME TO ${table}_away`)
  await requestAll()
  for (const table of ['commerce_orders', 'credentials', 'end_users'])
    await prisma.$executeRawUnsafe(`ALTER TABLE ${table}_away RENAME TO ${table}`)
  // A sealed value that cannot be decrypted, in the middle of a run.
  await prisma.$executeRaw`UPDATE credentials SET sealed_values = set_byte(sealed_values, 40,
    (get_byte(sealed_values, 40) + 1) % 256)`
  await prisma.syncState.updateMany({
    data: { dueAt: new Date(0), failureCode: null, failure: null },
  })
  await expect.poll(haveAllFailed, { timeout: 25_000, interval: 100 }).toBe(true)
  await trunkline.stop()

  const log = await readFile(logFile, 'utf8')
  const dump = await dumpTables(database)
  // The log contains the failures, so searching it proves something.
  expect(log).toContain('encrypted plain-text credentials')
  expect(log).toContain('unexpected error')
  expect(log).toContain('VaultError')
  expect(dump).toContain('change_log.changes')
  expect(dump).toContain('[redacted]')
  expect(responses).toContain('"INTERNAL"')
  const secrets = [
    ...Object.values(CANARIES),
    TEST_KEYS.split(':')[1] ?? '',
    key.slice(16),
    token.split('.')[2] ?? '',
  ]
  for (const secret of secrets)
    for (const form of [secret, Buffer.from(secret).toString('hex'), btoa(secret).slice(2, -4)]) {
      expect(log).not.toContain(form)
      expect(responses).not.toContain(form)
      expect(dump).not.toContain(form)
    }
})
