/** A process keeps the leases that it holds, and no others. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLeases, type HeldRun } from '../../src/sync/leases.ts'
import { addCredential, openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop
let held: (HeldRun | undefined)[]

beforeEach(async () => {
  shop = await openWorkshop()
  held = []
})

afterEach(async () => {
  for (const lease of held) lease?.release()
  await shop.close()
})

const renewals = (): number =>
  shop.statements.filter((text) => /UPDATE sync_states t SET held_until/.test(text)).length

/** Resolves after a full renewal: the first may have started already, the second had not. */
const renewed = (): Promise<unknown> => {
  const before = renewals()
  return expect.poll(renewals, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before + 1)
}

it('a renewal does not count a lease as lost while it is being taken', async () => {
  const { database, log } = shop
  const leases = createLeases({ database, log, durationMs: 6000 })
  const take = async (credentialId: string): Promise<HeldRun | undefined> => {
    const lease = await leases.acquire({ credentialId, topic: TOPIC }, new AbortController().signal)
    held.push(lease)
    return lease
  }
  // This lease keeps the renewals running.
  await take(shop.credentialId)
  const { credentialId } = await addCredential(database, {})
  let taking: ReturnType<typeof take> | undefined
  await database.transaction(
    async (transaction) => {
      await transaction.prisma.$queryRaw`SELECT FROM sync_states
        WHERE credential_id = ${credentialId}::uuid FOR UPDATE`
      taking = take(credentialId)
      await renewed()
    },
    { timeoutMs: 60_000 },
  )
  const lease = await taking
  expect(lease?.state).toMatchObject({ progress: null })
  await renewed()
  expect(lease?.signal.aborted).toBe(false)
})
