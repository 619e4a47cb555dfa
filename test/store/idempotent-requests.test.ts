/** An expired claim belongs to the next attempt, and the first attempt can no longer change it. */
import { expect, test } from 'vitest'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createIdempotentRequests } from '../../src/store/writes/idempotent-requests.ts'
import { createTestDatabase } from '../support/database.ts'
import { testVault } from '../support/vault.ts'

test('an attempt that lost its claim neither stores a response nor forgets, releases or renews the claim', async () => {
  const { url, drop } = await createTestDatabase()
  const database = openDatabase({ url })
  const requests = createIdempotentRequests(database, testVault)
  const environmentId = await ensureEnvironment(database, 'Test', 'development')
  const request = { environmentId, key: 'a key' }
  const claim = async () => {
    const claimed = await requests.claim(request, 'asked')
    if (claimed.state !== 'claimed') throw new Error(claimed.state)
    return claimed
  }
  const late = await claim()
  await database.prisma.$executeRaw`
    UPDATE idempotent_requests SET held_until = clock_timestamp() - interval '1 s'`
  const second = await claim()
  expect(second.interruptedSince).toBeInstanceOf(Date)

  await requests.keep(request, late, { status: 200, body: 'late' })
  await requests.release(request, late, false)
  await requests.release(request, late, true)
  await expect(
    requests.complete(request, late, async () => ({ status: 200, body: 'late' })),
  ).rejects.toMatchObject({ code: 'TAKEN_OVER' })
  expect(await requests.claim(request, 'asked')).toEqual({ state: 'in-flight' })

  await requests.keep(request, second, { status: 200, body: 'second' })
  await requests.release(request, late, true)
  expect(await requests.claim(request, 'asked')).toEqual({
    state: 'answered',
    answer: { status: 200, body: 'second' },
  })
  await database.stop()
  await drop()
})
