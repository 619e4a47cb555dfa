/** Endpoints that fail, and a log of long records: what they are not sent waits in the log, and nowhere else. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { openOffice } from './open-office.ts'
import { numbers, type PostOffice, until } from './post-office.ts'
import { ok, type Receiver, status } from './receiver.ts'

let office: PostOffice
let receiver: Receiver

openOffice((opened) => {
  ;({ office, receiver } = opened)
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const heapMb = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const description = 'x'.repeat(20_000)

test('endpoints that fail, each at a place of its own, hold nothing of the log', async () => {
  const ENDPOINTS = 60
  const EACH = 15
  for (const n of numbers(ENDPOINTS)) {
    receiver.behave(`/fails-${n}`, status(500))
    await office.subscribe(`${receiver.origin}/fails-${n}`)
    await office.change(numbers(EACH, n * EACH), { description })
  }
  const before = heapMb()
  // The pauses are those of the product: what is left alone stays so while it is measured.
  await office.deliver({ timeScale: 1, concurrency: 5 })
  await until(async () => {
    const tried = await office.database.prisma.webhookAttemptBatch.groupBy({
      by: ['subscriptionId'],
    })
    return tried.length
  }).toBe(ENDPOINTS)
  // Of the log, which has 18 MB, each would have some in hand: as much as it may, 30 MB; all, 500 MB.
  await until(() => {
    receiver.received.length = 0
    return heapMb() - before
  }).toBeLessThan(15)
})

test('what was left in the log arrives once the endpoint is well: all of it, and from the log once', async () => {
  const COUNT = 120
  receiver.behave('/ill', (response, message, tried) =>
    (tried < 150 && tried % 7 > 0 ? status(500) : ok)(response, message, tried),
  )
  const id = await office.subscribe(`${receiver.origin}/ill`)
  await office.deliver()
  await office.change(numbers(COUNT, 1000), { description })
  await until(async () => {
    const arrived = (await office.attempts(id)).filter((attempt) => attempt.status === 204)
    return new Set(arrived.map(({ messageId }) => messageId)).size
  }).toBe(COUNT)
  const first = (await office.attempts(id)).filter(({ attempt }) => attempt === 1)
  expect(first).toHaveLength(COUNT)
})
