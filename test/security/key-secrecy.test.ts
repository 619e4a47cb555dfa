/** Keys are identified by their hash: the key itself is in no table and no log. */
import { Writable } from 'node:stream'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateApiKey, hashApiKey } from '../../src/store/accounts/api-key.ts'
import { dumpTables } from '../support/dump.ts'
import { openServer, startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

test('the database holds the hash and the first letters of a key, never the key', async () => {
  await service.rest(tenant.key, `/crm/accounts?credentialId=${CREDENTIAL}`)
  const dump = await dumpTables(service.database)
  expect(dump).toContain('public.api_keys\n')
  expect(dump).toContain('change_log.changes\n')
  expect(dump).toContain(hashApiKey(tenant.key))
  expect(dump).toContain(tenant.key.slice(0, 16))
  expect(dump).not.toContain(tenant.key.slice(0, 17))
  expect(dump).not.toContain(tenant.key.slice(16, 32))
})

test('no key is logged, valid or not, whatever the error', async () => {
  const lines: string[] = []
  const log = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  const logged = await openServer(service.url, { log })
  const wrong = generateApiKey('development')
  for (const key of [tenant.key, wrong]) {
    const headers = { authorization: `Bearer ${key}` }
    for (const url of [
      `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`,
      '/2024-03/one/crm/accounts?credentialId=none',
      `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}&key=${key}`,
      '/nowhere',
      '/%ff',
      '/graphql?query={x}',
    ])
      await logged.server.inject({ url, headers })
    await logged.server.inject({ url: '/graphql', method: 'POST', headers, payload: '{' })
  }
  // The table is gone: an unexpected error is logged with its cause.
  const rename = (from: string, to: string) =>
    service.database.prisma.$executeRawUnsafe(`ALTER TABLE ${from} RENAME TO ${to}`)
  await rename('api_keys', 'api_keys_away')
  const failed = await logged.server.inject({
    url: `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`,
    headers: { authorization: `Bearer ${wrong}` },
  })
  await rename('api_keys_away', 'api_keys')
  await logged.stop()
  expect(failed.statusCode).toBe(500)
  const text = lines.join('')
  expect(text).toContain(String(failed.headers['x-request-id']))
  expect(lines.length).toBeGreaterThan(10)
  for (const key of [tenant.key, wrong]) {
    expect(text).not.toContain(key.slice(7))
    expect(text).not.toContain(hashApiKey(key))
  }
})
