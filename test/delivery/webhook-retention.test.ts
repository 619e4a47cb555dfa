/** Changes that leave the change log before they are sent are reported. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pruneChanges } from '../../src/store/changes/changes.ts'
import { expiredUntil } from '../../src/store/changes/log-start.ts'
import { readDeliveryStatus } from '../../src/store/webhooks/webhook-history.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { openWebhookHarness, until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

beforeAll(async () => {
  harness = await openWebhookHarness()
  receiver = await startReceiver()
})
afterAll(async () => {
  await harness.close()
  await receiver.stop()
})

test('the status reports up to when changes were dropped, for the affected subscriptions only', async () => {
  const { prisma } = harness.database
  const late = await harness.subscribe(`${receiver.origin}/late`)
  await harness.change([1, 2])
  await prisma.$executeRaw`UPDATE change_log.changes SET at = at - interval '40 days'`
  await untilLogReadable(harness)
  const inTime = await harness.subscribe(`${receiver.origin}/in-time`)
  await harness.change([3])
  await untilLogReadable(harness)
  while ((await pruneChanges(harness.database, 30)) > 0);
  const forgotten = await expiredUntil(harness.database)
  expect(forgotten).toBeInstanceOf(Date)
  await harness.deliver()
  await until(() => receiver.received.length).toBe(2)
  const readMissedUntil = async (id: string) =>
    (await readDeliveryStatus(harness.database, id))?.missedUntil
  expect(await readMissedUntil(late)).toBe(forgotten?.toISOString())
  expect(await readMissedUntil(inTime)).toBeNull()
})

test('deletes expired attempts soon after a process starts', async () => {
  const { prisma } = harness.database
  const id = await harness.subscribe(`${receiver.origin}/old`)
  await prisma.webhookAttemptBatch.create({
    data: { subscriptionId: id, savedAt: new Date(0), messageIds: ['msg_old'], attempts: [{}] },
  })
  await harness.deliver()
  await until(() => prisma.webhookAttemptBatch.count({ where: { savedAt: new Date(0) } })).toBe(0)
})
