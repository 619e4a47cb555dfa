/** ALLOW_PRIVATE_ADDRESSES always shows in the log. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebhookHarness, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
beforeAll(async () => {
  harness = await openWebhookHarness()
})
afterAll(() => harness.close())

test('a process that may send to private addresses logs a warning at start, and no other process does', async () => {
  const listWarnings = () =>
    harness.log.lines.filter((line) => line.includes('ALLOW_PRIVATE_ADDRESSES'))
  await harness.deliver({ allowPrivateAddresses: false })
  expect(listWarnings()).toEqual([])
  await harness.deliver({ allowPrivateAddresses: true })
  expect(listWarnings()).toEqual([expect.stringMatching(/^warn /)])
})
