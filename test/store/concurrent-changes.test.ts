/** Transactions on one record are serialised, and a failed one leaves nothing. */
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { catalogue } from '../../src/generated/registry.ts'
import type { Transaction } from '../../src/store/database/database.ts'
import { markRecordsDeleted } from '../../src/store/records/apply-changes.ts'
import { sampleRecord } from '../support/sample.ts'
import { untilWaitingForLock } from '../support/waiting-for-lock.ts'
import { accounts, CREDENTIAL, OTHER, storeHarness } from './store-harness.ts'

const harness = storeHarness()
const { apply, applyIn, readLog, takeLog, readRow, show } = harness

describe('two transactions on one record', () => {
  const rowWithWebsite = (website: string): RecordRow => ({
    ...sampleRecord(CREDENTIAL, accounts, 1),
    website,
  })

  test('are serialised and logged in that order', async () => {
    await apply([rowWithWebsite('before')])
    for (let round = 0; round < 5; round++) {
      await takeLog()
      const release = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const first = harness.service.database.transaction(async (transaction) => {
        await applyIn(transaction, [rowWithWebsite(`one ${round}`)])
        written.resolve()
        await release.promise
      })
      await written.promise
      const second = harness.service.database.transaction((transaction) =>
        applyIn(transaction, [rowWithWebsite(`two ${round}`)]),
      )
      await untilWaitingForLock(harness.service)
      release.resolve()
      await Promise.all([first, second])
      const log = await readLog()
      expect(log.map(({ record }) => record.website)).toEqual([`one ${round}`, `two ${round}`])
      expect(log[1]?.fields).toEqual(['website'])
      expect(log[1]?.record).toEqual(await show(accounts, '1'))
    }
  })

  test('with the same result make one change', async () => {
    await Promise.all(Array.from({ length: 8 }, () => apply([rowWithWebsite('same')])))
    expect((await readLog()).map(({ kind }) => kind)).toEqual(['created'])
  })

  test('never move its last change time back', async () => {
    await apply([rowWithWebsite('before')])
    const transactionStarted = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const firstTransaction = harness.service.database.transaction(async (transaction) => {
      // `now()` is fixed at the start of the transaction.
      await transaction.prisma.$queryRaw`SELECT now()`
      transactionStarted.resolve()
      await release.promise
      await applyIn(transaction, [rowWithWebsite('begun first, written last')])
    })
    await transactionStarted.promise
    await apply([rowWithWebsite('between')])
    const between = await readRow(accounts, rowWithWebsite('').id)
    release.resolve()
    await firstTransaction
    const after = await readRow(accounts, rowWithWebsite('').id)
    expect(await show(accounts, '1')).toMatchObject({ website: 'begun first, written last' })
    expect(after?.updated_at.getTime()).toBeGreaterThanOrEqual(between?.updated_at.getTime() ?? 0)
    expect(after?.created_at).toEqual(between?.created_at)
  })

  test('date a change and its record alike: by the write, not by the start of the transaction', async () => {
    await apply([rowWithWebsite('before')])
    const { id } = rowWithWebsite('')
    const { environmentId } = harness.tenant
    const writes = [
      (transaction: Transaction) => applyIn(transaction, [rowWithWebsite('after')]),
      (transaction: Transaction) =>
        markRecordsDeleted(transaction, { credentialId: CREDENTIAL, environmentId }, accounts, [
          id,
        ]),
    ]
    for (const work of writes)
      await harness.service.database.transaction(async (transaction) => {
        await transaction.prisma.$executeRaw`SELECT now(), pg_sleep(0.01)`
        await work(transaction)
        const [change] = await transaction.prisma.$queryRaw<{ at: Date }[]>`
          SELECT at FROM change_log.changes WHERE record_id = ${id}::uuid
          ORDER BY xid DESC, sequence DESC LIMIT 1`
        const [record] = await transaction.prisma.$queryRaw<{ at: Date }[]>`
          SELECT updated_at AS at FROM crm_accounts WHERE id = ${id}::uuid`
        expect(change).toEqual(record)
      })
  })

  test('do not wait for other resources or other credentials', async () => {
    await harness.service.database.transaction(async (transaction) => {
      await applyIn(transaction, [rowWithWebsite('held')])
      await apply(
        [sampleRecord(CREDENTIAL, catalogue.get('crm/leads'), 1)],
        catalogue.get('crm/leads'),
      )
      await apply([sampleRecord(OTHER, accounts, 1)], accounts, 'newer', OTHER)
    })
    expect(await readLog()).toHaveLength(3)
  })
})

describe('a transaction that rolls back', () => {
  test('stores neither record nor change', async () => {
    await apply([sampleRecord(CREDENTIAL, accounts, 1)])
    const before = await readRow(accounts, recordId(CREDENTIAL, accounts.topic, '1'))
    await takeLog()
    const fail = harness.service.database.transaction(async (transaction) => {
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

  test('because the connection broke stores neither record nor change', async () => {
    const killer = new pg.Client({ connectionString: harness.service.url })
    await killer.connect()
    const fail = harness.service.database.transaction(async (transaction) => {
      await applyIn(transaction, [sampleRecord(CREDENTIAL, accounts, 1)])
      const [own] = await transaction.prisma.$queryRaw<
        { pid: number }[]
      >`SELECT pg_backend_pid() AS pid`
      await killer.query('SELECT pg_terminate_backend($1)', [own?.pid])
      await applyIn(transaction, [sampleRecord(CREDENTIAL, accounts, 2)])
    })
    await expect(fail).rejects.toThrow()
    await killer.end()
    expect(await readLog()).toEqual([])
    expect(await show(accounts, '1')).toBe(undefined)
  })
})
