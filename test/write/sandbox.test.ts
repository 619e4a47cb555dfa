/** Every writable resource against the sandbox, over both APIs: in the app, in the store, and in the next sync. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { converterOf } from '../../src/definition/mapping/rule.ts'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { samples } from '../sandbox/write-samples.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls, RecordOutcome } from '../support/record-calls.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

const topics = Object.keys(samples)

/** Texts that are not free: the app accepts only addresses, or the states that it knows. */
const RESTRICTED = /mail|status/i

/** A free text of the resource, or else a day, that the app stores unchanged, and a second value for it. */
const changeIn = (topic: string): readonly [field: string, value: string] => {
  const { fields } = catalogue.get(topic)
  const changes = Object.entries(samples[topic]?.update ?? {})
  const text = changes.find(
    ([name]) => fields[name]?.kind.name === 'text' && !RESTRICTED.test(name),
  )
  if (text) return [text[0], String(text[1])]
  const day = changes.find(([name]) => fields[name]?.kind.name === 'date')
  if (day) return [day[0], `${day[1]}T00:00:00.000Z`]
  throw new Error(`The sample of ${topic} changes no text and no day.`)
}

/** The app's collection of a topic, and its own name of a field. */
const appNameOf = (topic: string, field: string) => {
  const resource = connectors.get('sandbox')?.resources[topic]
  const { path = '' } = resource?.listRequest({ since: undefined, cursor: undefined }) ?? {}
  return {
    kind: /^\/v1\/(\w+)/.exec(path)?.[1] ?? '',
    appField: converterOf(resource?.mapping.rules[field])?.from ?? '',
  }
}

test('covers every writable resource', () => {
  const resources = Object.entries(connectors.get('sandbox')?.resources ?? {})
  const writable = resources.flatMap(([topic, { write }]) => (write ? [topic] : []))
  expect(topics.toSorted()).toEqual(writable.toSorted())
})

/** A numeric field must be a number in GraphQL; REST also accepts its digits. */
const toGraphQLInput = (topic: string, input: object = {}): object =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      catalogue.get(topic).fields[name]?.kind.name === 'number' ? Number(value) : value,
    ]),
  )

const expectSuccess = ({ status, record, message }: RecordOutcome) => {
  expect(status, message).toBe(200)
  return record
}

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(transport)
  })

  describe.each(topics)('%s', (topic) => {
    const [field, value] = changeIn(topic)
    const { kind, appField } = appNameOf(topic, field)
    const create = async () =>
      expectSuccess(await records.create(topic, toGraphQLInput(topic, samples[topic]?.create)))
    /** The changes of a record since the last read of the log. */
    const changesOf = async (remoteId: string) => {
      const changes = await sandbox.takeChanges()
      return changes.filter((change) => change.topic === topic && change.remoteId === remoteId)
    }
    /** The changed field and the required fields. */
    const changeOf = (input: string) => {
      const { fields } = catalogue.get(topic)
      const first = Object.entries(samples[topic]?.create ?? {})
      const required = first.filter(([name]) => fields[name]?.required)
      return { ...Object.fromEntries(required), [field]: input }
    }

    test('is created, changed and deleted in the app and here, and the next sync agrees', async () => {
      const created = await create()
      expect(await sandbox.readInApp(kind, created.remoteId)).toMatchObject({ version: 1 })
      expect((await records.get(topic, created.id)).record).toEqual(created)

      const changed = expectSuccess(await records.update(topic, created.remoteId, changeOf(value)))
      expect(changed).toMatchObject({ id: created.id, [field]: value })
      const inApp = await sandbox.readInApp(kind, created.remoteId)
      expect(inApp.version).toBe(2)
      expect(value).toContain(inApp[appField])
      expect((await records.get(topic, created.id)).record).toEqual(changed)
      expect(await changesOf(created.remoteId)).toMatchObject([
        { kind: 'created' },
        { kind: 'updated', fields: expect.arrayContaining([field, 'remoteUpdatedAt']) },
      ])

      await sandbox.sync()
      expect(await changesOf(created.remoteId)).toEqual([])
      expect((await records.get(topic, created.id)).record).toEqual(changed)

      const gone = expectSuccess(await records.remove(topic, created.id))
      expect(gone).toMatchObject({ id: created.id, [field]: value, remoteDeleted: true })
      await expect(sandbox.readInApp(kind, created.remoteId)).rejects.toThrow(/ 404 /)
      await sandbox.sync()
      expect((await records.get(topic, created.id)).record).toMatchObject({
        id: created.id,
        [field]: value,
        remoteDeleted: true,
      })
      const [deletion, ...others] = await changesOf(created.remoteId)
      expect(deletion).toMatchObject({ kind: 'deleted', fields: ['remoteDeleted'] })
      // The app records the time of the deletion in a new version.
      for (const { kind, fields } of others)
        expect([kind, ...fields.toSorted()]).toEqual(['updated', 'remoteFields', 'remoteUpdatedAt'])
    })

    test('a concurrent change in the app is not overwritten: the conflict has both versions', async () => {
      const created = await create()
      const theirs = field === 'transactionDate' ? '2026-03-09' : 'Theirs'
      await sandbox.changeInApp(kind, created.remoteId, { [appField]: theirs })
      const stale = await records.update(topic, created.id, changeOf(value))
      expect(stale, stale.message).toMatchObject({ status: 409, code: 'WRITE_CONFLICT' })
      expect(stale.details).toContainEqual(
        expect.objectContaining({
          field,
          stored: created[field],
          current: expect.stringContaining(theirs),
        }),
      )
      expect((await sandbox.readInApp(kind, created.remoteId))[appField]).toBe(theirs)
      expect((await records.get(topic, created.id)).record[field]).toContain(theirs)
      const again = expectSuccess(await records.update(topic, created.id, changeOf(value)))
      expect(again[field]).toBe(value)
    })

    test('is not deleted after a concurrent change or deletion in the app', async () => {
      const created = await create()
      const theirs = field === 'transactionDate' ? '2026-03-09' : 'Theirs'
      await sandbox.changeInApp(kind, created.remoteId, { [appField]: theirs })
      expect(await records.remove(topic, created.id)).toMatchObject({ status: 409 })
      await sandbox.deleteInApp(kind, created.remoteId)
      const late = await records.update(topic, created.id, changeOf(value))
      expect(late).toMatchObject({ status: 409, code: 'WRITE_CONFLICT' })
      expect(late.details).toContainEqual(
        expect.objectContaining({ field: 'remoteDeleted', stored: false, current: true }),
      )
    })
  })

  test.each([
    ['crm/accounts', { accountName: 'Quay', numberOfEmployees: -3 }, 'numberOfEmployees'],
    ['commerce/customers', { email: 'nobody' }, 'email'],
    ['crm/notes', { noteContent: 'x', noteContact: 'per_9999' }, 'noteContact'],
    ['accounting/vendors', { vendorName: '' }, 'vendorName'],
  ])('a rejection of %s is reported in the app’s words: %j', async (topic, input, field) => {
    const refused = await records.create(topic, input)
    expect(refused).toMatchObject({ status: 400, code: 'APP_REFUSED' })
    expect(refused.message).toMatch(/^Sandbox refused: \w+ \(\w+\)$/)
    expect(refused.details).toEqual([
      { field, expected: expect.stringMatching(/^a value that Sandbox accepts: \w+/) },
    ])
  })

  test('an order’s total is the sum of lines, shipping and tax, unless it was sent', async () => {
    const line = { productId: 'prd_0001', variantId: 'var_0001', price: '45.00', quantity: 2 }
    const created = expectSuccess(
      await records.create('commerce/orders', {
        lineItems: [line],
        totalShipping: 4.5,
        totalTax: 9,
        totalDiscount: 1,
      }),
    )
    expect(created).toMatchObject({
      totalPrice: '102.50',
      totalShipping: '4.50',
      totalTax: '9.00',
      totalDiscount: '1.00',
    })
    const stated = expectSuccess(
      await records.update('commerce/orders', created.id, { totalPrice: 99.9 }),
    )
    expect(stated.totalPrice).toBe('99.90')
    expect(await sandbox.readInApp('orders', created.remoteId)).toMatchObject({
      totalPrice: '99.90',
    })
  })
})

test('a path below a parent writes only its records, with as many statements as the record’s own path', async () => {
  const { service, tenant, credentialId } = sandbox
  const records = sandbox.over('REST')
  const lineItems = [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 2 }]
  const order = expectSuccess(await records.create('commerce/orders', { lineItems }))
  const other = expectSuccess(await records.create('commerce/orders', { lineItems }))
  const make = () =>
    records.create('commerce/fulfillments', {
      orderId: order.remoteId,
      lineItems: [{ variantId: 'var_0001', quantity: 1 }],
    })
  const send = async (method: 'PUT' | 'DELETE', path: string) => {
    service.takeStatements()
    const body = method === 'PUT' ? { carrier: 'Quay Post' } : undefined
    const url = `/2024-03/one/commerce${path}?credentialId=${credentialId}`
    const { statusCode } = await service.send(tenant.key, method, url, body)
    // A late notification of an earlier change can have removed the access that was cached, and the failed requests of
    // earlier tests are stored every 2 s.
    const isOfOthers = (sql: string) => /\b(api_keys|users|credentials|app_requests)\b/.test(sql)
    return { statusCode, statements: service.takeStatements().filter((sql) => !isOfOthers(sql)) }
  }
  const [own, below] = [expectSuccess(await make()), expectSuccess(await make())]
  for (const method of ['PUT', 'DELETE'] as const) {
    const plain = await send(method, `/fulfillments/${own.id}`)
    const mismatched = await send(method, `/orders/${other.id}/fulfillments/${below.id}`)
    const nested = await send(method, `/orders/${order.id}/fulfillments/${below.id}`)
    expect([plain, mismatched, nested].map(({ statusCode }) => statusCode)).toEqual([200, 404, 200])
    expect(nested.statements).toHaveLength(plain.statements.length)
    expect(nested.statements.length).toBeGreaterThan(5)
  }
})
