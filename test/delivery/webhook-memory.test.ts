/** Failing endpoints and long records: unsent changes wait in the log and take no memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ok, type Receiver, status } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { numbers, until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const heapMb = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const description = 'x'.repeat(20_000)

test('failing endpoints at different positions hold no part of the log in memory', async () => {
  const ENDPOINTS = 60
  const CHANGES_PER_ENDPOINT = 15
  for (const n of numbers(ENDPOINTS)) {
    receiver.behave(`/fails-${n}`, status(500))
    await harness.subscribe(`${receiver.origin}/fails-${n}`)
    await harness.change(numbers(CHANGES_PER_ENDPOINT, n * CHANGES_PER_ENDPOINT), { description })
  }
  const before = heapMb()
  // The product's own pauses, so that paused endpoints stay paused during the measurement.
  await harness.deliver({ timeScale: 1, concurrency: 5 })
  await until(async () => {
    const tried = await harness.database.prisma.webhookAttemptBatch.groupBy({
      by: ['subscriptionId'],
    })
    return tried.length
  }).toBe(ENDPOINTS)
  // The log has 18 MB. Each endpoint may queue up to 30 MB, so all of them together would hold 500 MB.
  await until(() => {
    receiver.received.length = 0
    return heapMb() - before
  }).toBeLessThan(15)
})

test('delivers everything once the endpoint recovers, and reads the log once', async () => {
  const COUNT = 120
  receiver.behave('/ill', (response, message, tried) =>
    (tried < 150 && tried % 7 > 0 ? status(500) : ok)(response, message, tried),
  )
  const id = await harness.subscribe(`${receiver.origin}/ill`)
  await harness.deliver()
  await harness.change(numbers(COUNT, 1000), { description })
  await until(async () => {
    const arrived = (await harness.attempts(id)).filter((attempt) => attempt.status === 204)
    return new Set(arrived.map(({ messageId }) => messageId)).size
  }).toBe(COUNT)
  const first = (await harness.attempts(id)).filter(({ attempt }) => attempt === 1)
  expect(first).toHaveLength(COUNT)
})
