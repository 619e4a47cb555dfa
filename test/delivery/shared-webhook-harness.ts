/** The webhook harness and the receiver shared by the tests of a file. */
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type Receiver, startReceiver } from './receiver.ts'
import { openWebhookHarness, type WebhookHarness } from './webhook-harness.ts'

export interface SharedHarness {
  readonly harness: WebhookHarness
  readonly receiver: Receiver
}

/** Opens both before the tests of the file; each test ends without subscriptions or received messages. */
export const shareWebhookHarness = (onOpen: (both: SharedHarness) => void): void => {
  let harness: WebhookHarness
  let receiver: Receiver
  beforeAll(async () => {
    harness = await openWebhookHarness()
    receiver = await startReceiver()
    onOpen({ harness, receiver })
  })
  afterEach(async () => {
    await harness.stopAll()
    await harness.database.prisma.webhookSubscription.deleteMany()
    receiver.clear()
  })
  afterAll(async () => {
    await harness.close()
    await receiver.stop()
  })
}
