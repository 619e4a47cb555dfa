/** An integrator's view of the deliveries of a webhook subscription. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  otherTenant = await service.createTenant('production', [], 'Other organisation')
})
afterAll(() => service.stop())

const INPUT = { address: 'https://hooks.example.com/', topic: ['accounting/vendors'] }

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let tenant: Tenant
  let subscriptionId: string
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    tenant = await service.createTenant('development', [], randomUUID())
    subscriptionId = (await call(tenant.key, 'createWebhook', { ...INPUT })).result.subscriptionId
  })
  const send = (name: string, input: object = {}) =>
    call(tenant.key, name, { subscriptionId, ...input })

  const addAttempts = (count: number, messageId = 'msg_1') => {
    const topic = 'accounting/vendors'
    const attempts = Array.from({ length: count }, (_, n) => ({
      topic,
      change: null,
      attempt: n + 1,
      at: new Date().toISOString(),
      latencyMs: n,
      status: n === count - 1 ? 204 : 500,
      failure: null,
      answer: 'no',
    }))
    const messageIds = attempts.map(() => messageId)
    return service.database.prisma.webhookAttemptBatch.create({
      data: { subscriptionId, messageIds, attempts },
    })
  }

  test('payload and order are stored, returned, changed and removed', async () => {
    const payload = '{ id vendorName }'
    const requested = { ...INPUT, payload, isOrdered: true }
    const { subscriptionId: newId } = (await call(tenant.key, 'createWebhook', requested)).result
    const readWebhook = async () =>
      (await call(tenant.key, 'webhookStatus', { subscriptionId: newId })).result
    expect(await readWebhook()).toMatchObject({ payload, isOrdered: true })
    const change = (values: object) =>
      call(tenant.key, 'updateWebhook', { subscriptionId: newId, ...values })
    await change({ payload: '{ id }' })
    expect(await readWebhook()).toMatchObject({ payload: '{ id }', isOrdered: true })
    await change({ payload: null, isOrdered: false })
    expect(await readWebhook()).toMatchObject({ payload: null, isOrdered: false })
  })

  test('a payload that does not match the topics is rejected, whichever of the two changes', async () => {
    const refused = { status: 400, code: 'INVALID_PARAMETER', fields: ['payload'] }
    const payload = '{ vendorName }'
    expect(
      await call(tenant.key, 'createWebhook', { ...INPUT, payload: '{ firstName }' }),
    ).toMatchObject(refused)
    expect(await send('updateWebhook', { payload: '{ firstName }' })).toMatchObject(refused)
    expect(await send('updateWebhook', { payload })).toMatchObject({ status: 200 })
    expect(await send('updateWebhook', { topic: ['crm/leads'] })).toMatchObject(refused)
    expect((await send('webhook')).result).toMatchObject(INPUT)
    expect((await send('webhookStatus')).result).toMatchObject({ payload })
  })

  test('rotation returns a new secret', async () => {
    const before = (await send('webhookSecret')).result
    const { status, result } = await send('rotateWebhookSecret')
    expect(status).toBe(200)
    expect(result).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(result).not.toBe(before)
    expect((await send('webhookSecret')).result).toBe(result)
  })

  test('attempts are listed newest first, in pages, and can be filtered by message', async () => {
    await addAttempts(3)
    await addAttempts(1, 'msg_2')
    const first = (await send('webhookAttempts', { pageSize: 3 })).result
    expect(first.attempts).toHaveLength(3)
    expect(first.attempts[0]).toMatchObject({ messageId: 'msg_2', succeeded: true, status: 204 })
    const rest = (await send('webhookAttempts', { pageSize: 3, cursor: first.nextCursor })).result
    expect(rest.attempts).toMatchObject([{ messageId: 'msg_1', attempt: 1, succeeded: false }])
    expect(rest.nextCursor).toBeNull()
    const ofOne = (await send('webhookAttempts', { messageId: 'msg_1' })).result
    expect(ofOne.attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual([3, 2, 1])
  })

  test.each([
    ['webhookAttempts', { pageSize: 0 }, 'pageSize'],
    ['webhookAttempts', { pageSize: 101 }, 'pageSize'],
    ['replayWebhook', {}, 'messageId'],
    ['replayWebhook', { messageId: 'a', cursor: 'b' }, 'messageId'],
    ['replayWebhook', { from: '2026-01-01T00:00:00.000Z' }, 'to'],
    ['replayWebhook', { from: '2026-01-02T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }, 'to'],
  ])('%s %j is rejected with the name of the field', async (name, input, field) => {
    const outcome = await send(name, input)
    expect(outcome).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', fields: [field] })
  })

  test.each(['x', '', 'YTE=', 'a'.repeat(200)])('the cursor %j is rejected', async (cursor) => {
    const refused = { status: 400, code: 'INVALID_CURSOR', fields: ['cursor'] }
    expect(await send('webhookAttempts', { cursor })).toMatchObject(refused)
    expect(await send('replayWebhook', { cursor })).toMatchObject(refused)
  })

  test('a replay of a message that was never sent is a 404', async () => {
    const absent = { status: 404, code: 'NOT_FOUND' }
    expect(await send('replayWebhook', { messageId: 'msg_none' })).toMatchObject(absent)
    const year = { from: '2001-01-01T00:00:00.000Z', to: '2001-12-31T00:00:00.000Z' }
    expect(await send('replayWebhook', year)).toMatchObject(absent)
  })

  test('the status shows waiting messages, and a test request waits until its message is sent', async () => {
    expect((await send('testWebhook')).result).toMatch(/^msg_test_/)
    expect((await send('webhookStatus')).result).toMatchObject({
      subscriptionId,
      waiting: 1,
      replays: 0,
      failures: 0,
      failingSince: null,
      disabledReason: null,
    })
    await send('updateWebhook', { isEnabled: false })
    expect(await send('testWebhook')).toMatchObject({ status: 400, code: 'NOT_SUPPORTED' })
  })

  test('another environment finds none of it', async () => {
    const names = ['rotateWebhookSecret', 'testWebhook', 'webhookAttempts', 'webhookStatus']
    for (const name of names)
      expect(await call(otherTenant.key, name, { subscriptionId }), name).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      })
    const replay = { subscriptionId, messageId: 'msg_1' }
    expect(await call(otherTenant.key, 'replayWebhook', replay)).toMatchObject({ status: 404 })
  })
})
