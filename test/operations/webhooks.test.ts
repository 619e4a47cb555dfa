/** Webhook subscriptions: created, changed and deleted, with existing topics and valid addresses only. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventTopics } from '../../src/definition/change.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NEVER = '99999999-0000-4000-8000-000000000009'

const TOPICS = [...catalogue.resources.map(({ topic }) => topic), ...eventTopics]

let service: TestService
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  otherTenant = await service.createTenant('production', [], 'Other organisation')
})
afterAll(() => service.stop())

const INPUT = { address: 'https://hooks.example.com/a?b=c', topic: ['connection/created'] }

test('the responses are exactly those of the contract', async () => {
  const { key } = await service.createTenant('development', [], 'Contract')
  const url = '/2024-03/one/webhooks'
  expect((await service.send(key, 'GET', url)).json()).toEqual({ subscriptions: [] })
  const created = await service.send(key, 'POST', url, INPUT)
  const subscription = {
    subscriptionId: expect.stringMatching(UUID),
    ...INPUT,
    isEnabled: true,
  }
  expect([created.statusCode, created.json()]).toEqual([200, { subscription }])
  const list = await service.send(key, 'GET', url)
  expect([list.statusCode, list.json()]).toEqual([200, { subscriptions: [subscription] }])
  const { subscriptionId } = created.json().subscription
  const found = await service.send(key, 'GET', `${url}/${subscriptionId}`)
  expect([found.statusCode, found.json()]).toEqual([200, { subscription }])
  const changed = await service.send(key, 'PUT', `${url}/${subscriptionId}`, { isEnabled: false })
  expect(changed.json()).toEqual({ subscription: { ...subscription, isEnabled: false } })
  expect((await service.send(key, 'GET', url)).json()).toEqual({
    subscriptions: [{ ...subscription, isEnabled: false }],
  })
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let tenant: Tenant
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    round += 1
    tenant = await service.createTenant('development', [], `${transport} ${round}`)
  })

  const subscribe = async (input: object = INPUT) => {
    const outcome = await call(tenant.key, 'createWebhook', { ...input })
    expect(outcome).toMatchObject({ status: 200 })
    return outcome.result
  }

  test('every topic is accepted, and stored once', async () => {
    const { topic } = await subscribe({ ...INPUT, topic: [...TOPICS, ...TOPICS] })
    expect(topic).toEqual(TOPICS)
  })

  test('* subscribes to every topic, and replaces others in the list', async () => {
    const { subscriptionId, topic } = await subscribe({ ...INPUT, topic: ['crm/leads', '*'] })
    expect(topic).toEqual(['*'])
    const payload = '{ id ... on CrmLead { leadTitle } }'
    const changed = await call(tenant.key, 'updateWebhook', { subscriptionId, payload })
    expect(changed).toMatchObject({ status: 200, result: { topic: ['*'] } })
  })

  test('an update changes only the fields in the request', async () => {
    const created = await subscribe()
    const { subscriptionId } = created
    const change = async (values: object) =>
      (await call(tenant.key, 'updateWebhook', { subscriptionId, ...values })).result
    expect(await change({})).toEqual(created)
    expect(await change({ isEnabled: false })).toEqual({ ...created, isEnabled: false })
    expect(await change({ topic: ['crm/leads'] })).toEqual({
      ...created,
      isEnabled: false,
      topic: ['crm/leads'],
    })
    const moved = await change({ address: 'http://hooks.example.com/', isEnabled: true })
    expect(moved).toEqual({
      ...created,
      address: 'http://hooks.example.com/',
      topic: ['crm/leads'],
    })
    expect((await call(tenant.key, 'webhook', { subscriptionId })).result).toEqual(moved)
  })

  test('each subscription has its own secret, which is stored encrypted', async () => {
    const { prisma } = service.database
    const secrets = new Set<string>()
    for (let n = 0; n < 2; n++) {
      const { subscriptionId } = await subscribe()
      const { result } = await call(tenant.key, 'webhookSecret', { subscriptionId })
      const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(result) ?? []
      const bytes = Buffer.from(encoded, 'base64').length
      expect(bytes).toBeGreaterThanOrEqual(24)
      expect(bytes).toBeLessThanOrEqual(64)
      expect((await call(tenant.key, 'webhookSecret', { subscriptionId })).result).toBe(result)
      const row = await prisma.webhookSubscription.findUniqueOrThrow({
        where: { id: subscriptionId },
      })
      expect(Buffer.from(row.sealedSecret).toString('latin1')).not.toContain(encoded)
      secrets.add(result)
    }
    expect(secrets.size).toBe(2)
  })

  test.each([
    'hooks.example.com',
    'ftp://hooks.example.com/',
    'javascript:alert(1)',
    'https://user:password@hooks.example.com/',
    'https://user@hooks.example.com/',
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[fe80::1]/',
    'http://localhost:3000/',
    'http://a.localhost./',
    `https://hooks.example.com/${'x'.repeat(2048)}`,
    '',
  ])(
    'the address %s is rejected with the name of the field, on create and on update',
    async (address) => {
      const refused = { status: 400, code: 'INVALID_PARAMETER', fields: ['address'] }
      expect(await call(tenant.key, 'createWebhook', { ...INPUT, address })).toMatchObject(refused)
      const { subscriptionId } = await subscribe()
      expect(await call(tenant.key, 'updateWebhook', { subscriptionId, address })).toMatchObject(
        refused,
      )
    },
  )

  test('a private address is rejected with the setting that allows it', async () => {
    const address = 'http://127.0.0.1:8080/'
    expect(await call(tenant.key, 'createWebhook', { ...INPUT, address })).toMatchObject({
      status: 400,
      message: expect.stringContaining('ALLOW_PRIVATE_ADDRESSES=true'),
    })
  })

  test.each([
    ['no entry', [], 'topic'],
    ['an unknown entry', ['crm/leads', 'crm/lead'], 'topic[1]'],
    ['an entry in another letter case', ['CRM/leads'], 'topic[0]'],
  ])('topics with %s are rejected with the name of the field', async (_what, topic, field) => {
    const refused = { status: 400, code: 'INVALID_PARAMETER', fields: [field] }
    const created = await call(tenant.key, 'createWebhook', { ...INPUT, topic })
    expect(created).toMatchObject(refused)
    for (const name of topic.slice(-1)) expect(created.message).toContain(name)
    const { subscriptionId } = await subscribe()
    expect(await call(tenant.key, 'updateWebhook', { subscriptionId, topic })).toMatchObject(
      refused,
    )
  })

  test('an update rejects null for fields that a subscription always has', async () => {
    const { subscriptionId } = await subscribe()
    const before = (await call(tenant.key, 'webhook', { subscriptionId })).result
    for (const name of ['address', 'topic', 'isEnabled', 'isOrdered'])
      expect(
        await call(tenant.key, 'updateWebhook', { subscriptionId, [name]: null }),
      ).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', fields: [name] })
    expect((await call(tenant.key, 'webhook', { subscriptionId })).result).toEqual(before)
    const reset = await call(tenant.key, 'updateWebhook', { subscriptionId, payload: null })
    expect(reset).toMatchObject({ status: 200, result: { subscriptionId } })
  })

  test('an address that is too long is rejected with the limit', async () => {
    const address = `https://hooks.example.com/${'x'.repeat(2048)}`
    expect(await call(tenant.key, 'createWebhook', { ...INPUT, address })).toMatchObject({
      status: 400,
      message: 'address: expected a URL of at most 2048 characters.',
    })
  })

  test('a deleted subscription is gone, and another tenant’s responds like one that never existed', async () => {
    const { subscriptionId } = await subscribe()
    const absent = { status: 404, code: 'NOT_FOUND' }
    const names = ['webhook', 'updateWebhook', 'webhookSecret', 'deleteWebhook']
    for (const id of [subscriptionId, NEVER, 'no uuid'])
      for (const name of names)
        expect(await call(otherTenant.key, name, { subscriptionId: id }), name).toMatchObject(
          absent,
        )
    expect((await call(otherTenant.key, 'webhooks')).result).toEqual([])
    expect(await call(tenant.key, 'deleteWebhook', { subscriptionId })).toMatchObject({
      status: 200,
      result: subscriptionId,
    })
    for (const name of names)
      expect(await call(tenant.key, name, { subscriptionId }), name).toMatchObject(absent)
  })

  test('a list of any length runs one statement', async () => {
    await subscribe()
    await subscribe()
    await call(tenant.key, 'webhooks')
    service.takeStatements()
    expect((await call(tenant.key, 'webhooks')).result).toHaveLength(2)
    expect(service.takeStatements()).toHaveLength(1)
  })
})
