/** What an endpoint's failures and pauses lead to, and when they are forgotten. */
import { beforeEach, expect, test } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import type { WebhookDeliveryOptions } from '../../src/delivery/webhooks.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { readDeliveryStatus } from '../../src/store/webhook-history.ts'
import { updateWebhook, type WebhookChange } from '../../src/store/webhooks.ts'
import { openOffice } from './open-office.ts'
import { type PostOffice, until } from './post-office.ts'
import { ok, type Receiver, status } from './receiver.ts'

const DAY_MS = 86_400_000

let office: PostOffice
let receiver: Receiver
/** The time, as those see it who deliver. */
let nowMs: number
let record = 0

openOffice((opened) => {
  ;({ office, receiver } = opened)
})
beforeEach(() => {
  nowMs = Date.now()
})

// What is under way when the settings change may end.
const deliver = (options: Partial<WebhookDeliveryOptions> = {}) =>
  office.deliver({ nowMs: () => nowMs, graceMs: 20_000, ...options })
const change = () => office.change([++record])
const update = (id: string, changed: WebhookChange) =>
  updateWebhook(office.database, office.home.environmentId, id, changed, (topics, text) =>
    readPayload(catalogue, topics, text),
  )
const isEnabled = async (id: string): Promise<boolean> =>
  (await office.database.prisma.webhookSubscription.findUniqueOrThrow({ where: { id } })).isEnabled
const statuses = async (id: string) => (await office.attempts(id)).map((attempt) => attempt.status)

test('switched on again, it is not judged by what failed before', async () => {
  receiver.behave('/a', status(410))
  const id = await office.subscribe(`${receiver.origin}/a`)
  await deliver()
  await change()
  await until(() => isEnabled(id)).toBe(false)
  nowMs += 7 * DAY_MS
  receiver.behave('/a', (...call) => (call[2] === 1 ? status(502)(...call) : ok(...call)))
  await update(id, { isEnabled: true })
  expect(await readDeliveryStatus(office.database, id)).toMatchObject({
    ...{ failures: 0, failingSince: null, disabledReason: null },
  })
  await until(() => statuses(id)).toEqual([410, 502, 204])
  expect(await isEnabled(id)).toBe(true)
})

test('a pause that an endpoint asked for does not hold for another address', async () => {
  receiver.behave('/b', status(429, { 'retry-after': '86400' }))
  const id = await office.subscribe(`${receiver.origin}/b`)
  await deliver()
  await change()
  await until(() => office.waiting(id)).toBe(1)
  await update(id, { address: `${receiver.origin}/b-mended` })
  await change()
  // What waited for tomorrow, and what came.
  await until(() => receiver.at('/b-mended').length).toBe(2)
  await until(() => office.waiting(id)).toBe(0)
})

test.each([
  ['/c', 429],
  ['/d', 410],
])('%s: what an address answers after it was replaced does not count: %i', async (path, code) => {
  let answer = (): void => {}
  receiver.behave(path, (...call) => {
    answer = () => status(code, { 'retry-after': '86400' })(...call)
  })
  const id = await office.subscribe(receiver.origin + path)
  await deliver()
  await change()
  await until(() => receiver.at(path).length).toBe(1)
  await update(id, { address: `${receiver.origin}${path}-mended` })
  answer()
  await until(() => statuses(id)).toEqual([code, 204])
  expect(receiver.at(`${path}-mended`)).toHaveLength(1)
  expect(await isEnabled(id)).toBe(true)
})

test('the message whose last attempt switches it off is sent once it is on again, with all attempts', async () => {
  receiver.behave('/e', (...call) => {
    // The schedule ends with the tenth, when more than three days are over.
    if (call[2] === 9) nowMs += 4 * DAY_MS
    status(500)(...call)
  })
  const id = await office.subscribe(`${receiver.origin}/e`)
  await deliver({ timeScale: 0 })
  await change()
  await until(() => isEnabled(id)).toBe(false)
  expect(await statuses(id)).toEqual(Array(10).fill(500))
  expect(await office.waiting(id)).toBe(1)
  receiver.behave('/e', (...call) => (call[2] === 10 ? status(502)(...call) : ok(...call)))
  await update(id, { isEnabled: true })
  await until(async () => (await statuses(id)).slice(10)).toEqual([502, 204])
})

test('what was under way when a pause was asked for does not end it by arriving', async () => {
  let arrive = (): void => {}
  receiver.behave('/f', (...call) => {
    if (call[2] === 0) arrive = () => ok(...call)
    else if (call[2] === 1) status(429, { 'retry-after': '3600' })(...call)
    else ok(...call)
  })
  const id = await office.subscribe(`${receiver.origin}/f`)
  const unpaused = await office.subscribe(`${receiver.origin}/g`)
  await deliver()
  await office.change([++record, ++record])
  await until(() => statuses(id)).toEqual([429])
  arrive()
  await until(() => statuses(id)).toEqual([429, 204])
  await change()
  await until(() => statuses(unpaused)).toHaveLength(3)
  expect(receiver.at('/f')).toHaveLength(2)
  nowMs += 3_600_000
  await until(() => statuses(id)).toEqual([429, 204, 204])
})
