/** Who takes the rows of several synchronisations takes them in one order: then none waits for another in a circle. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deleteCredential } from '../../src/store/credentials.ts'
import { type Lease, renewRuns } from '../../src/store/sync-state.ts'
import { addCredential, openWorkshop, type Workshop } from './workshop.ts'

const FIRST = 'crm/a'
// Stored and renewed the other way round than they are to be taken.
const TOPICS = ['crm/z', 'crm/m', 'crm/b', FIRST]

let shop: Workshop
let credentialId: string
let leases: readonly Lease[]
let remove: () => Promise<unknown>

beforeEach(async () => {
  shop = await openWorkshop()
  const { prisma } = shop.database
  const owner = await addCredential(shop.database, {})
  credentialId = owner.credentialId
  const { userId } = await prisma.credential.findUniqueOrThrow({ where: { id: credentialId } })
  await prisma.syncState.deleteMany({ where: { credentialId } })
  leases = TOPICS.map((topic) => ({
    key: { credentialId, topic },
    holder: `holder of ${topic}`,
    durationMs: 60_000,
  }))
  for (const { key, holder } of leases)
    await prisma.syncState.create({ data: { ...key, run: { holder } } })
  remove = () => deleteCredential(shop.database, owner.environmentId, userId, credentialId)
})

afterEach(() => shop.close())

/** Until so many statements wait for a lock. */
const waiting = (count: number): Promise<unknown> =>
  expect
    .poll(
      async () => {
        const [found] = await shop.database.prisma.$queryRaw<{ count: number }[]>`
          SELECT count(*)::integer AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return found?.count
      },
      { timeout: 60_000, interval: 5 },
    )
    .toBe(count)

/** Holds the first row until all of `works` wait. @returns the topics whose rows are taken then */
const takenMeanwhile = async (works: readonly (() => Promise<unknown>)[]): Promise<string[]> => {
  const { prisma } = shop.database
  let taken: string[] = []
  let working: Promise<unknown> = Promise.resolve()
  await prisma.$transaction(
    async (transaction) => {
      await transaction.$queryRaw`SELECT FROM sync_states
        WHERE credential_id = ${credentialId}::uuid AND topic = ${FIRST} FOR UPDATE`
      working = Promise.all(works.map((work) => work()))
      // Awaited once the row is free.
      working.catch(() => {})
      await waiting(works.length)
      const free = await prisma.$queryRaw<{ topic: string }[]>`SELECT topic FROM sync_states
        WHERE credential_id = ${credentialId}::uuid FOR UPDATE SKIP LOCKED`
      taken = TOPICS.filter((topic) => free.every((state) => state.topic !== topic))
    },
    { timeout: 60_000 },
  )
  await working
  return taken
}

it('by the renewal of leases', async () => {
  expect(await takenMeanwhile([() => renewRuns(shop.database, leases)])).toEqual([FIRST])
  expect([...(await renewRuns(shop.database, leases))].sort()).toEqual(
    leases.map(({ holder }) => holder).sort(),
  )
})

it('by the deletion of a credential', async () => {
  expect(await takenMeanwhile([remove])).toEqual([FIRST])
  expect(await shop.database.prisma.syncState.count({ where: { credentialId } })).toBe(0)
})

it('by both at once, and both end', async () => {
  const renewal = () => renewRuns(shop.database, leases)
  expect(await takenMeanwhile([renewal, remove, renewal])).toEqual([FIRST])
})
