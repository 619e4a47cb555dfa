/** Unseen records are marked as deleted in batches, and no batch reads the rows of earlier ones. */
import { expect, test } from 'vitest'
import { deleteUnseen, MAX_BATCH } from '../../src/store/records/apply-changes.ts'
import { addSeenRecords } from '../../src/store/sync/seen-records.ts'
import { countRowsReadBy } from '../support/rows-read.ts'
import { sampleRecord } from '../support/sample.ts'
import { accounts, CREDENTIAL, storeHarness } from './store-harness.ts'

const harness = storeHarness()

const MISSING = 2.5 * MAX_BATCH
const SEEN = 2 * MAX_BATCH
const TABLES = ['crm_accounts', 'sync_sightings']

test('all batches together read each record once to find it and once to write it', async () => {
  const { prisma } = harness.service.database
  const owner = { credentialId: CREDENTIAL, environmentId: harness.tenant.environmentId }
  const rows = Array.from({ length: MISSING + SEEN }, (_, n) =>
    sampleRecord(CREDENTIAL, accounts, n),
  )
  for (let start = 0; start < rows.length; start += MAX_BATCH)
    await harness.apply(rows.slice(start, start + MAX_BATCH))
  const seenIds = rows.slice(0, SEEN).map(({ id }) => id)
  const key = { credentialId: CREDENTIAL, topic: accounts.topic }
  await harness.service.database.transaction((transaction) =>
    addSeenRecords(transaction, key, seenIds),
  )
  await prisma.$executeRaw`ANALYZE crm_accounts, sync_sightings`

  let after: string | null = null
  const counts: number[] = []
  let read = 0
  do
    read += await countRowsReadBy(harness.service.database, TABLES, async (transaction) => {
      const choice = { since: 'infinity', after }
      const marked = await deleteUnseen(transaction, owner, accounts, choice)
      after = marked.last
      counts.push(marked.count)
    })
  while (after !== null)

  expect(counts).toEqual([MAX_BATCH, MAX_BATCH, MISSING - 2 * MAX_BATCH, 0])
  // Each record to find it and again to write it, and the seen records.
  expect(read).toBeLessThanOrEqual(rows.length + MISSING + SEEN)
  const left = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM crm_accounts WHERE NOT remote_deleted`
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set(seenIds))
})
