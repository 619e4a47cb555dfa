/** A process keeps the leases that it has, and no others. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLeases, type HeldLease } from '../../src/sync/leases.ts'
import { addCredential, openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop
let held: (HeldLease | undefined)[]

beforeEach(async () => {
  shop = await openWorkshop()
  held = []
})

afterEach(async () => {
  for (const lease of held) lease?.release()
  await shop.close()
})

const renewals = (): number => shop.statements.filter((text) => /jsonb_set/.test(text)).length

/** Until all leases were renewed: the first renewal had perhaps begun already, the second had not. */
const renewed = (): Promise<unknown> => {
  const before = renewals()
  return expect.poll(renewals, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before + 1)
}

it('a lease is not taken for lost by a renewal while it is being taken', async () => {
  const { database, log } = shop
  const leases = createLeases({ database, log, durationMs: 60 })
  const take = async (credentialId: string): Promise<HeldLease | undefined> => {
    const lease = await leases.take({ credentialId, topic: TOPIC }, new AbortController().signal)
    held.push(lease)
    return lease
  }
  // Renewals go on because of this one.
  await take(shop.credentialId)
  const { credentialId } = await addCredential(database, {})
  let taking: ReturnType<typeof take> | undefined
  await database.prisma.$transaction(
    async (transaction) => {
      await transaction.$queryRaw`SELECT FROM sync_states
        WHERE credential_id = ${credentialId}::uuid FOR UPDATE`
      taking = take(credentialId)
      await renewed()
    },
    { timeout: 60_000 },
  )
  const lease = await taking
  expect(lease?.state).toMatchObject({ progress: null })
  await renewed()
  expect(lease?.signal.aborted).toBe(false)
})
