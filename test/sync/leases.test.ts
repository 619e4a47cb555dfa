/** A process keeps the leases that it holds, and no others. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLeases, type HeldRun } from '../../src/sync/leases.ts'
import { addCredential, openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

/** Longer than any pause of the machine that runs the test. */
const DURATION_MS = 300_000

let harness: SyncHarness
let held: (HeldRun | undefined)[]

beforeEach(async () => {
  harness = await openSyncHarness()
  held = []
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})

afterEach(async () => {
  for (const lease of held) lease?.release()
  vi.useRealTimers()
  await harness.close()
})

const countRenewals = (): number =>
  harness.statements.filter((text) => /UPDATE sync_states t SET held_until/.test(text)).length

/** The renewals run at an interval, which only this function lets pass. */
const renew = async (): Promise<void> => {
  const before = countRenewals()
  vi.advanceTimersByTime(DURATION_MS / 3)
  await expect.poll(countRenewals, { timeout: 30_000, interval: 5 }).toBe(before + 1)
}

it('a renewal does not count a lease as lost while it is being taken', async () => {
  const { database, log } = harness
  const leases = createLeases({ database, log, durationMs: DURATION_MS })
  const take = async (credentialId: string): Promise<HeldRun | undefined> => {
    const lease = await leases.acquire({ credentialId, topic: TOPIC }, new AbortController().signal)
    held.push(lease)
    return lease
  }
  // This lease starts the renewals.
  await take(harness.credentialId)
  const { credentialId } = await addCredential(database, {})
  let taking: ReturnType<typeof take> | undefined
  await database.transaction(
    async (transaction) => {
      await transaction.prisma.$queryRaw`SELECT FROM sync_states
        WHERE credential_id = ${credentialId}::uuid FOR UPDATE`
      taking = take(credentialId)
      await renew()
    },
    { timeoutMs: 60_000 },
  )
  const lease = await taking
  expect(lease?.state).toMatchObject({ progress: null })
  await renew()
  expect(lease?.signal.aborted).toBe(false)
})
