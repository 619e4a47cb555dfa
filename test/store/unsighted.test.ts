/** What a listing has not sighted is marked as deleted batch by batch, and no batch reads what those before it did. */
import { expect, test } from 'vitest'
import { deleteUnsighted, MAX_BATCH } from '../../src/store/apply-changes.ts'
import type { Transaction } from '../../src/store/database.ts'
import { addSightings } from '../../src/store/sightings.ts'
import { sampleRecord } from '../support/sample.ts'
import { accounts, CREDENTIAL, writtenService } from './written.ts'

const stage = writtenService()

const GONE = 2.5 * MAX_BATCH
const SIGHTED = 2 * MAX_BATCH

interface Reads {
  readonly records: number
  readonly sightings: number
}

/** How many rows of each table this connection has read, since it last told the statistics. */
const readSoFar = async (transaction: Transaction): Promise<Reads> => {
  const [reads] = await transaction.$queryRaw<Reads[]>`
    SELECT sum(n) FILTER (WHERE relname = 'crm_accounts')::integer AS records,
      sum(n) FILTER (WHERE relname = 'sync_sightings')::integer AS sightings
    FROM (SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) AS n
      FROM pg_stat_xact_user_tables) AS tables`
  return reads ?? { records: 0, sightings: 0 }
}

test('all batches together read a record once to find it, and once to write it', async () => {
  const { prisma } = stage.service.database
  const owner = { credentialId: CREDENTIAL, environmentId: stage.tenant.environmentId }
  const rows = Array.from({ length: GONE + SIGHTED }, (_, n) =>
    sampleRecord(CREDENTIAL, accounts, n),
  )
  for (let start = 0; start < rows.length; start += MAX_BATCH)
    await stage.apply(rows.slice(start, start + MAX_BATCH))
  const sighted = rows.slice(0, SIGHTED).map(({ id }) => id)
  const key = { credentialId: CREDENTIAL, topic: accounts.topic }
  await addSightings(prisma, key, sighted)
  await prisma.$executeRaw`ANALYZE crm_accounts, sync_sightings`

  let after: string | null = null
  const counts: number[] = []
  const total = { records: 0, sightings: 0 }
  do
    await prisma.$transaction(async (transaction) => {
      const choice = { since: 'infinity', after }
      const before = await readSoFar(transaction)
      const marked = await deleteUnsighted(transaction, owner, accounts, choice)
      after = marked.last
      counts.push(marked.count)
      const { records, sightings } = await readSoFar(transaction)
      total.records += records - before.records
      total.sightings += sightings - before.sightings
    })
  while (after !== null)

  expect(counts).toEqual([MAX_BATCH, MAX_BATCH, GONE - 2 * MAX_BATCH, 0])
  expect(total.records).toBeLessThanOrEqual(rows.length + GONE)
  expect(total.sightings).toBeLessThanOrEqual(SIGHTED)
  const left = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM crm_accounts WHERE NOT remote_deleted`
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set(sighted))
})
