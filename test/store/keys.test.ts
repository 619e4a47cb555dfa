/** The keys of an environment: created, replaced, listed, revoked, and their last use. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAccess } from '../../src/store/accounts/access.ts'
import { hashApiKey } from '../../src/store/accounts/api-key.ts'
import { createKeyUses } from '../../src/store/accounts/key-uses.ts'
import {
  generateKey,
  listKeys,
  regenerateKey,
  revokeKeyById,
} from '../../src/store/accounts/keys.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const DEADLINE = { timeout: 60_000, interval: 5 }

let service: TestService
let tenant: Tenant
let other: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  other = await service.createTenant('production', [])
})
afterAll(() => service.stop())

const findOwner = (key: string) => service.access.keyOwner(key)
const list = async (environmentId = tenant.environmentId) =>
  listKeys(service.database, environmentId)
const listLive = async () => (await list()).filter(({ revokedAt }) => revokedAt === null)

describe('a key', () => {
  test.each([
    ['development', () => tenant, /^tl_dev_[0-9a-f]{48}$/],
    ['production', () => other, /^tl_prod_[0-9a-f]{48}$/],
  ] as const)(
    'of the %s environment grants access to it, and earlier keys stay valid',
    async (kind, of, form) => {
      const { environmentId, key: earlier } = of()
      const { id, key } = await generateKey(service.database, { environmentId })
      expect(key).toMatch(form)
      expect(await findOwner(key)).toEqual({ keyId: id, environmentId, environment: kind })
      expect(await findOwner(earlier)).toMatchObject({ environmentId })
      const facts = (await list(environmentId)).find((key) => key.id === id)
      expect(facts).toEqual({
        id,
        kind,
        prefix: key.slice(0, 16),
        createdAt: expect.any(Date),
        lastUsedAt: null,
        revokedAt: null,
      })
    },
  )

  test('is shown once: only its hash is stored', async () => {
    const { id, key } = await generateKey(service.database, { environmentId: tenant.environmentId })
    const row = await service.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })
    expect(row.hash).toBe(hashApiKey(key))
    expect(JSON.stringify(row)).not.toContain(key.slice(16))
  })

  test('that is regenerated revokes all others of its environment, and no key of another', async () => {
    const { key: before } = await generateKey(service.database, {
      environmentId: tenant.environmentId,
    })
    expect(await findOwner(before)).toBeDefined()
    const liveBefore = (await listLive()).length
    const regenerated = await regenerateKey(service.database, {
      environmentId: tenant.environmentId,
    })
    expect(regenerated.revoked).toBe(liveBefore)
    await expect.poll(() => findOwner(before), DEADLINE).toBe(undefined)
    expect(await findOwner(regenerated.key)).toMatchObject({ keyId: regenerated.id })
    expect((await listLive()).map(({ id }) => id)).toEqual([regenerated.id])
    expect(await findOwner(other.key)).toBeDefined()
  })

  test('regenerated ten times concurrently results in one key', async () => {
    const newKeys = await Promise.all(
      Array.from({ length: 10 }, () =>
        regenerateKey(service.database, { environmentId: tenant.environmentId }),
      ),
    )
    const [left, ...more] = await listLive()
    expect(more).toEqual([])
    expect(newKeys.map(({ id }) => id)).toContain(left?.id)
    expect(newKeys.reduce((sum, { revoked }) => sum + revoked, 0)).toBe(10)
  })

  test('is revoked by its id, once, and only in its own environment', async () => {
    const { id, key } = await generateKey(service.database, { environmentId: tenant.environmentId })
    expect(await findOwner(key)).toBeDefined()
    const revoke = (environmentId: string, keyId: string) =>
      revokeKeyById(service.database, environmentId, keyId)
    for (const wrong of ['', 'x', '99999999-0000-4000-8000-000000000009'])
      expect(await revoke(tenant.environmentId, wrong)).toBe(false)
    expect(await revoke(other.environmentId, id)).toBe(false)
    expect(await revoke(tenant.environmentId, id)).toBe(true)
    expect(await revoke(tenant.environmentId, id)).toBe(false)
    await expect.poll(() => findOwner(key), DEADLINE).toBe(undefined)
  })

  test('cannot be created in a missing environment', async () => {
    const nowhere = '99999999-0000-4000-8000-000000000009'
    await expect(generateKey(service.database, { environmentId: nowhere })).rejects.toThrow(
      /does not exist/,
    )
  })
})

describe('the last use of a key', () => {
  let key: string
  let id: string

  beforeEach(async () => {
    ;({ key, id } = await generateKey(service.database, { environmentId: tenant.environmentId }))
  })

  const readLastUsedAt = async () => (await list()).find((key) => key.id === id)?.lastUsedAt
  const openAccess = async (uses: ReturnType<typeof createKeyUses>) => {
    const pgListener = createPgListener(service.url)
    const access = createAccess(service.database, pgListener, uses.note)
    await pgListener.start()
    return { access, stop: () => pgListener.stop() }
  }
  const fail = (error: unknown): never => {
    throw error
  }

  test('is written outside of requests, once for all of them, and evicts no cached key', async () => {
    const written: string[] = []
    const database = openDatabase({
      url: service.url,
      onStatement: (sql) => void written.push(sql),
    })
    const uses = createKeyUses({ database, onFailure: fail })
    const { access, stop } = await openAccess(uses)
    for (const _first of [true, false]) await access.keyOwner(key)
    service.takeStatements()
    const before = Date.now()
    for (let n = 0; n < 100; n++) await access.keyOwner(key)
    expect(service.takeStatements()).toEqual([])
    expect(written).toEqual([])
    await uses.stop()
    expect(written).toHaveLength(1)
    expect(written[0]).toContain('UPDATE api_keys')
    expect((await readLastUsedAt())?.getTime()).toBeGreaterThanOrEqual(before)
    // A notification of the write would arrive before this one, which revokes another key.
    const last = await generateKey(service.database, { environmentId: tenant.environmentId })
    await access.keyOwner(last.key)
    await revokeKeyById(service.database, tenant.environmentId, last.id)
    await expect.poll(() => access.keyOwner(last.key), DEADLINE).toBe(undefined)
    service.takeStatements()
    await access.keyOwner(key)
    expect(service.takeStatements()).toEqual([])
    await stop()
    await database.stop()
  })

  test('is written in time, and not for a rejected key', async () => {
    const uses = createKeyUses({ database: service.database, onFailure: fail, intervalMs: 10 })
    const { access, stop } = await openAccess(uses)
    uses.start()
    await revokeKeyById(service.database, tenant.environmentId, id)
    await access.keyOwner(key)
    const { key: used, id: usedId } = await generateKey(service.database, {
      environmentId: tenant.environmentId,
    })
    await access.keyOwner(used)
    const readUsedAt = async () => (await list()).find((key) => key.id === usedId)?.lastUsedAt
    await expect.poll(readUsedAt, DEADLINE).toBeInstanceOf(Date)
    expect(await readLastUsedAt()).toBe(null)
    await uses.stop()
    await stop()
  })

  test('does not go back when another process writes late', async () => {
    const later = new Date(Date.now() + 60_000)
    await service.database.prisma.apiKey.update({ where: { id }, data: { lastUsedAt: later } })
    const uses = createKeyUses({ database: service.database, onFailure: fail })
    uses.note(id)
    await uses.stop()
    expect(await readLastUsedAt()).toEqual(later)
  })

  test('survives a database outage', async () => {
    const failures: unknown[] = []
    const uses = createKeyUses({
      database: service.database,
      onFailure: (error) => failures.push(error),
      intervalMs: 10,
    })
    const rename = (from: string, to: string) =>
      service.database.prisma.$executeRawUnsafe(`ALTER TABLE ${from} RENAME TO ${to}`)
    await rename('api_keys', 'api_keys_away')
    uses.note(id)
    uses.start()
    await expect.poll(() => failures.length, DEADLINE).toBeGreaterThan(0)
    await rename('api_keys_away', 'api_keys')
    await expect.poll(readLastUsedAt, DEADLINE).toBeInstanceOf(Date)
    await uses.stop()
  })
})
