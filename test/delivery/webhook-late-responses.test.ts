/** Query results that are stale on arrival. */
import { expect, test } from 'vitest'
import { requestReplay } from '../../src/store/webhooks/webhook-replays.ts'
import { createLateDatabase, type HeldResult } from './late-database.ts'
import { ok, type Receiver, status } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

/** Waits for two checkpoints, so that every delivery so far is saved and the process knows it. */
const waitForCheckpoints = async (id: string, number: number): Promise<void> => {
  const before = (await harness.attempts(id)).length
  await harness.change([number])
  await until(async () => (await harness.attempts(id)).length).toBe(before + 1)
}

const listStatuses = async (id: string, messageId: string | undefined) =>
  (await harness.attempts(id))
    .filter((attempt) => attempt.messageId === messageId)
    .map((attempt) => attempt.status)

test('a message delivered while the due query runs is not sent again', async () => {
  const lateDatabase = createLateDatabase(harness.database)
  const id = await harness.subscribe(`${receiver.origin}/due`)
  let respond = (): void => {}
  let heldResult: HeldResult | undefined
  receiver.behave('/due', (response, message, place) => {
    if (place === 0) return status(500)(response, message, place)
    if (place > 1) return ok(response, message, place)
    // The message is under way, and still due in the database.
    heldResult = lateDatabase.hold('due')
    respond = () => ok(response, message, place)
  })
  await harness.deliver({ database: lateDatabase.database })
  await harness.change([1])
  await until(() => heldResult).toBeDefined()
  await heldResult?.read
  respond()
  await until(() => harness.waiting(id)).toBe(0)
  await waitForCheckpoints(id, 2)
  heldResult?.release()
  await harness.stopAll()
  const messageId = receiver.at('/due')[0]?.id
  expect(await listStatuses(id, messageId)).toEqual([500, 204])
  expect(receiver.at('/due').filter((message) => message.id === messageId)).toHaveLength(2)
})

test('a replay that ended while the replay query runs is not sent again', async () => {
  const lateDatabase = createLateDatabase(harness.database)
  const id = await harness.subscribe(`${receiver.origin}/replay`)
  const owner = { environmentId: harness.owner.environmentId, subscriptionId: id }
  const countReplays = () => harness.database.prisma.webhookReplay.count()
  // The lease is not renewed while the result is held.
  await harness.deliver({ database: lateDatabase.database, leaseMs: 20_000 })
  await waitForCheckpoints(id, 11)
  const [messageId = ''] = receiver.at('/replay').map((message) => message.id)
  let respond = (): void => {}
  let heldResult: HeldResult | undefined
  receiver.behave('/replay', (response, message, place) => {
    if (place > 1) return ok(response, message, place)
    heldResult = lateDatabase.hold('replays')
    respond = () => ok(response, message, place)
  })
  await requestReplay(harness.database, owner, { messageId })
  await until(() => heldResult).toBeDefined()
  await heldResult?.read
  respond()
  await until(countReplays).toBe(0)
  await waitForCheckpoints(id, 12)
  heldResult?.release()
  await waitForCheckpoints(id, 13)
  await harness.stopAll()
  expect(await listStatuses(id, messageId)).toEqual([204, 204])
})
