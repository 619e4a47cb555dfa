/** Transactions that change one record follow each other; one that fails leaves nothing. */
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import type { Transaction } from '../../src/store/database.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { createWriter, type Writer } from '../support/writer.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'

let service: TestService
let tenant: Tenant

let writer: Writer

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER])
  writer = createWriter(service, tenant)
})
beforeEach(() => writer.empty())
afterAll(() => service.stop())

const accounts = catalogue.get('crm/accounts')

const apply = (
  rows: readonly RecordRow[],
  resource: Resource = accounts,
  accept: 'newer' | 'all' = 'newer',
  credentialId = CREDENTIAL,
) => writer.apply(rows, { resource, credentialId, accept })

const applyIn = (transaction: Transaction, rows: readonly RecordRow[]) =>
  writer.applyIn(transaction, rows, { resource: accounts, credentialId: CREDENTIAL })

const readLog = () => writer.readLog()

const takeLog = () => writer.takeLog()

const readRow = (resource: Resource, id: string) => writer.readRow(resource, id)

const show = (resource: Resource, id: string, credentialId = CREDENTIAL) =>
  writer.show({ resource, credentialId }, id)

describe('two transactions on one record', () => {
  const row = (website: string): RecordRow => ({
    ...sampleRecord(CREDENTIAL, accounts, 1),
    website,
  })

  /** Until a transaction waits for a lock of ours. */
  const waiting = (): Promise<unknown> =>
    expect
      .poll(
        async () => {
          const [found] = await service.database.prisma.$queryRaw<{ count: number }[]>`
            SELECT count(*)::integer AS count FROM pg_locks
            WHERE locktype = 'advisory' AND NOT granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
          return found?.count
        },
        { timeout: 10_000, interval: 5 },
      )
      .toBe(1)

  test('follow each other, and stand in the log in that order', async () => {
    await apply([row('before')])
    for (let round = 0; round < 5; round++) {
      await takeLog()
      const release = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const one = service.database.prisma.$transaction(async (transaction) => {
        await applyIn(transaction, [row(`one ${round}`)])
        written.resolve()
        await release.promise
      })
      await written.promise
      const two = service.database.prisma.$transaction((transaction) =>
        applyIn(transaction, [row(`two ${round}`)]),
      )
      await waiting()
      release.resolve()
      await Promise.all([one, two])
      const log = await readLog()
      expect(log.map(({ record }) => record.website)).toEqual([`one ${round}`, `two ${round}`])
      expect(log[1]?.fields).toEqual(['website'])
      expect(log[1]?.record).toEqual(await show(accounts, '1'))
    }
  })

  test('that end with the same content make one change', async () => {
    await Promise.all(Array.from({ length: 8 }, () => apply([row('same')])))
    expect((await readLog()).map(({ kind }) => kind)).toEqual(['created'])
  })

  test('never take the time of its last change back', async () => {
    await apply([row('before')])
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const early = service.database.prisma.$transaction(async (transaction) => {
      // Its own time is that of its beginning.
      await transaction.$queryRaw`SELECT now()`
      begun.resolve()
      await release.promise
      await applyIn(transaction, [row('begun first, written last')])
    })
    await begun.promise
    await apply([row('between')])
    const between = await readRow(accounts, row('').id)
    release.resolve()
    await early
    const after = await readRow(accounts, row('').id)
    expect(await show(accounts, '1')).toMatchObject({ website: 'begun first, written last' })
    expect(after?.updated_at.getTime()).toBeGreaterThanOrEqual(between?.updated_at.getTime() ?? 0)
    expect(after?.created_at).toEqual(between?.created_at)
  })

  test('do not wait for another resource’s, nor for another credential’s', async () => {
    await service.database.prisma.$transaction(async (transaction) => {
      await applyIn(transaction, [row('held')])
      await apply(
        [sampleRecord(CREDENTIAL, catalogue.get('crm/leads'), 1)],
        catalogue.get('crm/leads'),
      )
      await apply([sampleRecord(OTHER, accounts, 1)], accounts, 'newer', OTHER)
    })
    expect(await readLog()).toHaveLength(3)
  })
})

describe('what is rolled back', () => {
  test('leaves neither record nor change', async () => {
    await apply([sampleRecord(CREDENTIAL, accounts, 1)])
    const before = await readRow(accounts, recordId(CREDENTIAL, accounts.topic, '1'))
    await takeLog()
    const fail = service.database.prisma.$transaction(async (transaction) => {
      const changed = { ...sampleRecord(CREDENTIAL, accounts, 1), website: 'rolled back' }
      expect(await applyIn(transaction, [changed, sampleRecord(CREDENTIAL, accounts, 2)])).toEqual({
        created: 1,
        updated: 1,
        deleted: 0,
      })
      throw new Error('after all')
    })
    await expect(fail).rejects.toThrow('after all')
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '2')).toBe(undefined)
    expect(await readRow(accounts, recordId(CREDENTIAL, accounts.topic, '1'))).toEqual(before)
  })

  test('because the connection broke, too', async () => {
    const killer = new pg.Client({ connectionString: service.url })
    await killer.connect()
    const fail = service.database.prisma.$transaction(async (transaction) => {
      await applyIn(transaction, [sampleRecord(CREDENTIAL, accounts, 1)])
      const [own] = await transaction.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`
      await killer.query('SELECT pg_terminate_backend($1)', [own?.pid])
      await applyIn(transaction, [sampleRecord(CREDENTIAL, accounts, 2)])
    })
    await expect(fail).rejects.toThrow()
    await killer.end()
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '1')).toBe(undefined)
  })
})
