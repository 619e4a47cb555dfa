/** Consequences of an endpoint's failures and pauses, and when they are cleared. */
import { beforeEach, expect, test } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import type { WebhookDeliveryOptions } from '../../src/delivery/webhooks.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readDeliveryStatus } from '../../src/store/webhooks/webhook-history.ts'
import { updateWebhook, type WebhookChange } from '../../src/store/webhooks/webhooks.ts'
import { ok, type Receiver, status } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { until, type WebhookHarness } from './webhook-harness.ts'

const DAY_MS = 86_400_000

let harness: WebhookHarness
let receiver: Receiver
/** The time by the clock of the delivering processes. */
let nowMs: number
let record = 0

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})
beforeEach(() => {
  nowMs = Date.now()
})

// Attempts under way when the settings change may finish.
const deliver = (options: Partial<WebhookDeliveryOptions> = {}) =>
  harness.deliver({ clock: { nowMs: () => nowMs }, graceMs: 20_000, ...options })
const change = () => harness.change([++record])
const update = (id: string, changed: WebhookChange) =>
  updateWebhook(harness.database, harness.owner.environmentId, id, changed, (topics, text) =>
    readPayload(catalogue, topics, text),
  )
const isEnabled = async (id: string): Promise<boolean> =>
  (await harness.database.prisma.webhookSubscription.findUniqueOrThrow({ where: { id } })).isEnabled
const listStatuses = async (id: string) =>
  (await harness.attempts(id)).map((attempt) => attempt.status)

test('an endpoint that is enabled again is not judged by earlier failures', async () => {
  receiver.behave('/a', status(410))
  const id = await harness.subscribe(`${receiver.origin}/a`)
  await deliver()
  await change()
  await until(() => isEnabled(id)).toBe(false)
  nowMs += 7 * DAY_MS
  receiver.behave('/a', (...call) => (call[2] === 1 ? status(502)(...call) : ok(...call)))
  await update(id, { isEnabled: true })
  expect(await readDeliveryStatus(harness.database, id)).toMatchObject({
    failures: 0,
    failingSince: null,
    disabledReason: null,
  })
  await until(() => listStatuses(id)).toEqual([410, 502, 204])
  expect(await isEnabled(id)).toBe(true)
})

test('a pause requested by one address does not apply to its replacement', async () => {
  receiver.behave('/b', status(429, { 'retry-after': '86400' }))
  const id = await harness.subscribe(`${receiver.origin}/b`)
  await deliver()
  await change()
  await until(() => harness.waiting(id)).toBe(1)
  await update(id, { address: `${receiver.origin}/b-mended` })
  await change()
  // The message that was scheduled for tomorrow, and the new message.
  await until(() => receiver.at('/b-mended').length).toBe(2)
  await until(() => harness.waiting(id)).toBe(0)
})

test.each([
  ['/c', 429],
  ['/d', 410],
])('%s: the response of a replaced address does not count: %i', async (path, code) => {
  let respond = (): void => {}
  receiver.behave(path, (...call) => {
    respond = () => status(code, { 'retry-after': '86400' })(...call)
  })
  const id = await harness.subscribe(receiver.origin + path)
  await deliver()
  await change()
  await until(() => receiver.at(path).length).toBe(1)
  await update(id, { address: `${receiver.origin}${path}-mended` })
  respond()
  await until(() => listStatuses(id)).toEqual([code, 204])
  expect(receiver.at(`${path}-mended`)).toHaveLength(1)
  expect(await isEnabled(id)).toBe(true)
})

test('a message whose last attempt disables the endpoint is sent with all attempts once it is enabled again', async () => {
  receiver.behave('/e', (...call) => {
    // The schedule ends with the tenth attempt, after more than three days.
    if (call[2] === 9) nowMs += 4 * DAY_MS
    status(500)(...call)
  })
  const id = await harness.subscribe(`${receiver.origin}/e`)
  await deliver({ timeScale: 0 })
  await change()
  await until(() => isEnabled(id)).toBe(false)
  expect(await listStatuses(id)).toEqual(Array(10).fill(500))
  expect(await harness.waiting(id)).toBe(1)
  receiver.behave('/e', (...call) => (call[2] === 10 ? status(502)(...call) : ok(...call)))
  await update(id, { isEnabled: true })
  await until(async () => (await listStatuses(id)).slice(10)).toEqual([502, 204])
})

test('a delivery under way when a pause begins does not end that pause', async () => {
  let arrive = (): void => {}
  receiver.behave('/f', (...call) => {
    if (call[2] === 0) arrive = () => ok(...call)
    else if (call[2] === 1) status(429, { 'retry-after': '3600' })(...call)
    else ok(...call)
  })
  const id = await harness.subscribe(`${receiver.origin}/f`)
  const unpaused = await harness.subscribe(`${receiver.origin}/g`)
  await deliver()
  await harness.change([++record, ++record])
  await until(() => listStatuses(id)).toEqual([429])
  arrive()
  await until(() => listStatuses(id)).toEqual([429, 204])
  await change()
  await until(() => listStatuses(unpaused)).toHaveLength(3)
  expect(receiver.at('/f')).toHaveLength(2)
  nowMs += 3_600_000
  await until(() => listStatuses(id)).toEqual([429, 204, 204])
})
