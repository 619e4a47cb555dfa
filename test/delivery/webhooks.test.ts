/** Webhook requests: their content, what counts as success, and the consequences of a failure. */

import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { appendEvent } from '../../src/store/changes/events.ts'
import { rotateWebhookSecret } from '../../src/store/secrets/webhook-secrets.ts'
import { testVault } from '../support/vault.ts'
import { ok, type Receiver, status } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { numbers, TOPIC, until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

let place = 0
const nextPath = (): string => `/${++place}`

const isDisabled = async (id: string) =>
  harness.database.prisma.webhookSubscription.findUniqueOrThrow({
    where: { id },
    select: { isEnabled: true, disabledReason: true },
  })

test('sends a change as a message that the Standard Webhooks verifier accepts', async () => {
  const path = nextPath()
  const id = await harness.subscribe(receiver.origin + path)
  await harness.deliver()
  await harness.change([1], { accountName: 'Ålesund "Fisk"' })
  await until(() => receiver.at(path).length).toBe(1)
  const [message] = receiver.at(path)
  const verified = new Webhook(await harness.secretOf(id)).verify(
    message?.body ?? '',
    message?.headers as Record<string, string>,
  )
  const { credentialId, userId } = harness.owner
  expect(verified).toEqual({
    type: TOPIC,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      kind: 'created',
      environment: 'development',
      userId,
      credentialId,
      recordId: expect.any(String),
      changedFields: [],
      cursor: expect.any(String),
      record: expect.objectContaining({ remoteId: '1', accountName: 'Ålesund "Fisk"' }),
    },
  })
  expect(message?.headers['content-type']).toBe('application/json')
  expect(message?.id).toMatch(/^msg_[\w-]{32}$/)
})

test('sends the changes of every topic to a subscription to *', async () => {
  const path = nextPath()
  await harness.subscribe(receiver.origin + path, { topic: ['*'] })
  const narrow = nextPath()
  await harness.subscribe(receiver.origin + narrow)
  await harness.deliver()
  const { environmentId, credentialId } = harness.owner
  await harness.database.transaction((transaction) =>
    appendEvent(transaction, { environmentId, credentialId }, 'sync/completed', {}),
  )
  await harness.change([21])
  await until(() => receiver.at(path).length).toBe(2)
  const typesAt = (at: string) => receiver.at(at).map(({ body }) => JSON.parse(body).type)
  expect(typesAt(path).toSorted()).toEqual([TOPIC, 'sync/completed'])
  await until(() => typesAt(narrow)).toEqual([TOPIC])
})

test('both secrets verify during a rotation, and only the new one after it', async () => {
  const path = nextPath()
  const id = await harness.subscribe(receiver.origin + path)
  const before = await harness.secretOf(id)
  const { environmentId } = harness.owner
  const after = await rotateWebhookSecret(harness.database, testVault, environmentId, id)
  expect(after).not.toBe(before)
  let nowMs = Date.now()
  await harness.deliver({ clock: { nowMs: () => nowMs } })
  const isVerified = (secret: string | undefined): boolean => {
    const message = receiver.at(path).at(-1)
    try {
      // The verifier also rejects a wrong time: the timestamp is that of the attempt.
      new Webhook(secret ?? '').verify(message?.body ?? '', {
        ...(message?.headers as Record<string, string>),
      })
      return true
    } catch {
      return false
    }
  }
  await harness.change([10])
  await until(() => receiver.at(path).length).toBe(1)
  expect(String(receiver.at(path)[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect([isVerified(before), isVerified(after)]).toEqual([true, true])
  nowMs += 25 * 3_600_000
  await harness.change([11])
  await until(() => receiver.at(path).length).toBe(2)
  const { id: messageId = '', headers = {}, body = '' } = receiver.at(path)[1] ?? {}
  const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(after ?? '').sign(messageId, signedAt, body)
  expect(headers['webhook-signature']).toBe(signature)
})

const ANSWER = '{"out\\of": NULL, \0, \'order\'}\n'
const KEPT_ANSWER = ANSWER.replace('\0', '\ufffd')

test('retries a failed message under the same id and keeps each attempt', async () => {
  const path = nextPath()
  receiver.behave(path, (response, message, tried) =>
    tried < 2 ? status(500, {}, ANSWER)(response, message, tried) : ok(response, message, tried),
  )
  const id = await harness.subscribe(receiver.origin + path)
  await harness.deliver()
  await harness.change([20])
  await until(() => receiver.at(path).length).toBe(3)
  await until(() => harness.waiting(id)).toBe(0)
  expect(new Set(receiver.at(path).map((message) => message.id)).size).toBe(1)
  const attempts = await harness.attempts(id)
  expect(
    attempts.map(({ attempt, status, answer, failure }) => ({ attempt, status, answer, failure })),
  ).toEqual([
    { attempt: 1, status: 500, answer: KEPT_ANSWER, failure: null },
    { attempt: 2, status: 500, answer: KEPT_ANSWER, failure: null },
    { attempt: 3, status: 204, answer: '', failure: null },
  ])
  expect(attempts.every(({ latencyMs }) => latencyMs >= 0 && latencyMs < 5000)).toBe(true)
})

test('treats a redirect as a failure and never follows it', async () => {
  const path = nextPath()
  receiver.behave(path, status(302, { location: `${receiver.origin}/elsewhere` }))
  const id = await harness.subscribe(receiver.origin + path)
  await harness.deliver()
  await harness.change([30])
  await until(async () => (await harness.attempts(id)).length).toBeGreaterThan(1)
  expect((await harness.attempts(id)).every((attempt) => attempt.status === 302)).toBe(true)
  expect(receiver.at('/elsewhere')).toEqual([])
})

test('410 disables the subscription and writes a change event', async () => {
  const path = nextPath()
  receiver.behave(path, status(410))
  const id = await harness.subscribe(receiver.origin + path)
  const watcher = nextPath()
  await harness.subscribe(receiver.origin + watcher, { topic: ['webhook/disabled'] })
  await harness.deliver()
  await harness.change([40])
  await until(() => isDisabled(id)).toEqual({
    isEnabled: false,
    disabledReason: 'the endpoint answered 410 Gone',
  })
  await until(() => receiver.at(watcher).length).toBe(1)
  const event = JSON.parse(receiver.at(watcher)[0]?.body ?? '')
  expect(event).toMatchObject({
    type: 'webhook/disabled',
    data: {
      credentialId: null,
      record: { subscriptionId: id, status: 410, address: receiver.origin + path },
    },
  })
  const tried = receiver.at(path).length
  await harness.change([41])
  await harness.database.prisma.webhookSubscription.update({
    where: { id },
    data: { isEnabled: true },
  })
  receiver.behave(path, ok)
  // The message answered with 410, and the changes since.
  await until(() => receiver.at(path).length).toBe(tried + 2)
  expect(new Set(receiver.at(path).map((message) => message.id)).size).toBe(2)
})

test('disables an endpoint that has failed for days, and loses none of the changes that it missed', async () => {
  const path = nextPath()
  receiver.behave(path, status(503))
  const id = await harness.subscribe(receiver.origin + path)
  let nowMs = Date.now()
  await harness.deliver({ clock: { nowMs: () => nowMs } })
  await harness.change([50])
  await until(() => receiver.at(path).length).toBeGreaterThan(1)
  expect((await isDisabled(id)).isEnabled).toBe(true)
  nowMs += 3 * 86_400_000
  await harness.change([51])
  await until(async () => (await isDisabled(id)).isEnabled).toBe(false)
  expect((await isDisabled(id)).disabledReason).toContain('has failed since')
  await harness.change(numbers(300, 52))
  receiver.clear()
  await harness.database.prisma.webhookSubscription.update({
    where: { id },
    data: { isEnabled: true },
  })
  await until(() => new Set(receiver.at(path).map((message) => message.id)).size).toBe(302)
})

test('Retry-After pauses the endpoint until then', async () => {
  const path = nextPath()
  receiver.behave(path, (response, message, tried) =>
    tried === 0
      ? status(429, { 'retry-after': '2' })(response, message, tried)
      : ok(response, message, tried),
  )
  await harness.subscribe(receiver.origin + path)
  await harness.deliver({ concurrency: 1 })
  await harness.change(numbers(3, 400))
  await until(() => receiver.at(path).length).toBe(4)
  const [first, second] = receiver.at(path)
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1990)
})

test('a delivered message leaves no waiting row and takes few statements', async () => {
  const path = nextPath()
  const id = await harness.subscribe(receiver.origin + path)
  await harness.deliver({ checkpointMs: 1000, window: 166 })
  harness.statements.length = 0
  const startedMs = performance.now()
  await harness.change(numbers(1000, 1000))
  await until(() => receiver.at(path).length).toBe(1000)
  await until(async () => (await harness.attempts(id)).length).toBe(1000)
  const writes = harness.statements.filter((sql) =>
    sql.includes('webhook_deliveries d SET position'),
  )
  // One statement per 100 attempts or per second, whichever comes first, and a few for waiting messages.
  const seconds = Math.ceil((performance.now() - startedMs) / 1000)
  expect(writes.length).toBeLessThanOrEqual(1000 / 100 + seconds + 3)
  expect(await harness.waiting(id)).toBe(0)
})

test('deleting a subscription deletes its state, and no other subscription’s', async () => {
  const paths = [nextPath(), nextPath()]
  const [deleted = '', other = ''] = await Promise.all(
    paths.map((path) => harness.subscribe(receiver.origin + path)),
  )
  await harness.deliver()
  await harness.change([3000])
  await until(async () => (await harness.attempts(deleted)).length).toBe(1)
  await until(async () => (await harness.attempts(other)).length).toBe(1)
  await harness.database.prisma.webhookSubscription.delete({ where: { id: deleted } })
  expect(await harness.attempts(deleted)).toEqual([])
  expect(await harness.attempts(other)).toHaveLength(1)
})

test('stops although a subscription is deleted while its last messages are under way', async () => {
  const answered = Promise.withResolvers<void>()
  receiver.behave('/hangs', (response, _message, place) => {
    if (place > 0) void answered.promise.then(() => response.writeHead(204).end())
  })
  const id = await harness.subscribe(`${receiver.origin}/hangs`)
  const delivery = await harness.deliver({ graceMs: 2000 })
  await harness.change([1, 2])
  await until(() => receiver.at('/hangs').length).toBe(2)
  const stopping = delivery.stop()
  await harness.database.prisma.webhookSubscription.deleteMany({ where: { id } })
  // The result has no row left to be saved to.
  answered.resolve()
  await stopping
})
