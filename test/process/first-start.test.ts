/** A first start on a database whose connections fail. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createSandboxApp } from '../../src/sandbox/app.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { openServices, type Services } from './service-process.ts'

let database: TestDatabase
let way: DatabaseProxy
let services: Services
beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  way = await openDatabaseProxy(database.url)
  services = await openServices(way.url)
})
afterEach(async () => {
  await services.close()
  await way.close()
})
afterAll(() => database.drop())

test('continues when the connection of any of its steps breaks', async () => {
  for (const statement of [
    'signing_keys',
    'sandbox_records',
    'first-start',
    'sync_states',
    'log_readers',
    'webhook_workers',
  ])
    way.endAt(statement)
  const { address } = await services.start('all')
  expect(way.pendingEnds).toEqual([])
  const { data: users } = await services.call(address, '/2024-03/one/users')
  const { data: credentials } = await services.call(
    address,
    `/2024-03/users/${users[0].userId}/credentials`,
  )
  expect(credentials).toHaveLength(2)
  for (const { credentialId } of credentials) {
    const path = `/2024-03/one/crm/contacts/count?credentialId=${credentialId}`
    expect((await services.call(address, path)).count).toBeGreaterThan(0)
  }
})

test('creates a sandbox tenant without a transaction that could start too late', async () => {
  const statements: string[] = []
  const opened = openDatabase({ url: way.url, onStatement: (sql) => void statements.push(sql) })
  await createSandboxApp({ database: opened, clock: { nowMs: Date.now } }).openTenant('harbour')
  await opened.stop()
  expect(statements.map((sql) => sql.trim().split(/\s/, 1)[0])).toEqual(['SELECT', 'WITH'])
})
