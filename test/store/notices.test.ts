/** The connection of the announcements, when it breaks without a word. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { generateApiKey } from '../../src/api-key.ts'
import { createAccess } from '../../src/store/access.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { createNotices, type Notices } from '../../src/store/notices.ts'
import { type DatabaseWay, openDatabaseWay } from '../support/database-way.ts'
import { revokeKey } from '../support/revoke-key.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let tenant: Tenant
let way: DatabaseWay
let notices: Notices
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
beforeEach(async () => {
  way = await openDatabaseWay(service.url)
  notices = createNotices(way.url)
})
afterEach(async () => {
  await notices.stop()
  await way.close()
})
afterAll(() => service.stop())

test('a key that is revoked in the silence of a cut connection is refused within 5 s', async () => {
  const access = createAccess(service.database, notices)
  await notices.start()
  /** A key that is remembered: nobody is asked about it. */
  const rememberKey = async () => {
    const key = generateApiKey('development')
    await saveApiKey(service.database, tenant.environmentId, key)
    const look = async () => {
      const owner = await access.keyOwner(key)
      return owner !== undefined && (await access.isKeyLive(owner.keyId))
    }
    // What was announced of others meanwhile may have come between.
    await expect
      .poll(async () => {
        service.takeStatements()
        return (await look()) && service.takeStatements()
      })
      .toEqual([])
    return { key, look }
  }
  const cut = await rememberKey()
  way.silence()
  const startedMs = performance.now()
  await revokeKey(service, cut.key)
  await expect.poll(cut.look, { interval: 20 }).toBe(false)
  expect(performance.now() - startedMs).toBeLessThan(5000)
  // Another connection is dialled, by which they are heard again.
  await expect.poll(() => notices.connected, { interval: 20 }).toBe(true)
  const heard = await rememberKey()
  await revokeKey(service, heard.key)
  await expect.poll(heard.look, { interval: 20 }).toBe(false)
})

test('a connection that falls silent before it listens is ended, and another is dialled', async () => {
  notices.on(
    'anything',
    () => {},
    () => {},
  )
  way.silenceAt('LISTEN')
  await expect(notices.start()).rejects.toThrow('timeout')
  await expect.poll(() => way.connections, { interval: 5 }).toBe(0)
  way.silenceAt(undefined)
  await expect.poll(() => notices.connected, { interval: 20 }).toBe(true)
  await expect.poll(() => way.connections, { interval: 5 }).toBe(1)
})
