/** The connector against the sandbox app itself, as the sync uses it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authenticate, baseUrlOf, methodOf } from '../../src/definition/authenticate.ts'
import { type AppResponse, isAbsent, type Json } from '../../src/definition/connector.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { connectors } from '../../src/generated/registry.ts'
import { AppRefusedError } from '../../src/outbound/app-error.ts'
import { REQUEST } from '../support/steps.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'

const CREDENTIAL = '9b2c6c1e-7a4d-4c58-8f5e-2f6f0d3a1b77'

const connector = connectors.get('sandbox')
if (!connector) throw new Error('The registry has no sandbox.')
const method = methodOf(connector.auth, null)
if (!method) throw new Error('The sandbox has no method.')
const topics = Object.keys(connector.resources)

let harness: SandboxHarness
beforeAll(async () => {
  harness = await openSandboxHarness()
})
afterAll(() => harness.stop())

const send = async (path: string, token = harness.acme.token): Promise<AppResponse> => {
  const values = { tenant: 'acme', token }
  const response = await harness.app.handle(
    new Request(baseUrlOf(method, values) + path, {
      headers: { ...authenticate(method, values).headers },
    }),
  )
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.json(),
  }
}

/** All rows of a topic changed since then. */
const pull = async (topic: string, since?: string) => {
  const resource = connector.resources[topic]
  if (!resource) throw new Error(`The sandbox has no ${topic}.`)
  const map = createMapper(resource.mapping)
  const rows = []
  let cursor: Json | undefined
  do {
    const position = { since, cursor }
    const request = resource.listRequest(position)
    const response = await send(request.path)
    expect(connector.readFailure(response, request)).toBe(undefined)
    const page = resource.readList(response, position)
    for (const raw of page.records) {
      const { row, problems } = map(raw, CREDENTIAL)
      expect(problems).toEqual([])
      rows.push(row)
    }
    cursor = page.next
  } while (cursor !== undefined)
  return rows
}

test('lists what changed since the last run, including deleted records, and nothing else', async () => {
  const before = new Map<string, Awaited<ReturnType<typeof pull>>>()
  for (const topic of topics) before.set(topic, await pull(topic))
  const { now } = harness.clock
  harness.clock.now = new Date(now.getTime() + 60_000)
  await harness.app.advance('acme', 90)

  let changes = 0
  let deletions = 0
  for (const topic of topics) {
    const stored = new Map((before.get(topic) ?? []).map((row) => [row.remoteId, row]))
    const changed = await pull(topic, now.toISOString())
    for (const row of changed) stored.set(row.remoteId, row)
    changes += changed.length
    deletions += changed.filter(({ remoteDeleted }) => remoteDeleted).length
    const compareIds = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect([...stored.values()].sort(compareIds), topic).toEqual(
      (await pull(topic)).sort(compareIds),
    )
  }
  expect(changes).toBeGreaterThan(60)
  expect(changes).toBeLessThan(300)
  expect(deletions).toBeGreaterThan(3)
})

test('a response has the time of the clock that stamps the records', async () => {
  const { headers } = await send('/v1/vendors')
  expect(headers.date).toBe(harness.clock.now.toUTCString())
})

test('a rejection has the sandbox’s own message', async () => {
  const failureOf = async (path: string, token?: string) =>
    connector.readFailure(await send(path, token), REQUEST)
  expect(await failureOf('/v1/vendors', 'sbx_wrong')).toEqual({
    kind: 'authentication',
    reason: 'unauthorized',
  })
  expect(await failureOf('/v1/vendors?limit=999')).toEqual({
    kind: 'refused',
    reason: 'invalid (limit)',
    field: 'limit',
  })
  expect(await failureOf('/v1/nothing')).toEqual({ kind: 'refused', reason: 'no_such_kind' })
  const broken = { status: 502, headers: {}, body: undefined }
  expect(connector.readFailure(broken, REQUEST)).toEqual({
    kind: 'unavailable',
    reason: 'no reason given',
  })
})

test('distinguishes a missing and a changed record from other rejections', () => {
  const kindOf = (status: number, reason: string) =>
    connector.readFailure(
      { status, headers: {}, body: { error: { reason, field: null } } },
      REQUEST,
    )?.kind
  expect(kindOf(404, 'no_such_record')).toBe('absent')
  expect(kindOf(404, 'no_such_kind')).toBe('refused')
  expect(kindOf(422, 'no_such_record')).toBe('refused')
  expect(kindOf(409, 'stale_version')).toBe('conflict')
  expect(kindOf(409, 'in_use')).toBe('refused')
})

test('the steps recognise the engine’s error for a missing record', () => {
  const facts = { app: 'sandbox', appName: 'Sandbox', request: 'GET /', reason: 'no_such_record' }
  expect(isAbsent(new AppRefusedError(facts, 'absent'))).toBe(true)
  expect(isAbsent(new AppRefusedError(facts, 'refused'))).toBe(false)
  expect(isAbsent(new Error('absent'))).toBe(false)
  expect(isAbsent({ kind: 'absent' })).toBe(false)
})

test('a response that is not a listing is not an empty listing', () => {
  const vendors = connector.resources['accounting/vendors']
  const position = { since: undefined, cursor: undefined }
  for (const body of [undefined, null, [], {}, { items: [] }, { items: {}, next: null }])
    expect(() => vendors?.readList({ status: 200, headers: {}, body }, position)).toThrow('items')
})
