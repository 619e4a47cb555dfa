/** The context of an account: read before the first listing, then daily. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type AppRequest,
  type AppResponse,
  type Connector,
  defineConnector,
  type Json,
} from '../../src/definition/connector.ts'
import { defineContext } from '../../src/definition/context.ts'
import type { ChangeFeeds } from '../../src/definition/feed.ts'
import type { Webhooks } from '../../src/definition/inbound.ts'
import { fetchRecords } from '../../src/inbound/fetch-records.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import { defineFakeConnector, type FakeSync } from '../support/fake-app.ts'
import { testVault } from '../support/vault.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.fill(2)
  harness.app.settings.context = { unit: 'EUR' }
})

afterEach(() => harness.close())

const accountsRequest = (unit: string): AppRequest => ({
  method: 'GET',
  path: `/accounts?unit=${unit}`,
})

/** The connector of the fake app, whose requests and descriptions contain the unit of the context. */
const connectorOf = (version = 1, sync: Partial<FakeSync> = {}, hasFeed = false): Connector => {
  const settings = defineContext({
    version,
    *read() {
      const { body } = yield { method: 'GET', path: '/context' }
      const { unit } = Object(body)
      if (typeof unit !== 'string') throw new Error('There is no unit.')
      return { unit }
    },
  })
  const plain = defineFakeConnector(sync)
  const resource = plain.resources[TOPIC]
  if (!resource) throw new Error('The fake app lists no accounts.')
  const rules = {
    ...resource.mapping.rules,
    description: (_raw: unknown, _record: unknown, context: unknown) => settings.of(context).unit,
  }
  const accounts = {
    ...resource,
    mapping: { ...resource.mapping, rules },
    listRequest: (position: Parameters<typeof resource.listRequest>[0]) => {
      const request = resource.listRequest(position)
      return { ...request, path: `${request.path}&unit=${settings.of(position.context).unit}` }
    },
    readMany: {
      maxIds: 10,
      request: (_ids: readonly string[], context: unknown) =>
        accountsRequest(settings.of(context).unit),
      read: (response: AppResponse, context: unknown) => {
        const { records } = resource.readList(response, { since: undefined, cursor: undefined })
        return records.map((record) => ({ ...Object(record), unit: settings.of(context).unit }))
      },
    },
  }
  const feeds: ChangeFeeds = {
    changes: {
      topics: [TOPIC],
      request: ({ context }) => accountsRequest(settings.of(context).unit),
      read: (_response, { context }) => {
        settings.of(context)
        return { changes: [], next: undefined, token: 1 }
      },
    },
  }
  const resources = { [TOPIC]: accounts }
  return defineConnector({ ...plain, context: settings, resources, ...(hasFeed && { feeds }) })
}

const engineOf = (connector = connectorOf()) =>
  harness.engine({ connectors: new Map([['fake', connector]]) })

/** The names of the requests since the last call: `context`, `accounts`. */
const takeRequests = (): readonly string[] =>
  harness.app.requests.splice(0).map(({ path }) => path.replace('/api/', ''))

const listUnits = async () => (await harness.records()).map(({ description }) => description)

const readStoredContext = async () => {
  const { context, contextVersion, contextReadAt, contextDueAt } =
    await harness.database.prisma.credential.findUniqueOrThrow({
      where: { id: harness.credentialId },
    })
  const dueInMs = contextDueAt && contextDueAt.getTime() - Date.now()
  return { value: context, version: contextVersion, readAt: contextReadAt, dueInMs }
}

const HOUR_MS = 3_600_000

const unavailable = { kind: 'status', status: 503 } as const

const makeDue = () =>
  harness.database.prisma
    .$executeRaw`UPDATE credentials SET context_due_at = now() - interval '1 s'`

it('is read before the first listing, and no more that day', async () => {
  const engine = engineOf()
  await engine.syncNow(harness.credentialId)
  expect(takeRequests()).toEqual(['context', 'accounts'])
  expect(await listUnits()).toEqual(['EUR', 'EUR'])
  const { value, version, readAt, dueInMs } = await readStoredContext()
  expect([value, version]).toEqual(['{"unit":"EUR"}', 1])
  expect(Date.now() - (readAt?.getTime() ?? 0)).toBeLessThan(HOUR_MS)
  expect(Math.round((dueInMs ?? 0) / HOUR_MS)).toBe(24)

  // Simulates a new process.
  await engineOf().syncNow(harness.credentialId)
  expect(takeRequests()).toEqual(['accounts'])
})

it('costs a poll no statement', async () => {
  const statementsOf = async (connector: Connector): Promise<number> => {
    const engine = engineOf(connector)
    await engine.syncNow(harness.credentialId)
    const before = harness.statements.length
    await engine.syncNow(harness.credentialId)
    return harness.statements.length - before
  }
  const sync = { changes: { by: 'token' } } as const
  const without = await statementsOf(defineFakeConnector(sync))
  expect(await statementsOf(connectorOf(1, sync))).toBe(without)
})

describe('a context that is due', () => {
  beforeEach(async () => {
    await engineOf().syncNow(harness.credentialId)
    takeRequests()
  })

  it('lists nothing again if it is the same', async () => {
    await makeDue()
    await engineOf().syncNow(harness.credentialId)
    expect(takeRequests()).toEqual(['context', 'accounts'])
    expect(harness.app.requests).toEqual([])
    expect(
      (await harness.readLog()).filter(({ topic }) => topic === 'sync/completed'),
    ).toHaveLength(1)
    expect((await readStoredContext()).dueInMs).toBeGreaterThan(23 * HOUR_MS)
  })

  it('lists everything in full if it has changed, so that no record has values of the old one', async () => {
    harness.app.settings.context = { unit: 'SEK' }
    await makeDue()
    await engineOf().syncNow(harness.credentialId)
    expect(takeRequests()).toEqual(['context', 'accounts'])
    expect(await listUnits()).toEqual(['SEK', 'SEK'])
    expect((await harness.readLog()).at(-1)).toMatchObject({
      topic: 'sync/completed',
      record: { listing: 'everything', updated: 2 },
    })
  })

  it('interrupts a listing that resumes with values of the old one', async () => {
    harness.app.settings.context = { unit: 'SEK' }
    await makeDue()
    const progress = { stage: 'listing', listing: 'everything', cursor: '"2099-01-01|9"' }
    await harness.database.prisma.syncState.updateMany({ data: { progress } })
    await engineOf().syncNow(harness.credentialId)
    expect(await listUnits()).toEqual(['SEK', 'SEK'])
  })

  it.each<[string, () => unknown]>([
    ['the app is unavailable', () => harness.app.faults.push(...Array(4).fill(unavailable))],
    ['the app refuses', () => harness.app.faults.push({ kind: 'status', status: 403 })],
    [
      'the response has another form',
      () => Object.assign(harness.app.settings, { context: { name: 'x' } }),
    ],
  ])('stays in use if it cannot be read: %s', async (_name, breakApp) => {
    await makeDue()
    breakApp()
    await engineOf().syncNow(harness.credentialId)
    expect(takeRequests().at(-1)).toBe('accounts')
    expect(await listUnits()).toEqual(['EUR', 'EUR'])
    const { value, dueInMs } = await readStoredContext()
    expect(value).toBe('{"unit":"EUR"}')
    expect(Math.round((dueInMs ?? 0) / 60_000)).toBe(15)
    expect(harness.log.lines.some((line) => line.includes('context of an account'))).toBe(true)
  })

  it('is read again by a later version of the connector, and not replaced by an earlier one', async () => {
    await engineOf(connectorOf(2)).syncNow(harness.credentialId)
    expect(takeRequests()).toEqual(['context', 'accounts'])
    // A process of the earlier version still runs.
    await engineOf(connectorOf(1)).syncNow(harness.credentialId)
    expect(takeRequests()).toEqual(['context', 'accounts'])
    expect((await readStoredContext()).version).toBe(2)
    await engineOf(connectorOf(2)).syncNow(harness.credentialId)
    expect(takeRequests()).toEqual(['accounts'])
  })
})

describe('a first context', () => {
  it.each<[string, Json, number | undefined, string]>([
    ['that the app refuses', { unit: 'EUR' }, 403, 'APP_REFUSED'],
    ['of another form', { unit: 7 }, undefined, 'APP_UNAVAILABLE'],
    ['that is too large', { unit: 'x'.repeat(300_000) }, undefined, 'APP_UNAVAILABLE'],
  ])(
    '%s fails the run before anything is listed, and is tried again',
    async (_name, value, status, code) => {
      harness.app.settings.context = value
      if (status !== undefined) harness.app.faults.push({ kind: 'status', status })
      const engine = engineOf()
      await expect(engine.syncNow(harness.credentialId)).rejects.toMatchObject({
        errors: [{ code }],
      })
      expect(takeRequests()).toEqual(['context'])
      expect(await harness.state()).toMatchObject({ failureCode: code, failures: 1 })
      harness.app.settings.context = { unit: 'EUR' }
      await engine.syncNow(harness.credentialId)
      expect(await listUnits()).toEqual(['EUR', 'EUR'])
    },
  )

  it('is read by one run, while the others wait', async () => {
    await harness.database.prisma.$executeRaw`
      UPDATE credentials SET context_due_at = clock_timestamp() + interval '0.2 s'`
    await engineOf().syncNow(harness.credentialId)
    // The run that has claimed the read never ends; another one reads the context then.
    expect(takeRequests()).toEqual(['context', 'accounts'])
  })
})

it('is passed to feeds, and a change of it lists their resources in full', async () => {
  const engine = engineOf(connectorOf(1, { changes: { by: 'token' } }, true))
  const { credentialId } = harness
  await harness.database.prisma.syncState.create({ data: { credentialId, topic: 'feeds/changes' } })
  await engine.syncNow(credentialId)
  // The feed starts before the first listing.
  expect(takeRequests()).toEqual(['context', 'accounts', 'accounts'])
  harness.app.settings.context = { unit: 'SEK' }
  await makeDue()
  await engine.syncNow(credentialId)
  expect(takeRequests()).toEqual(['context', 'accounts', 'accounts'])
  expect(await listUnits()).toEqual(['SEK', 'SEK'])
})

it('is read by the first fetch after a webhook, and passed to it', async () => {
  const { database, credentialId } = harness
  const appClient = createAppClient({ allowPrivateAddresses: true })
  const connector = connectorOf()
  const resource = connector.resources[TOPIC]
  const credential = await readCredential(database, testVault, credentialId)
  if (!resource || !credential) throw new Error('The harness has no credential.')
  const { signal } = new AbortController()
  const webhooks: Webhooks = {
    scope: 'credential',
    topics: [],
    events: () => [],
    secret: { from: 'subscription' },
    signature: { type: 'standardWebhooks' },
  }
  const app = { connector, webhooks, credential, appClient, signal, ending: signal }
  const { rows } = await fetchRecords(app, database, resource, ['1', '2'])
  await appClient.stop()
  expect(takeRequests()).toEqual(['context', 'accounts'])
  expect(rows).toMatchObject([
    { description: 'EUR', remoteFields: { unit: 'EUR' } },
    { description: 'EUR', remoteFields: { unit: 'EUR' } },
  ])
})
