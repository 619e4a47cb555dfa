/** Every transaction locks the rows of several sync states in one order, which rules out deadlocks. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteCredential } from '../../src/store/accounts/credentials.ts'
import { renewLeases } from '../../src/store/database/lease-sql.ts'
import { SYNC_STATES, type SyncLease } from '../../src/store/sync/sync-state.ts'
import { addCredential, openSyncHarness, type SyncHarness } from './sync-harness.ts'

const FIRST = 'crm/a'
// Stored and renewed in the opposite of the lock order.
const TOPICS = ['crm/z', 'crm/m', 'crm/b', FIRST]

let harness: SyncHarness
let credentialId: string
let leases: readonly SyncLease[]
let remove: () => Promise<unknown>
const renew = () => renewLeases(harness.database, SYNC_STATES, leases)

beforeEach(async () => {
  harness = await openSyncHarness()
  const { prisma } = harness.database
  const owner = await addCredential(harness.database, {})
  credentialId = owner.credentialId
  const { userId } = await prisma.credential.findUniqueOrThrow({ where: { id: credentialId } })
  await prisma.syncState.deleteMany({ where: { credentialId } })
  leases = TOPICS.map((topic) => ({
    key: { credentialId, topic },
    holder: randomUUID(),
    durationMs: 60_000,
  }))
  for (const { key, holder } of leases) await prisma.syncState.create({ data: { ...key, holder } })
  remove = () => deleteCredential(harness.database, owner.environmentId, userId, credentialId)
})

afterEach(() => harness.close())

/** Resolves when this many statements wait for a lock. */
const untilWaiting = (count: number): Promise<unknown> =>
  expect
    .poll(
      async () => {
        const [found] = await harness.database.prisma.$queryRaw<{ count: number }[]>`
          SELECT count(*)::integer AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return found?.count
      },
      { timeout: 60_000, interval: 5 },
    )
    .toBe(count)

/** Holds the first row until all of `works` wait. @returns the topics whose rows are locked then */
const listLockedTopics = async (works: readonly (() => Promise<unknown>)[]): Promise<string[]> => {
  const { prisma } = harness.database
  let taken: string[] = []
  let working: Promise<unknown> = Promise.resolve()
  await harness.database.transaction(
    async (transaction) => {
      await transaction.prisma.$queryRaw`SELECT FROM sync_states
        WHERE credential_id = ${credentialId}::uuid AND topic = ${FIRST} FOR UPDATE`
      working = Promise.all(works.map((work) => work()))
      // Awaited after the row is released.
      working.catch(() => {})
      await untilWaiting(works.length)
      const free = await prisma.$queryRaw<{ topic: string }[]>`SELECT topic FROM sync_states
        WHERE credential_id = ${credentialId}::uuid FOR UPDATE SKIP LOCKED`
      taken = TOPICS.filter((topic) => free.every((state) => state.topic !== topic))
    },
    { timeoutMs: 60_000 },
  )
  await working
  return taken
}

it('the renewal of leases locks rows in order', async () => {
  expect(await listLockedTopics([renew])).toEqual([FIRST])
  expect([...(await renew())].sort()).toEqual(leases.map(({ holder }) => holder).sort())
})

it('the deletion of a credential locks rows in order', async () => {
  expect(await listLockedTopics([remove])).toEqual([FIRST])
  expect(await harness.database.prisma.syncState.count({ where: { credentialId } })).toBe(0)
})

it('a renewal and a deletion at the same time both complete', async () => {
  expect(await listLockedTopics([renew, remove, renew])).toEqual([FIRST])
})
