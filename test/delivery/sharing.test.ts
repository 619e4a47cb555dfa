/** What many ask alike is answered once: and yet each is told its own, in its own words, until its own end. */
import type { Client } from 'graphql-ws'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { generateApiKey } from '../../src/api-key.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { revokeKey } from '../support/revoke-key.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant } from '../support/service.ts'
import { settled } from '../support/settled.ts'
import {
  account,
  accounts,
  CREDENTIAL,
  followed,
  type Heard,
  OTHER,
  openSocketClient,
  type Stage,
  type Subscribed,
  type SubscribeOptions,
  startStage,
  subscribe,
  type Transport,
  transports,
} from './stage.ts'

const contacts = catalogue.get('crm/contacts')
const STRANGER = 'cccccccc-0000-4000-8000-000000000003'

let stage: Stage
let stranger: Tenant
let open: { stop(): void }[] = []
beforeAll(async () => {
  stage = await startStage()
  stranger = await stage.service.createTenant('production', [STRANGER], 'Stranger')
})
afterEach(async () => {
  for (const one of open) one.stop()
  open = []
  await followed(stage, 0)
})
afterAll(() => stage.stop())

/** Subscribes, and begins once all that was written before is behind it. */
const start = async (
  transport: Transport,
  { key = stage.tenant.key, ...asked }: Omit<SubscribeOptions, 'url' | 'key'> & { key?: string },
): Promise<Subscribed> => {
  await settled(stage.service)
  const before = stage.service.live.followers
  const one = subscribe(transport, { url: stage.url, key, ...asked })
  open.push(one)
  await followed(stage, before + 1)
  return one
}

const answersOf = async (one: Subscribed, count: number) =>
  (await one.until(count)).map(({ data, errors }: Heard) => data ?? errors)

test.each(transports)(
  'two tenants who ask the same are each told their own, over %s',
  async (transport) => {
    const query = `subscription ($first: Int) {
    crmAccounts { credentialId record { website contacts(first: $first) { totalCount } } }
  }`
    const asked = { query, variables: { first: 1 } }
    const mine = await start(transport, asked)
    const theirs = await start(transport, { ...asked, key: stranger.key })
    await stage.write([account(1, `${transport} mine`)])
    await stage.service.save(stranger, STRANGER, accounts, [
      account(1, `${transport} theirs`, STRANGER),
    ])
    await stage.write([account(1, `${transport} mine again`)])
    const told = (credentialId: string, website: string) => ({
      crmAccounts: {
        credentialId,
        record: { website: `${transport} ${website}`, contacts: { totalCount: 0 } },
      },
    })
    expect(await answersOf(mine, 2)).toEqual([
      told(CREDENTIAL, 'mine'),
      told(CREDENTIAL, 'mine again'),
    ])
    expect(await answersOf(theirs, 1)).toEqual([told(STRANGER, 'theirs')])
  },
)

test('the same words to two credentials of one tenant are two questions', async () => {
  const query = 'subscription ($of: ID) { crmAccounts(credentialId: $of) { record { website } } }'
  const one = await start('WebSocket', { query, variables: { of: CREDENTIAL } })
  const other = await start('WebSocket', { query, variables: { of: OTHER } })
  const both = await start('WebSocket', { query })
  await stage.write([account(2, 'one')])
  await stage.write([account(2, 'other', OTHER)], accounts, OTHER)
  const told = (website: string) => ({ crmAccounts: { record: { website } } })
  expect(await answersOf(both, 2)).toEqual([told('one'), told('other')])
  expect(await answersOf(one, 1)).toEqual([told('one')])
  expect(await answersOf(other, 1)).toEqual([told('other')])
})

test('a key that is revoked takes none of those with it who ask the same by another', async () => {
  const key = generateApiKey('development')
  await saveApiKey(stage.service.database, stage.tenant.environmentId, key)
  const query = 'subscription { crmAccounts { record { website } } }'
  const revoked = await start('WebSocket', { query, key })
  const other = await start('WebSocket', { query })
  await stage.write([account(3, 'before')])
  await Promise.all([revoked.until(1), other.until(1)])
  await revokeKey(stage.service, key)
  await expect(revoked.ended).rejects.toMatchObject({ code: 4401 })
  await followed(stage, 1)
  await stage.write([account(3, 'after')])
  expect(await answersOf(other, 2)).toEqual(
    ['before', 'after'].map((website) => ({ crmAccounts: { record: { website } } })),
  )
  expect(revoked.heard).toHaveLength(1)
})

test('variables of the selection are part of the question: given, null and left to their default', async () => {
  const query = `subscription ($shows: Boolean! = true, $skips: Boolean! = false) {
    crmAccounts { record { website @include(if: $shows) remoteId @skip(if: $skips) } }
  }`
  const asked = [{}, { shows: true }, { shows: false }, { skips: true }]
  const all: Subscribed[] = []
  for (const variables of asked) all.push(await start('WebSocket', { query, variables }))
  const nullable = `subscription ($size: Int = 1) {
    crmAccounts { record { contacts(first: $size) { nodes { id } } } }
  }`
  const byDefault = await start('WebSocket', { query: nullable })
  const byNull = await start('WebSocket', { query: nullable, variables: { size: null } })
  const { id: accountId } = account(4)
  await stage.write(
    [1, 2].map((n) => ({ ...sampleRecord(CREDENTIAL, contacts, n), account: accountId })),
    contacts,
  )
  await stage.write([account(4, 'asked')])
  const records: unknown[] = []
  for (const one of all) records.push((await one.until(1))[0]?.data.crmAccounts.record)
  const whole = { website: 'asked', remoteId: '4' }
  expect(records).toEqual([whole, whole, { remoteId: '4' }, { website: 'asked' }])
  const [ofDefault] = await byDefault.until(1)
  expect(ofDefault?.data.crmAccounts.record.contacts.nodes).toHaveLength(1)
  const [ofNull] = await byNull.until(1)
  expect(ofNull?.data.crmAccounts.record.contacts.nodes).toHaveLength(2)
})

test('what is asked in other words is answered in them: aliases, fragments, one of two operations', async () => {
  const two = `subscription One { crmAccounts { record { website } } }
    subscription Two { crmAccounts { record { id: website } } }`
  const asked: readonly [query: string, operationName: string | undefined, answer: object][] = [
    [
      'subscription { crmAccounts { record { website } } }',
      undefined,
      { crmAccounts: { record: { website: 'said' } } },
    ],
    [
      'subscription { told: crmAccounts { record { site: website } } }',
      undefined,
      { told: { record: { site: 'said' } } },
    ],
    [
      'subscription { ...Told } fragment Told on Subscription { crmAccounts { as: record { website } } }',
      undefined,
      { crmAccounts: { as: { website: 'said' } } },
    ],
    [two, 'One', { crmAccounts: { record: { website: 'said' } } }],
    [two, 'Two', { crmAccounts: { record: { id: 'said' } } }],
  ]
  const all: Subscribed[] = []
  for (const [query, operationName] of asked)
    all.push(await start('WebSocket', { query, ...(operationName && { operationName }) }))
  await stage.write([account(5, 'said')])
  for (const [place, one] of all.entries())
    expect(await answersOf(one, 1)).toEqual([asked[place]?.[2]])
})

test('one selection under two filters tells each what the change means for its list', async () => {
  const query = `subscription ($filter: CrmAccountFilter) {
    crmAccounts(filter: $filter) { inFilter record { website } }
  }`
  const shops = await start('WebSocket', { query, variables: { filter: { website: 'shop' } } })
  const farms = await start('WebSocket', { query, variables: { filter: { website: 'farm' } } })
  for (const website of ['shop', 'farm', 'shop']) await stage.write([account(6, website)])
  const told = (inFilter: boolean, website: string) => ({
    crmAccounts: { inFilter, record: { website } },
  })
  expect(await answersOf(shops, 3)).toEqual([
    told(true, 'shop'),
    told(false, 'farm'),
    told(true, 'shop'),
  ])
  // A change of the website may have been out of any list with a website.
  expect((await answersOf(farms, 2)).slice(-2)).toEqual([told(true, 'farm'), told(false, 'shop')])
})

test('many changes at once come whole, in order and in messages of their own, however large', async () => {
  const query = 'subscription { crmAccounts { record { remoteId website } } }'
  const all: Subscribed[] = []
  for (const transport of [...transports, ...transports])
    all.push(await start(transport, { query }))
  // Each alone is more than a batch of small ones; in the middle, for what follows to be split by it.
  const large = 'é'.repeat(70_000)
  const rows = Array.from({ length: 700 }, (_, n) =>
    account(1000 + n, n % 100 === 50 ? `${n} ${large}` : `${n}`),
  )
  await stage.write(rows)
  const expected = new Map(rows.map(({ remoteId, website }) => [remoteId, website]))
  const heardFirst = (await (all[0] as Subscribed).until(rows.length)).map(({ data }) => data)
  for (const one of all) {
    const told = (await one.until(rows.length)).map(({ data }) => data)
    expect(told).toEqual(heardFirst)
    expect(one.heard).toHaveLength(rows.length)
  }
  expect(
    new Map(heardFirst.map(({ crmAccounts: { record } }) => [record.remoteId, record.website])),
  ).toEqual(expected)
})

test.each(transports)(
  'a change that cannot be answered ends what asked for it, behind what came before, over %s',
  async (transport) => {
    const query = `subscription ($after: String) {
      crmAccounts(after: $after) { cursor userId record { remoteId } }
    }`
    const all = [await start(transport, { query }), await start(transport, { query })]
    const { access } = stage.service
    const facts = await access.credential(CREDENTIAL)
    const credential = vi.spyOn(access, 'credential')
    credential.mockResolvedValueOnce(facts)
    credential.mockRejectedValue(new Error('Connection terminated unexpectedly'))
    await stage.write([1, 2, 3].map((n) => account(n, `${transport} unanswered`)))
    let after: string | undefined
    for (const one of all) {
      await one.ended
      expect(one.heard.map(({ data, errors }) => Boolean(data && !errors))).toEqual([true, false])
      after = one.heard[0]?.data.crmAccounts.cursor
    }
    credential.mockRestore()
    const resumed = subscribe(transport, {
      ...{ url: stage.url, key: stage.tenant.key, query, variables: { after } },
    })
    open.push(resumed)
    const told = [...(all[0] as Subscribed).heard.slice(0, 1), ...(await resumed.until(2))]
    const remoteIds = told.map(({ data }) => data.crmAccounts.record.remoteId)
    expect(remoteIds.toSorted()).toEqual(['1', '2', '3'])
  },
)

/** Several subscriptions on one socket, each by an id of its own. */
const onOneSocket = (client: Client, query: string) => {
  const heard: string[] = []
  let end = 'open'
  const leave = client.subscribe(
    { query },
    {
      next: ({ data }) => {
        // As the query asks.
        const { crmAccounts } = data as { crmAccounts: { record: { website: string } } }
        heard.push(crmAccounts.record.website)
      },
      error: (error) => {
        end = JSON.stringify(error)
      },
      complete: () => {
        end = 'complete'
      },
    },
  )
  return { heard, leave, end: () => end }
}

test('subscriptions on one socket end one by one: left, refused, or never', async () => {
  const client = openSocketClient(stage.url, stage.tenant.key)
  open.push({ stop: () => void client.dispose() })
  const query = 'subscription { crmAccounts { record { website } } }'
  await settled(stage.service)
  const left = onOneSocket(client, query)
  const stays = onOneSocket(client, query)
  const refused = onOneSocket(client, 'subscription { crmAccounts { nope } }')
  await expect.poll(refused.end).toContain('BAD_REQUEST')
  await followed(stage, 2)
  await stage.write([account(7, 'both')])
  await expect.poll(() => [left.heard, stays.heard]).toEqual([['both'], ['both']])
  left.leave()
  await followed(stage, 1)
  await stage.write([account(7, 'one')])
  await expect.poll(() => stays.heard).toEqual(['both', 'one'])
  expect(left.heard).toEqual(['both'])
  expect([left.end(), stays.end()]).toEqual(['complete', 'open'])
})

test('an id may be any text: it comes back as it was given', async () => {
  const ids = ['"', '\\', 'é\u2028', '},"payload":{"data":1}', 'x'.repeat(200)]
  const given = [...ids]
  const client = openSocketClient(stage.url, stage.tenant.key, () => given.shift() ?? '')
  open.push({ stop: () => void client.dispose() })
  await settled(stage.service)
  const all = ids.map(() =>
    onOneSocket(client, 'subscription { crmAccounts { record { website } } }'),
  )
  await followed(stage, ids.length)
  await stage.write([account(8, 'quoted')])
  for (const { heard } of all) await expect.poll(() => heard).toEqual(['quoted'])
})
