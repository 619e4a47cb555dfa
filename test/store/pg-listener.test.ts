/** The PostgreSQL listener, when its connection breaks silently. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAccess } from '../../src/store/accounts/access.ts'
import { createPgListener, type PgListener } from '../../src/store/database/pg-listener.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { createKey, revokeKey } from '../support/keys.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let tenant: Tenant
let way: DatabaseProxy
let pgListener: PgListener
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
beforeEach(async () => {
  way = await openDatabaseProxy(service.url)
  pgListener = createPgListener(way.url)
})
afterEach(async () => {
  await pgListener.stop()
  await way.close()
})
afterAll(() => service.stop())

test('a key revoked during a silent connection loss is rejected within 5 s', async () => {
  const access = createAccess(service.database, pgListener)
  await pgListener.start()
  /** Caches a key, so that its next use runs no lookup. */
  const cacheKey = async () => {
    const key = await createKey(service.database, tenant.environmentId)
    const look = async () => {
      const owner = await access.keyOwner(key)
      return owner !== undefined && (await access.isKeyLive(owner.keyId))
    }
    // Notifications about other keys may arrive in between.
    await expect
      .poll(async () => {
        service.takeStatements()
        return (await look()) && service.takeStatements()
      })
      .toEqual([])
    return { key, look }
  }
  const silencedKey = await cacheKey()
  way.silence()
  const startedMs = performance.now()
  await revokeKey(service, silencedKey.key)
  await expect.poll(silencedKey.look, { interval: 20 }).toBe(false)
  expect(performance.now() - startedMs).toBeLessThan(5000)
  // The listener reconnects and receives notifications again.
  await expect.poll(() => pgListener.isConnected, { interval: 20 }).toBe(true)
  const received = await cacheKey()
  await revokeKey(service, received.key)
  await expect.poll(received.look, { interval: 20 }).toBe(false)
})

test('a connection that goes silent before LISTEN is closed and replaced', async () => {
  pgListener.on(
    'anything',
    () => {},
    () => {},
  )
  way.silenceAt('LISTEN')
  await expect(pgListener.start()).rejects.toThrow('timeout')
  await expect.poll(() => way.connections, { interval: 5 }).toBe(0)
  way.silenceAt(undefined)
  await expect.poll(() => pgListener.isConnected, { interval: 20 }).toBe(true)
  await expect.poll(() => way.connections, { interval: 5 }).toBe(1)
})
