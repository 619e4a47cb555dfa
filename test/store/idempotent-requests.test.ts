/** An expired claim belongs to the next attempt, and the first attempt can no longer change it. */
import { expect, test } from 'vitest'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createIdempotencyStore } from '../../src/store/writes/idempotent-requests.ts'
import { createTestDatabase } from '../support/database.ts'
import { testVault } from '../support/vault.ts'

test('an attempt that lost its claim neither stores a response nor forgets, releases or renews the claim', async () => {
  const { url, drop } = await createTestDatabase()
  const database = openDatabase({ url })
  const requests = createIdempotencyStore(database, testVault)
  const environmentId = await ensureEnvironment(database, 'Test', 'development')
  const request = { environmentId, key: 'a key' }
  const claimRequest = async () => {
    const claimed = await requests.claim(request, 'fingerprint')
    if (claimed.state !== 'claimed') throw new Error(claimed.state)
    return claimed
  }
  const first = await claimRequest()
  await database.prisma.$executeRaw`
    UPDATE idempotent_requests SET held_until = clock_timestamp() - interval '1 s'`
  const second = await claimRequest()
  expect(second.interruptedSince).toBeInstanceOf(Date)
  expect(second.attemptKey).toBe(first.attemptKey)

  await requests.store(first.lease, { status: 200, body: 'late' })
  await requests.release(first.lease, false)
  await requests.release(first.lease, true)
  await expect(
    requests.complete(first.lease, async () => ({ status: 200, body: 'late' })),
  ).rejects.toMatchObject({ code: 'LEASE_LOST' })
  expect([...(await requests.renew([first.lease, second.lease]))]).toEqual([second.lease.holder])
  expect(await requests.claim(request, 'fingerprint')).toEqual({ state: 'in-flight' })

  await requests.store(second.lease, { status: 200, body: 'second' })
  await requests.release(first.lease, true)
  expect(await requests.claim(request, 'fingerprint')).toEqual({
    state: 'completed',
    response: { status: 200, body: 'second' },
  })
  // After its expiry, the row belongs to another request, which no app may take for a repetition.
  await database.prisma.$executeRaw`
    UPDATE idempotent_requests SET expires_at = clock_timestamp() - interval '1 s'`
  expect((await claimRequest()).attemptKey).not.toBe(first.attemptKey)
  await database.stop()
  await drop()
})
