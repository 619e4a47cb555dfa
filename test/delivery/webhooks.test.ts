/** Notifications on the wire: what is sent, what counts as success, and what follows from a failure. */

import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { rotateWebhookSecret } from '../../src/store/webhook-secrets.ts'
import { testVault } from '../support/vault.ts'
import { openOffice } from './open-office.ts'
import { numbers, type PostOffice, TOPIC, until } from './post-office.ts'
import { ok, type Receiver, status } from './receiver.ts'

let office: PostOffice
let receiver: Receiver

openOffice((opened) => {
  ;({ office, receiver } = opened)
})

let place = 0
const newPath = (): string => `/${++place}`

const disabled = async (id: string) =>
  office.database.prisma.webhookSubscription.findUniqueOrThrow({
    where: { id },
    select: { isEnabled: true, disabledReason: true },
  })

test('a change arrives as a message that the verifier of Standard Webhooks accepts', async () => {
  const path = newPath()
  const id = await office.subscribe(receiver.origin + path)
  await office.deliver()
  await office.change([1], { accountName: 'Ålesund "Fisk"' })
  await until(() => receiver.at(path).length).toBe(1)
  const [message] = receiver.at(path)
  const verified = new Webhook(await office.secretOf(id)).verify(
    message?.body ?? '',
    message?.headers as Record<string, string>,
  )
  const { credentialId, userId } = office.home
  expect(verified).toEqual({
    type: TOPIC,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      ...{ kind: 'created', environment: 'development', userId, credentialId },
      recordId: expect.any(String),
      changedFields: [],
      cursor: expect.any(String),
      record: expect.objectContaining({ remoteId: '1', accountName: 'Ålesund "Fisk"' }),
    },
  })
  expect(message?.headers['content-type']).toBe('application/json')
  expect(message?.id).toMatch(/^msg_[\w-]{32}$/)
})

test('during a rotation both secrets verify, and after it the new one alone', async () => {
  const path = newPath()
  const id = await office.subscribe(receiver.origin + path)
  const before = await office.secretOf(id)
  const { environmentId } = office.home
  const after = await rotateWebhookSecret(office.database, testVault, environmentId, id)
  expect(after).not.toBe(before)
  let nowMs = Date.now()
  await office.deliver({ nowMs: () => nowMs })
  const verifies = (secret: string | undefined): boolean => {
    const message = receiver.at(path).at(-1)
    try {
      // What is of another time is refused as well: its clock is the attempt's.
      new Webhook(secret ?? '').verify(message?.body ?? '', {
        ...(message?.headers as Record<string, string>),
      })
      return true
    } catch {
      return false
    }
  }
  await office.change([10])
  await until(() => receiver.at(path).length).toBe(1)
  expect(String(receiver.at(path)[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect([verifies(before), verifies(after)]).toEqual([true, true])
  nowMs += 25 * 3_600_000
  await office.change([11])
  await until(() => receiver.at(path).length).toBe(2)
  const { id: messageId = '', headers = {}, body = '' } = receiver.at(path)[1] ?? {}
  const signedAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(after ?? '').sign(messageId, signedAt, body)
  expect(headers['webhook-signature']).toBe(signature)
})

const ANSWER = '{"out\\of": NULL, \0, \'order\'}\n'
const KEPT_ANSWER = ANSWER.replace('\0', '\ufffd')

test('a message that fails is tried again under the same id, and each attempt is kept', async () => {
  const path = newPath()
  receiver.behave(path, (response, message, tried) =>
    tried < 2 ? status(500, {}, ANSWER)(response, message, tried) : ok(response, message, tried),
  )
  const id = await office.subscribe(receiver.origin + path)
  await office.deliver()
  await office.change([20])
  await until(() => receiver.at(path).length).toBe(3)
  await until(() => office.waiting(id)).toBe(0)
  expect(new Set(receiver.at(path).map((message) => message.id)).size).toBe(1)
  const attempts = await office.attempts(id)
  expect(
    attempts.map(({ attempt, status, answer, failure }) => ({ attempt, status, answer, failure })),
  ).toEqual([
    { attempt: 1, status: 500, answer: KEPT_ANSWER, failure: null },
    { attempt: 2, status: 500, answer: KEPT_ANSWER, failure: null },
    { attempt: 3, status: 204, answer: '', failure: null },
  ])
  expect(attempts.every(({ latencyMs }) => latencyMs >= 0 && latencyMs < 5000)).toBe(true)
})

test('a redirect is a failure, and what it points to is never asked', async () => {
  const path = newPath()
  receiver.behave(path, status(302, { location: `${receiver.origin}/elsewhere` }))
  const id = await office.subscribe(receiver.origin + path)
  await office.deliver()
  await office.change([30])
  await until(async () => (await office.attempts(id)).length).toBeGreaterThan(1)
  expect((await office.attempts(id)).every((attempt) => attempt.status === 302)).toBe(true)
  expect(receiver.at('/elsewhere')).toEqual([])
})

test('410 switches the subscription off, and a change says so', async () => {
  const path = newPath()
  receiver.behave(path, status(410))
  const id = await office.subscribe(receiver.origin + path)
  const watcher = newPath()
  await office.subscribe(receiver.origin + watcher, { topic: ['webhook/disabled'] })
  await office.deliver()
  await office.change([40])
  await until(() => disabled(id)).toEqual({
    isEnabled: false,
    disabledReason: 'the endpoint answered 410 Gone',
  })
  await until(() => receiver.at(watcher).length).toBe(1)
  const told = JSON.parse(receiver.at(watcher)[0]?.body ?? '')
  expect(told).toMatchObject({
    type: 'webhook/disabled',
    data: {
      credentialId: null,
      record: { subscriptionId: id, status: 410, address: receiver.origin + path },
    },
  })
  const tried = receiver.at(path).length
  await office.change([41])
  await office.database.prisma.webhookSubscription.update({
    where: { id },
    data: { isEnabled: true },
  })
  receiver.behave(path, ok)
  // What was answered with 410, and what changed meanwhile.
  await until(() => receiver.at(path).length).toBe(tried + 2)
  expect(new Set(receiver.at(path).map((message) => message.id)).size).toBe(2)
})

test('an endpoint that has failed for days is switched off, and nothing of what it missed is lost', async () => {
  const path = newPath()
  receiver.behave(path, status(503))
  const id = await office.subscribe(receiver.origin + path)
  let nowMs = Date.now()
  await office.deliver({ nowMs: () => nowMs })
  await office.change([50])
  await until(() => receiver.at(path).length).toBeGreaterThan(1)
  expect((await disabled(id)).isEnabled).toBe(true)
  nowMs += 3 * 86_400_000
  await office.change([51])
  await until(async () => (await disabled(id)).isEnabled).toBe(false)
  expect((await disabled(id)).disabledReason).toContain('has failed since')
  await office.change(numbers(300, 52))
  receiver.clear()
  await office.database.prisma.webhookSubscription.update({
    where: { id },
    data: { isEnabled: true },
  })
  await until(() => new Set(receiver.at(path).map((message) => message.id)).size).toBe(302)
})

test('Retry-After is honoured: the endpoint is left alone until then', async () => {
  const path = newPath()
  receiver.behave(path, (response, message, tried) =>
    tried === 0
      ? status(429, { 'retry-after': '2' })(response, message, tried)
      : ok(response, message, tried),
  )
  await office.subscribe(receiver.origin + path)
  await office.deliver({ concurrency: 1 })
  await office.change(numbers(3, 400))
  await until(() => receiver.at(path).length).toBe(4)
  const [first, second] = receiver.at(path)
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1990)
})

test('what arrives leaves no row that waits, and costs few statements', async () => {
  const path = newPath()
  const id = await office.subscribe(receiver.origin + path)
  await office.deliver({ checkpointMs: 1000, checkpointAttempts: 150 })
  office.statements.length = 0
  const startedMs = performance.now()
  await office.change(numbers(1000, 1000))
  await until(() => receiver.at(path).length).toBe(1000)
  await until(async () => (await office.attempts(id)).length).toBe(1000)
  const writes = office.statements.filter((sql) =>
    sql.includes('webhook_deliveries d SET position'),
  )
  // One for 150 attempts or for a second, whichever comes first, and a few where one waits for the other.
  const seconds = Math.ceil((performance.now() - startedMs) / 1000)
  expect(writes.length).toBeLessThanOrEqual(1000 / 150 + seconds + 3)
  expect(await office.waiting(id)).toBe(0)
})

test('what is known of a subscription goes with it, and nothing of another', async () => {
  const paths = [newPath(), newPath()]
  const [gone = '', kept = ''] = await Promise.all(
    paths.map((path) => office.subscribe(receiver.origin + path)),
  )
  await office.deliver()
  await office.change([3000])
  await until(async () => (await office.attempts(gone)).length).toBe(1)
  await until(async () => (await office.attempts(kept)).length).toBe(1)
  await office.database.prisma.webhookSubscription.delete({ where: { id: gone } })
  expect(await office.attempts(gone)).toEqual([])
  expect(await office.attempts(kept)).toHaveLength(1)
})

test('a stop ends, although a subscription is deleted while its last messages are under way', async () => {
  const answered = Promise.withResolvers<void>()
  receiver.behave('/hangs', (response, _message, place) => {
    if (place > 0) void answered.promise.then(() => response.writeHead(204).end())
  })
  const id = await office.subscribe(`${receiver.origin}/hangs`)
  const delivery = await office.deliver({ graceMs: 2000 })
  await office.change([1, 2])
  await until(() => receiver.at('/hangs').length).toBe(2)
  const stopping = delivery.stop()
  await office.database.prisma.webhookSubscription.deleteMany({ where: { id } })
  // Its result is to be saved, and there is nothing any more that it could be saved to.
  answered.resolve()
  await stopping
})
