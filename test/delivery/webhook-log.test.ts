/** The log of a webhook endpoint that fails and recovers. */
import { expect, test } from 'vitest'
import { ok, type Receiver, status } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver
shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

test('an endpoint is reported when it starts to fail and when it recovers', async () => {
  receiver.behave('/log', (request, response, index) =>
    (index < 3 ? status(503) : ok)(request, response, index),
  )
  const id = await harness.subscribe(`${receiver.origin}/log`)
  const listLines = () =>
    harness.log.lines.filter((line) => line.includes('webhook endpoint') && line.includes(id))
  await harness.deliver()
  await harness.change([1])
  await until(() => listLines().length).toBe(2)
  const [failed, recovered] = listLines()
  expect(failed).toMatch(/^warn a webhook endpoint has started to fail .*'it answered 503'/s)
  expect(recovered).toMatch(/^info a webhook endpoint has recovered .*failures: 3/s)

  // It fails again within a minute: not reported, nor is its recovery.
  const before = receiver.at('/log').length
  receiver.behave('/log', (request, response, index) =>
    (index === before ? status(500) : ok)(request, response, index),
  )
  await harness.change([2])
  await until(() => receiver.at('/log').length).toBe(before + 2)
  expect(listLines()).toHaveLength(2)
})
