/** The context of an account: read before the first listing, then daily. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connector, defineConnector, type Json } from '../../src/definition/connector.ts'
import { defineContext } from '../../src/definition/context.ts'
import { defineMapping } from '../../src/definition/mapping.ts'
import { account } from '../../src/resources/crm/account.ts'
import { type FakeSync, fakeConnector } from '../support/fake-app.ts'
import { openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop

beforeEach(async () => {
  shop = await openWorkshop()
  shop.app.fill(2)
  shop.app.settings.context = { unit: 'EUR' }
})

afterEach(() => shop.close())

/** The connector of the fake app, whose requests and descriptions contain the unit of the context. */
const connectorOf = (version = 1, sync: Partial<FakeSync> = {}): Connector => {
  const settings = defineContext({
    version,
    *read() {
      const { body } = yield { method: 'GET', path: '/context' }
      const { unit } = Object(body)
      if (typeof unit !== 'string') throw new Error('There is no unit.')
      return { unit }
    },
  })
  const plain = fakeConnector(sync)
  const resource = plain.resources[TOPIC]
  if (!resource) throw new Error('The fake app lists no accounts.')
  const mapping = defineMapping(account, {
    // Safe: the rules of the same resource.
    ...(resource.mapping.rules as Parameters<typeof defineMapping<typeof account>>[1]),
    description: (_raw, _record, context) => settings.of(context).unit,
  })
  const accounts = {
    ...resource,
    mapping,
    listRequest: (position: Parameters<typeof resource.listRequest>[0]) => {
      const request = resource.listRequest(position)
      return { ...request, path: `${request.path}&unit=${settings.of(position.context).unit}` }
    },
  }
  return defineConnector({ ...plain, context: settings, resources: { [TOPIC]: accounts } })
}

const engineOf = (connector = connectorOf()) =>
  shop.engine({ connectors: new Map([['fake', connector]]) })

/** The names of the requests since the last call: `context`, `accounts`. */
const requested = (): readonly string[] =>
  shop.app.requests.splice(0).map(({ path }) => path.replace('/api/', ''))

const units = async () => (await shop.records()).map(({ description }) => description)

const storedContext = async () => {
  const { context, contextVersion, contextReadAt, contextDueAt } =
    await shop.database.prisma.credential.findUniqueOrThrow({ where: { id: shop.credentialId } })
  const dueInMs = contextDueAt && contextDueAt.getTime() - Date.now()
  return { value: context, version: contextVersion, readAt: contextReadAt, dueInMs }
}

const HOUR_MS = 3_600_000

const unavailable = { kind: 'status', status: 503 } as const

const makeDue = () =>
  shop.database.prisma.$executeRaw`UPDATE credentials SET context_due_at = now() - interval '1 s'`

it('is read before the first listing, and no more that day', async () => {
  const engine = engineOf()
  await engine.syncNow(shop.credentialId)
  expect(requested()).toEqual(['context', 'accounts'])
  expect(await units()).toEqual(['EUR', 'EUR'])
  const { value, version, readAt, dueInMs } = await storedContext()
  expect([value, version]).toEqual(['{"unit":"EUR"}', 1])
  expect(Date.now() - (readAt?.getTime() ?? 0)).toBeLessThan(HOUR_MS)
  expect(Math.round((dueInMs ?? 0) / HOUR_MS)).toBe(24)

  // A new process.
  await engineOf().syncNow(shop.credentialId)
  expect(requested()).toEqual(['accounts'])
})

it('costs a poll no statement', async () => {
  const statementsOf = async (connector: Connector): Promise<number> => {
    const engine = engineOf(connector)
    await engine.syncNow(shop.credentialId)
    const before = shop.statements.length
    await engine.syncNow(shop.credentialId)
    return shop.statements.length - before
  }
  const sync = { changes: { by: 'token' } } as const
  const without = await statementsOf(fakeConnector(sync))
  expect(await statementsOf(connectorOf(1, sync))).toBe(without)
})

describe('a context that is due', () => {
  beforeEach(async () => {
    await engineOf().syncNow(shop.credentialId)
    requested()
  })

  it('lists nothing again if it is the same', async () => {
    await makeDue()
    await engineOf().syncNow(shop.credentialId)
    expect(requested()).toEqual(['context', 'accounts'])
    expect(shop.app.requests).toEqual([])
    expect((await shop.logged()).filter(({ topic }) => topic === 'sync/completed')).toHaveLength(1)
    expect((await storedContext()).dueInMs).toBeGreaterThan(23 * HOUR_MS)
  })

  it('lists everything in full if it has changed, so that no record has values of the old one', async () => {
    shop.app.settings.context = { unit: 'SEK' }
    await makeDue()
    await engineOf().syncNow(shop.credentialId)
    expect(requested()).toEqual(['context', 'accounts'])
    expect(await units()).toEqual(['SEK', 'SEK'])
    expect((await shop.logged()).at(-1)).toMatchObject({
      topic: 'sync/completed',
      record: { listing: 'everything', updated: 2 },
    })
  })

  it('interrupts a listing that resumes with values of the old one', async () => {
    shop.app.settings.context = { unit: 'SEK' }
    await makeDue()
    const progress = { stage: 'listing', listing: 'everything', cursor: '"2099-01-01|9"' }
    await shop.database.prisma.syncState.updateMany({ data: { progress } })
    await engineOf().syncNow(shop.credentialId)
    expect(await units()).toEqual(['SEK', 'SEK'])
  })

  it.each<[string, () => unknown]>([
    ['the app is unavailable', () => shop.app.faults.push(...Array(4).fill(unavailable))],
    ['the app refuses', () => shop.app.faults.push({ kind: 'status', status: 403 })],
    [
      'the response has another form',
      () => Object.assign(shop.app.settings, { context: { name: 'x' } }),
    ],
  ])('stays in use if it cannot be read: %s', async (_name, breakApp) => {
    await makeDue()
    breakApp()
    await engineOf().syncNow(shop.credentialId)
    expect(requested().at(-1)).toBe('accounts')
    expect(await units()).toEqual(['EUR', 'EUR'])
    const { value, dueInMs } = await storedContext()
    expect(value).toBe('{"unit":"EUR"}')
    expect(Math.round((dueInMs ?? 0) / 60_000)).toBe(15)
    expect(shop.log.lines.some((line) => line.includes('context of an account'))).toBe(true)
  })

  it('is read again by a later version of the connector, and not replaced by an earlier one', async () => {
    await engineOf(connectorOf(2)).syncNow(shop.credentialId)
    expect(requested()).toEqual(['context', 'accounts'])
    // A process of the earlier version still runs.
    await engineOf(connectorOf(1)).syncNow(shop.credentialId)
    expect(requested()).toEqual(['context', 'accounts'])
    expect((await storedContext()).version).toBe(2)
    await engineOf(connectorOf(2)).syncNow(shop.credentialId)
    expect(requested()).toEqual(['accounts'])
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
      shop.app.settings.context = value
      if (status !== undefined) shop.app.faults.push({ kind: 'status', status })
      const engine = engineOf()
      await expect(engine.syncNow(shop.credentialId)).rejects.toMatchObject({ errors: [{ code }] })
      expect(requested()).toEqual(['context'])
      expect(await shop.state()).toMatchObject({ failureCode: code, failures: 1 })
      shop.app.settings.context = { unit: 'EUR' }
      await engine.syncNow(shop.credentialId)
      expect(await units()).toEqual(['EUR', 'EUR'])
    },
  )

  it('is read by one run, while the others wait', async () => {
    await shop.database.prisma.$executeRaw`
      UPDATE credentials SET context_due_at = clock_timestamp() + interval '0.2 s'`
    await engineOf().syncNow(shop.credentialId)
    // The run that has claimed the read never ends; another one reads the context then.
    expect(requested()).toEqual(['context', 'accounts'])
  })
})
