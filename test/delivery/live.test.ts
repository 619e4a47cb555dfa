/** What subscriptions deliver over both transports, with the official clients. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { deleteCredential } from '../../src/store/accounts/credentials.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { appendEvent } from '../../src/store/changes/events.ts'
import { sampleRecord } from '../support/sample.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import {
  account,
  accounts,
  CREDENTIAL,
  leads,
  OTHER,
  type Subscribed,
  type SubscriptionHarness,
  startSubscriptionHarness,
  subscribe,
  transports,
  untilFollowers,
} from './subscription-harness.ts'

let harness: SubscriptionHarness
let open: Subscribed[] = []
beforeAll(async () => {
  harness = await startSubscriptionHarness()
  const { environmentId } = harness.tenant
  const neighbour = await ensureUser(
    harness.service.database,
    environmentId,
    'neighbour',
    'Neighbour',
  )
  await createCredential(OTHER_USER_CREDENTIAL, neighbour)
})
afterEach(async () => {
  for (const subscribed of open) subscribed.stop()
  open = []
  await untilFollowers(harness, 0)
})
afterAll(() => harness.stop())

/** A credential of another end user. */
const OTHER_USER_CREDENTIAL = 'cccccccc-0000-4000-8000-000000000003'

const createCredential = async (id: string, userId: string): Promise<void> => {
  const { environmentId } = harness.tenant
  const data = { id, route: id.slice(0, 8), environmentId, userId, app: 'test', values: {} }
  await harness.service.database.prisma.credential.create({ data })
}

const endOfLog = async (): Promise<string> => {
  await untilLogReadable(harness.service)
  const response = await harness.service.rest(harness.tenant.key, '/changes?after=now')
  return response.json().nextCursor
}

const numbers = (() => {
  let last = 0
  return () => ++last
})()

describe.each(transports)('over %s', (transport) => {
  const start = async (query: string, variables: Record<string, unknown> = {}) => {
    await untilLogReadable(harness.service)
    const before = harness.service.live.followers
    const subscribed = subscribe(transport, {
      url: harness.url,
      key: harness.tenant.key,
      variables,
      query: `subscription ${query}`,
    })
    open.push(subscribed)
    await untilFollowers(harness, before + 1)
    return subscribed
  }

  test('delivers the kind of a change, the changed fields and the record with its links', async () => {
    const n = numbers()
    const subscribed = await start(
      `{ crmAccounts { kind cursor changedFields at credentialId userId inFilter
          record { id credentialId remoteId website contacts { totalCount } } } }`,
    )
    await harness.write([account(n)])
    await harness.write([account(n, 'second')])
    await harness.write([{ ...account(n, 'second'), remoteDeleted: true }])
    const delivered = (await subscribed.until(3)).map(({ data }) => data.crmAccounts)
    const record = {
      id: recordId(CREDENTIAL, accounts.topic, String(n)),
      credentialId: CREDENTIAL,
      remoteId: String(n),
      contacts: { totalCount: 0 },
    }
    const facts = {
      credentialId: CREDENTIAL,
      userId: harness.tenant.userId,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      cursor: expect.any(String),
    }
    expect(delivered).toEqual([
      {
        ...facts,
        kind: 'CREATED',
        changedFields: [],
        inFilter: true,
        record: { ...record, website: 'first' },
      },
      {
        ...facts,
        kind: 'UPDATED',
        changedFields: ['website'],
        inFilter: true,
        record: { ...record, website: 'second' },
      },
      {
        ...facts,
        kind: 'DELETED',
        changedFields: ['remoteDeleted'],
        inFilter: false,
        record: { ...record, website: 'second' },
      },
    ])
    expect(new Set(delivered.map(({ cursor }) => cursor)).size).toBe(3)
  })

  test('delivers sync and connection events with fields of their own', async () => {
    const completed = await start('{ syncCompleted { topic kind recordId record environment } }')
    const owner = { credentialId: CREDENTIAL, environmentId: harness.tenant.environmentId }
    await harness.service.database.transaction(async (open) => {
      await appendEvent(open, owner, 'sync/started', { topic: 'crm/leads' })
      await appendEvent(open, owner, 'sync/completed', { topic: 'crm/leads', created: 2 })
    })
    const [delivered] = await completed.until(1)
    expect(delivered?.data.syncCompleted).toEqual({
      topic: 'sync/completed',
      kind: 'CREATED',
      recordId: null,
      environment: 'DEVELOPMENT',
      record: { credentialId: CREDENTIAL, topic: 'crm/leads', created: 2 },
    })
  })

  test('delivers any set of topics in the order of the log, for one credential or for all', async () => {
    const all = await start('{ changes { topic record } }')
    const topicsSubscribed = await start(
      '{ changes(topics: ["crm/leads", "sync/failed"]) { topic } }',
    )
    const records = await start('{ changes(topics: ["*"], recordsOnly: true) { topic } }')
    const mine = await start(`{ changes(credentialId: "${CREDENTIAL}") { topic credentialId } }`)
    const n = numbers()
    await harness.write([account(n)])
    await harness.write([sampleRecord(CREDENTIAL, leads, n)], leads)
    await harness.write([account(n, 'first', OTHER)], accounts, OTHER)
    const owner = { credentialId: CREDENTIAL, environmentId: harness.tenant.environmentId }
    await harness.service.database.transaction((open) =>
      appendEvent(open, owner, 'sync/failed', {}),
    )
    const topicsOf = async (subscribed: Subscribed, count: number) =>
      (await subscribed.until(count)).map(({ data }) => data.changes.topic)
    const order = ['crm/accounts', 'crm/leads', 'crm/accounts', 'sync/failed']
    expect(await topicsOf(all, 4)).toEqual(order)
    expect(await topicsOf(topicsSubscribed, 2)).toEqual(['crm/leads', 'sync/failed'])
    expect(await topicsOf(records, 3)).toEqual(['crm/accounts', 'crm/leads', 'crm/accounts'])
    expect(await topicsOf(mine, 3)).toEqual(['crm/accounts', 'crm/leads', 'sync/failed'])
  })

  test('a filter delivers records that enter the list, change in it or may have left it', async () => {
    const subscribed = await start(
      `($filter: CrmAccountFilter) { crmAccounts(filter: $filter) { kind inFilter record { remoteId website industry } } }`,
      { filter: { websiteContains: 'SHOP', industryNotEquals: 'Mining' } },
    )
    const n = numbers()
    const steps: readonly [website: string, industry: string, more?: object][] = [
      ['a.shop', 'Mining'], // nothing: created outside the filter
      ['b.shop', 'Mining'], // nothing: still outside, because of its industry
      ['b.shop', 'Retail'], // enters
      ['c.shop', 'Retail'], // changes inside
      ['c.example', 'Retail'], // leaves
      ['d.example', 'Retail'], // may have left, because its website has changed
      ['d.example', 'Mining'], // nothing: the previous website did not match
      ['e.shop', 'Farming'], // enters
      ['e.shop', 'Farming', { remoteDeleted: true }], // leaves
      ['f.shop', 'Farming', { remoteDeleted: true }], // nothing
    ]
    for (const [website, industry, more] of steps)
      await harness.write([{ ...account(n, website), industry, ...more }])
    await harness.write([{ ...account(n, 'last.shop'), industry: 'Farming' }])
    const delivered = (await subscribed.until(7)).map(({ data }) => data.crmAccounts)
    expect(delivered.map(({ inFilter, record }) => [inFilter, record.website])).toEqual([
      [true, 'b.shop'],
      [true, 'c.shop'],
      [false, 'c.example'],
      [false, 'd.example'],
      [true, 'e.shop'],
      [false, 'e.shop'],
      [true, 'last.shop'],
    ])
  })

  test('delivers nothing from another environment, even if its credential is named', async () => {
    const otherTenant = await harness.service.createTenant('production', [], 'Other organisation')
    const subscribed = subscribe(transport, {
      url: harness.url,
      key: otherTenant.key,
      query: 'subscription { changes { topic } }',
    })
    open.push(subscribed)
    await untilFollowers(harness, 1)
    await harness.write([account(numbers())])
    await untilLogReadable(harness.service)
    const named = subscribe(transport, {
      url: harness.url,
      key: otherTenant.key,
      query: `subscription { changes(credentialId: "${CREDENTIAL}") { topic } }`,
    })
    const delivered = await named.until(1).catch((errors) => [{ errors }])
    expect(delivered[0]?.errors[0].extensions.code).toBe('CREDENTIAL_NOT_FOUND')
    expect(subscribed.received).toEqual([])
  })

  test('follows several credentials, or those of an end user, also if they are connected later', async () => {
    const { userId, environmentId } = harness.tenant
    const { database } = harness.service
    const after = await endOfLog()
    const several = await start(
      `{ crmAccounts(credentialIds: ["${OTHER}", "${OTHER_USER_CREDENTIAL}"]) { credentialId } }`,
    )
    const topics = '["crm/accounts", "connection/deleted"]'
    const query = `($after: String) { changes(userId: "${userId}", topics: ${topics}, after: $after) { topic credentialId } }`
    const ofUser = await start(query)
    const later = randomUUID()
    const saveOne = (credentialId: string) =>
      harness.write([account(numbers(), 'first', credentialId)], accounts, credentialId)
    for (const id of [CREDENTIAL, OTHER_USER_CREDENTIAL, OTHER]) await saveOne(id)
    await createCredential(later, userId)
    await saveOne(later)
    // The records of a credential that is deleted in the meantime are not delivered.
    await ofUser.until(3)
    await deleteCredential(database, environmentId, userId, later)
    await saveOne(CREDENTIAL)

    const delivered = (await several.until(2)).map(({ data }) => data.crmAccounts.credentialId)
    expect(delivered).toEqual([OTHER_USER_CREDENTIAL, OTHER])
    const changesOf = async (subscribed: Subscribed, count: number) =>
      (await subscribed.until(count)).map(({ data: { changes } }) => [
        changes.topic,
        changes.credentialId,
      ])
    const first = [
      ['crm/accounts', CREDENTIAL],
      ['crm/accounts', OTHER],
    ]
    const last = [
      ['connection/deleted', later],
      ['crm/accounts', CREDENTIAL],
    ]
    expect(await changesOf(ofUser, 5)).toEqual([...first, ['crm/accounts', later], ...last])
    // The records of a deleted credential are not replayed.
    const replayed = await start(query, { after })
    expect(await changesOf(replayed, 4)).toEqual([...first, ...last])
  })

  test.each([
    ['two of them', `credentialId: "${CREDENTIAL}", credentialIds: ["${OTHER}"]`],
    ['no ids', 'credentialIds: []'],
    ['101 ids', `credentialIds: ${JSON.stringify(Array.from({ length: 101 }, () => OTHER))}`],
    [
      'an unknown id',
      `credentialIds: ["${CREDENTIAL}", "${randomUUID()}"]`,
      { code: 'CREDENTIAL_NOT_FOUND', details: [{ field: 'credentialIds[1]' }] },
    ],
    ['an unknown end user', `userId: "${randomUUID()}"`, { code: 'USER_NOT_FOUND' }],
  ])(
    'rejects %s as a list does',
    async (_what, scope, extensions = { code: 'INVALID_PARAMETER' }) => {
      const { url, tenant, service } = harness
      const query = `subscription { crmAccounts(${scope}) { kind } }`
      const subscribed = subscribe(transport, { url, key: tenant.key, query })
      const [delivered] = await subscribed.until(1).catch((errors) => [{ errors }])
      subscribed.stop()
      const list = await service.graphql(tenant.key, `{ crmAccounts(${scope}) { totalCount } }`)
      expect(delivered?.errors).toMatchObject([{ extensions }])
      expect(list.errors).toMatchObject([{ message: delivered?.errors?.[0].message }])
    },
  )

  test("rejects another environment's end user", async () => {
    const { userId } = await harness.service.createTenant('production', [], 'Another')
    const query = `subscription { changes(userId: "${userId}") { topic } }`
    const subscribed = subscribe(transport, { url: harness.url, key: harness.tenant.key, query })
    const [delivered] = await subscribed.until(1).catch((errors) => [{ errors }])
    subscribed.stop()
    expect(delivered?.errors).toMatchObject([{ extensions: { code: 'USER_NOT_FOUND' } }])
  })

  test('stops following a subscription when the client leaves, even while it waits', async () => {
    const subscribed = await start('{ crmAccounts { kind } }')
    subscribed.stop()
    await untilFollowers(harness, 0)
    const statements = harness.service.takeStatements
    // The read that is in progress finishes.
    await expect.poll(() => statements().length, { interval: 200 }).toBe(0)
    await harness.write([account(numbers())])
    await wait(100)
    expect(statements().join()).not.toContain('ORDER BY c.epoch, c.xid')
  })
})

test('identical subscriptions share one resolution, and each gets its own selection', async () => {
  const query =
    'subscription ($after: String) { crmAccounts(after: $after) { record { contacts { totalCount } } } }'
  const other = 'subscription { crmAccounts { record { website } } }'
  await untilLogReadable(harness.service)
  open = [...Array.from({ length: 20 }, () => query), other, other].map((query) =>
    subscribe('WebSocket', { url: harness.url, key: harness.tenant.key, query: query }),
  )
  await untilFollowers(harness, 22)
  harness.service.takeStatements()
  await harness.write([account(numbers(), 'shared')])
  for (const subscribed of open) await subscribed.until(1)
  const counted = harness.service.takeStatements().filter((sql) => sql.includes('crm_contacts'))
  // One statement for the page of links, one for their count.
  expect(counted).toHaveLength(2)
  expect(open[21]?.received[0]?.data.crmAccounts.record).toEqual({ website: 'shared' })
})
