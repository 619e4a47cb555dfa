/** A claim that ran out is the next try's: what the first still does to it changes nothing. */
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { ensureEnvironment } from '../../src/store/environments.ts'
import { createIdempotentRequests } from '../../src/store/idempotent-requests.ts'
import { createTestDatabase } from '../support/database.ts'
import { testVault } from '../support/vault.ts'

test('a try that lost its claim neither keeps an answer nor forgets, gives up or renews the claim', async () => {
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
  expect(second.brokenOffSince).toBeInstanceOf(Date)

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
    ...{ state: 'answered', answer: { status: 200, body: 'second' } },
  })
  await database.stop()
  await drop()
})
