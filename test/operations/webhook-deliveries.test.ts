/** What an integrator asks of the delivery to a subscription. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Call, callOver, faces } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

let service: TestService
let stranger: Tenant

beforeAll(async () => {
  service = await startService()
  stranger = await service.createTenant('production', [], 'Stranger')
})
afterAll(() => service.stop())

const wanted = { address: 'https://hooks.example.com/', topic: ['accounting/vendors'] }

describe.each(faces)('over %s', (face) => {
  let call: Call
  let tenant: Tenant
  let subscriptionId: string
  beforeAll(() => {
    call = callOver(service, face)
  })
  beforeEach(async () => {
    tenant = await service.createTenant('development', [], randomUUID())
    subscriptionId = (await call(tenant.key, 'createWebhook', { ...wanted })).result.subscriptionId
  })
  const ask = (name: string, given: object = {}) =>
    call(tenant.key, name, { subscriptionId, ...given })

  const addAttempts = (count: number, messageId = 'msg_1') => {
    const topic = 'accounting/vendors'
    const attempts = Array.from({ length: count }, (_, n) => ({
      ...{ topic, change: null, attempt: n + 1, at: new Date().toISOString(), latencyMs: n },
      ...{ status: n === count - 1 ? 204 : 500, failure: null, answer: 'no' },
    }))
    const messageIds = attempts.map(() => messageId)
    return service.database.prisma.webhookAttemptBatch.create({
      data: { subscriptionId, messageIds, attempts },
    })
  }

  test('payload and order are saved, shown, changed and taken away', async () => {
    const payload = '{ id vendorName }'
    const asked = { ...wanted, payload, isOrdered: true }
    const { subscriptionId: made } = (await call(tenant.key, 'createWebhook', asked)).result
    const shown = async () =>
      (await call(tenant.key, 'webhookStatus', { subscriptionId: made })).result
    expect(await shown()).toMatchObject({ payload, isOrdered: true })
    const change = (given: object) =>
      call(tenant.key, 'updateWebhook', { subscriptionId: made, ...given })
    await change({ payload: '{ id }' })
    expect(await shown()).toMatchObject({ payload: '{ id }', isOrdered: true })
    await change({ payload: null, isOrdered: false })
    expect(await shown()).toMatchObject({ payload: null, isOrdered: false })
  })

  test('a payload that does not fit the topics is refused, whichever of the two is given', async () => {
    const refused = { status: 400, code: 'INVALID_PARAMETER', fields: ['payload'] }
    const payload = '{ vendorName }'
    expect(
      await call(tenant.key, 'createWebhook', { ...wanted, payload: '{ firstName }' }),
    ).toMatchObject(refused)
    expect(await ask('updateWebhook', { payload: '{ firstName }' })).toMatchObject(refused)
    expect(await ask('updateWebhook', { payload })).toMatchObject({ status: 200 })
    expect(await ask('updateWebhook', { topic: ['crm/leads'] })).toMatchObject(refused)
    expect((await ask('webhook')).result).toMatchObject(wanted)
    expect((await ask('webhookStatus')).result).toMatchObject({ payload })
  })

  test('a rotation gives a new secret', async () => {
    const before = (await ask('webhookSecret')).result
    const { status, result } = await ask('rotateWebhookSecret')
    expect(status).toBe(200)
    expect(result).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(result).not.toBe(before)
    expect((await ask('webhookSecret')).result).toBe(result)
  })

  test('attempts come newest first, in pages, and of one message alone', async () => {
    await addAttempts(3)
    await addAttempts(1, 'msg_2')
    const first = (await ask('webhookAttempts', { pageSize: 3 })).result
    expect(first.attempts).toHaveLength(3)
    expect(first.attempts[0]).toMatchObject({ messageId: 'msg_2', succeeded: true, status: 204 })
    const rest = (await ask('webhookAttempts', { pageSize: 3, cursor: first.nextCursor })).result
    expect(rest.attempts).toMatchObject([{ messageId: 'msg_1', attempt: 1, succeeded: false }])
    expect(rest.nextCursor).toBeNull()
    const ofOne = (await ask('webhookAttempts', { messageId: 'msg_1' })).result
    expect(ofOne.attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual([3, 2, 1])
  })

  test.each([
    ['webhookAttempts', { pageSize: 0 }, 'pageSize'],
    ['webhookAttempts', { pageSize: 101 }, 'pageSize'],
    ['replayWebhook', {}, 'messageId'],
    ['replayWebhook', { messageId: 'a', cursor: 'b' }, 'messageId'],
    ['replayWebhook', { from: '2026-01-01T00:00:00.000Z' }, 'to'],
    ['replayWebhook', { from: '2026-01-02T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }, 'to'],
  ])('%s %j is refused by name', async (name, given, field) => {
    const outcome = await ask(name, given)
    expect(outcome).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', fields: [field] })
  })

  test.each(['x', '', 'YTE=', 'a'.repeat(200)])('the cursor %j is refused', async (cursor) => {
    const refused = { status: 400, code: 'INVALID_CURSOR', fields: ['cursor'] }
    expect(await ask('webhookAttempts', { cursor })).toMatchObject(refused)
    expect(await ask('replayWebhook', { cursor })).toMatchObject(refused)
  })

  test('a replay of what was never sent is not found', async () => {
    const absent = { status: 404, code: 'NOT_FOUND' }
    expect(await ask('replayWebhook', { messageId: 'msg_none' })).toMatchObject(absent)
    const year = { from: '2001-01-01T00:00:00.000Z', to: '2001-12-31T00:00:00.000Z' }
    expect(await ask('replayWebhook', year)).toMatchObject(absent)
  })

  test('the status shows what waits, and a test waits until it is sent', async () => {
    expect((await ask('testWebhook')).result).toMatch(/^msg_test_/)
    expect((await ask('webhookStatus')).result).toMatchObject({
      ...{ subscriptionId, waiting: 1, replays: 0, failures: 0 },
      ...{ failingSince: null, disabledReason: null },
    })
    await ask('updateWebhook', { isEnabled: false })
    expect(await ask('testWebhook')).toMatchObject({ status: 400, code: 'NOT_SUPPORTED' })
  })

  test('to another environment none of it is there', async () => {
    const names = ['rotateWebhookSecret', 'testWebhook', 'webhookAttempts', 'webhookStatus']
    for (const name of names)
      expect(await call(stranger.key, name, { subscriptionId }), name).toMatchObject({
        ...{ status: 404, code: 'NOT_FOUND' },
      })
    const replay = { subscriptionId, messageId: 'msg_1' }
    expect(await call(stranger.key, 'replayWebhook', replay)).toMatchObject({ status: 404 })
  })
})
