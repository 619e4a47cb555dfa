/** Identical subscriptions share one resolution, but each keeps its own access, selection and end. */
import type { Client } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { createKey, revokeKey } from '../support/keys.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import {
  account,
  accounts,
  CREDENTIAL,
  OTHER,
  openSocketClient,
  type Subscribed,
  type SubscribeOptions,
  type SubscriptionHarness,
  type SubscriptionResult,
  startSubscriptionHarness,
  subscribe,
  type Transport,
  transports,
  untilFollowers,
} from './subscription-harness.ts'

const contacts = catalogue.get('crm/contacts')
const OTHER_TENANT_CREDENTIAL = 'cccccccc-0000-4000-8000-000000000003'

let harness: SubscriptionHarness
let otherTenant: Tenant
let open: { stop(): void }[] = []
beforeAll(async () => {
  harness = await startSubscriptionHarness()
  otherTenant = await harness.service.createTenant(
    'production',
    [OTHER_TENANT_CREDENTIAL],
    'Other organisation',
  )
})
afterEach(async () => {
  for (const subscribed of open) subscribed.stop()
  open = []
  await untilFollowers(harness, 0)
})
afterAll(() => harness.stop())

/** Subscribes, and resolves once the log has no older unread changes. */
const start = async (
  transport: Transport,
  {
    key = harness.tenant.key,
    ...requests
  }: Omit<SubscribeOptions, 'url' | 'key'> & { key?: string },
): Promise<Subscribed> => {
  await untilLogReadable(harness.service)
  const before = harness.service.live.followers
  const subscribed = subscribe(transport, { url: harness.url, key, ...requests })
  open.push(subscribed)
  await untilFollowers(harness, before + 1)
  return subscribed
}

const resultsOf = async (subscribed: Subscribed, count: number) =>
  (await subscribed.until(count)).map(({ data, errors }: SubscriptionResult) => data ?? errors)

test.each(transports)(
  'two tenants with identical subscriptions each receive only their own records, over %s',
  async (transport) => {
    const query = `subscription ($first: Int) {
    crmAccounts { credentialId record { website contacts(first: $first) { totalCount } } }
  }`
    const requests = { query, variables: { first: 1 } }
    const ownSubscription = await start(transport, requests)
    const otherSubscription = await start(transport, { ...requests, key: otherTenant.key })
    await harness.write([account(1, `${transport} mine`)])
    await harness.service.save(otherTenant, OTHER_TENANT_CREDENTIAL, accounts, [
      account(1, `${transport} theirs`, OTHER_TENANT_CREDENTIAL),
    ])
    await harness.write([account(1, `${transport} mine again`)])
    const expectedResult = (credentialId: string, website: string) => ({
      crmAccounts: {
        credentialId,
        record: { website: `${transport} ${website}`, contacts: { totalCount: 0 } },
      },
    })
    expect(await resultsOf(ownSubscription, 2)).toEqual([
      expectedResult(CREDENTIAL, 'mine'),
      expectedResult(CREDENTIAL, 'mine again'),
    ])
    expect(await resultsOf(otherSubscription, 1)).toEqual([
      expectedResult(OTHER_TENANT_CREDENTIAL, 'theirs'),
    ])
  },
)

test('identical queries for two credentials of one tenant do not share results', async () => {
  const query = 'subscription ($of: ID) { crmAccounts(credentialId: $of) { record { website } } }'
  const subscribed = await start('WebSocket', { query, variables: { of: CREDENTIAL } })
  const other = await start('WebSocket', { query, variables: { of: OTHER } })
  const both = await start('WebSocket', { query })
  await harness.write([account(2, 'one')])
  await harness.write([account(2, 'other', OTHER)], accounts, OTHER)
  const expectedResult = (website: string) => ({ crmAccounts: { record: { website } } })
  expect(await resultsOf(both, 2)).toEqual([expectedResult('one'), expectedResult('other')])
  expect(await resultsOf(subscribed, 1)).toEqual([expectedResult('one')])
  expect(await resultsOf(other, 1)).toEqual([expectedResult('other')])
})

test('a revoked key does not end identical subscriptions of another key', async () => {
  const key = await createKey(harness.service.database, harness.tenant.environmentId)
  const query = 'subscription { crmAccounts { record { website } } }'
  const revoked = await start('WebSocket', { query, key })
  const other = await start('WebSocket', { query })
  await harness.write([account(3, 'before')])
  await Promise.all([revoked.until(1), other.until(1)])
  await revokeKey(harness.service, key)
  await expect(revoked.ended).rejects.toMatchObject({ code: 4401 })
  await untilFollowers(harness, 1)
  await harness.write([account(3, 'after')])
  expect(await resultsOf(other, 2)).toEqual(
    ['before', 'after'].map((website) => ({ crmAccounts: { record: { website } } })),
  )
  expect(revoked.received).toHaveLength(1)
})

test('results are keyed by the variables: explicit, null and defaulted', async () => {
  const query = `subscription ($shows: Boolean! = true, $skips: Boolean! = false) {
    crmAccounts { record { website @include(if: $shows) remoteId @skip(if: $skips) } }
  }`
  const requests = [{}, { shows: true }, { shows: false }, { skips: true }]
  const all: Subscribed[] = []
  for (const variables of requests) all.push(await start('WebSocket', { query, variables }))
  const nullable = `subscription ($size: Int = 1) {
    crmAccounts { record { contacts(first: $size) { nodes { id } } } }
  }`
  const byDefault = await start('WebSocket', { query: nullable })
  const byNull = await start('WebSocket', { query: nullable, variables: { size: null } })
  const { id: accountId } = account(4)
  await harness.write(
    [1, 2].map((n) => ({ ...sampleRecord(CREDENTIAL, contacts, n), account: accountId })),
    contacts,
  )
  await harness.write([account(4, 'site')])
  const records: unknown[] = []
  for (const subscribed of all)
    records.push((await subscribed.until(1))[0]?.data.crmAccounts.record)
  const whole = { website: 'site', remoteId: '4' }
  expect(records).toEqual([whole, whole, { remoteId: '4' }, { website: 'site' }])
  const [ofDefault] = await byDefault.until(1)
  expect(ofDefault?.data.crmAccounts.record.contacts.nodes).toHaveLength(1)
  const [ofNull] = await byNull.until(1)
  expect(ofNull?.data.crmAccounts.record.contacts.nodes).toHaveLength(2)
})

test('each result uses the subscription’s own aliases, fragments and operation', async () => {
  const document = `subscription One { crmAccounts { record { website } } }
    subscription Two { crmAccounts { record { id: website } } }`
  const requests: readonly [query: string, operationName: string | undefined, answer: object][] = [
    [
      'subscription { crmAccounts { record { website } } }',
      undefined,
      { crmAccounts: { record: { website: 'shop' } } },
    ],
    [
      'subscription { renamed: crmAccounts { record { site: website } } }',
      undefined,
      { renamed: { record: { site: 'shop' } } },
    ],
    [
      'subscription { ...Shown } fragment Shown on Subscription { crmAccounts { as: record { website } } }',
      undefined,
      { crmAccounts: { as: { website: 'shop' } } },
    ],
    [document, 'One', { crmAccounts: { record: { website: 'shop' } } }],
    [document, 'Two', { crmAccounts: { record: { id: 'shop' } } }],
  ]
  const all: Subscribed[] = []
  for (const [query, operationName] of requests)
    all.push(await start('WebSocket', { query, ...(operationName && { operationName }) }))
  await harness.write([account(5, 'shop')])
  for (const [place, one] of all.entries())
    expect(await resultsOf(one, 1)).toEqual([requests[place]?.[2]])
})

test('one selection under two filters reports what the change means for each list', async () => {
  const query = `subscription ($filter: CrmAccountFilter) {
    crmAccounts(filter: $filter) { inFilter record { website } }
  }`
  const shops = await start('WebSocket', { query, variables: { filter: { website: 'shop' } } })
  const farms = await start('WebSocket', { query, variables: { filter: { website: 'farm' } } })
  for (const website of ['shop', 'farm', 'shop']) await harness.write([account(6, website)])
  const expectedResult = (inFilter: boolean, website: string) => ({
    crmAccounts: { inFilter, record: { website } },
  })
  expect(await resultsOf(shops, 3)).toEqual([
    expectedResult(true, 'shop'),
    expectedResult(false, 'farm'),
    expectedResult(true, 'shop'),
  ])
  // Any list filtered by website may have excluded the record before.
  expect((await resultsOf(farms, 2)).slice(-2)).toEqual([
    expectedResult(true, 'farm'),
    expectedResult(false, 'shop'),
  ])
})

test('a large batch of changes arrives complete, in order, and as one message per change, whatever the size', async () => {
  const query = 'subscription { crmAccounts { record { remoteId website } } }'
  const all: Subscribed[] = []
  for (const transport of [...transports, ...transports])
    all.push(await start(transport, { query }))
  // Each of the middle changes is larger than a batch of small ones, and splits the batch.
  const large = 'é'.repeat(70_000)
  const rows = Array.from({ length: 700 }, (_, n) =>
    account(1000 + n, n % 100 === 50 ? `${n} ${large}` : `${n}`),
  )
  await harness.write(rows)
  const websites = new Map(rows.map(({ remoteId, website }) => [remoteId, website]))
  const firstReceived = (await (all[0] as Subscribed).until(rows.length)).map(({ data }) => data)
  for (const subscribed of all) {
    const expectedResults = (await subscribed.until(rows.length)).map(({ data }) => data)
    expect(expectedResults).toEqual(firstReceived)
    expect(subscribed.received).toHaveLength(rows.length)
  }
  expect(
    new Map(firstReceived.map(({ crmAccounts: { record } }) => [record.remoteId, record.website])),
  ).toEqual(websites)
})

test.each(transports)(
  'a change that cannot be resolved ends only the subscriptions that select it, after all earlier changes, over %s',
  async (transport) => {
    const query = `subscription ($after: String) {
      crmAccounts(after: $after) { cursor userId record { remoteId } }
    }`
    const all = [await start(transport, { query }), await start(transport, { query })]
    const { access } = harness.service
    const facts = await access.credential(CREDENTIAL)
    const credential = vi.spyOn(access, 'credential')
    credential.mockResolvedValueOnce(facts)
    credential.mockRejectedValue(new Error('Connection terminated unexpectedly'))
    await harness.write([1, 2, 3].map((n) => account(n, `${transport} unanswered`)))
    let after: string | undefined
    for (const subscribed of all) {
      await subscribed.ended
      expect(subscribed.received.map(({ data, errors }) => Boolean(data && !errors))).toEqual([
        true,
        false,
      ])
      after = subscribed.received[0]?.data.crmAccounts.cursor
    }
    credential.mockRestore()
    const resumed = subscribe(transport, {
      url: harness.url,
      key: harness.tenant.key,
      query,
      variables: { after },
    })
    open.push(resumed)
    const expectedResults = [
      ...(all[0] as Subscribed).received.slice(0, 1),
      ...(await resumed.until(2)),
    ]
    const remoteIds = expectedResults.map(({ data }) => data.crmAccounts.record.remoteId)
    expect(remoteIds.toSorted()).toEqual(['1', '2', '3'])
  },
)

/** Several subscriptions on one socket, each with its own id. */
const onOneSocket = (client: Client, query: string) => {
  const received: string[] = []
  let end = 'open'
  const leave = client.subscribe(
    { query },
    {
      next: ({ data }) => {
        // The type of a result depends on the query.
        const { crmAccounts } = data as { crmAccounts: { record: { website: string } } }
        received.push(crmAccounts.record.website)
      },
      error: (error) => {
        end = JSON.stringify(error)
      },
      complete: () => {
        end = 'complete'
      },
    },
  )
  return { received, leave, end: () => end }
}

test('subscriptions on one socket end independently: stopped, rejected or never', async () => {
  const client = openSocketClient(harness.url, harness.tenant.key)
  open.push({ stop: () => void client.dispose() })
  const query = 'subscription { crmAccounts { record { website } } }'
  await untilLogReadable(harness.service)
  const left = onOneSocket(client, query)
  const stays = onOneSocket(client, query)
  const refused = onOneSocket(client, 'subscription { crmAccounts { nope } }')
  await expect.poll(refused.end).toContain('BAD_REQUEST')
  await untilFollowers(harness, 2)
  await harness.write([account(7, 'both')])
  await expect.poll(() => [left.received, stays.received]).toEqual([['both'], ['both']])
  left.leave()
  await untilFollowers(harness, 1)
  await harness.write([account(7, 'one')])
  await expect.poll(() => stays.received).toEqual(['both', 'one'])
  expect(left.received).toEqual(['both'])
  expect([left.end(), stays.end()]).toEqual(['complete', 'open'])
})

test('an id may be any text and returns unchanged', async () => {
  const ids = ['"', '\\', 'é\u2028', '},"payload":{"data":1}', 'x'.repeat(200)]
  const remaining = [...ids]
  const client = openSocketClient(harness.url, harness.tenant.key, () => remaining.shift() ?? '')
  open.push({ stop: () => void client.dispose() })
  await untilLogReadable(harness.service)
  const all = ids.map(() =>
    onOneSocket(client, 'subscription { crmAccounts { record { website } } }'),
  )
  await untilFollowers(harness, ids.length)
  await harness.write([account(8, 'quoted')])
  for (const { received } of all) await expect.poll(() => received).toEqual(['quoted'])
})
