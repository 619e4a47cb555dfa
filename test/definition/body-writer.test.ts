/** Writers made of a mapping, and the converters and readers that they use. */
import { describe, expect, test } from 'vitest'
import {
  type AppRequest,
  type AppResponse,
  type Json,
  orUndo,
  type ReadMany,
  RecordNotFoundError,
  type Steps,
} from '../../src/definition/connector.ts'
import { bodyWriter } from '../../src/definition/mapping/body-writer.ts'
import { changedFields, writtenEntries } from '../../src/definition/mapping/changed-fields.ts'
import {
  atLeast,
  listOf,
  listOfOne,
  onlyChanges,
  required,
} from '../../src/definition/mapping/converters.ts'
import { minorUnits } from '../../src/definition/mapping/minor-units.ts'
import { createMapper, defineMapping } from '../../src/definition/mapping.ts'
import { findIn } from '../../src/definition/paging/compose.ts'
import { cursorPages } from '../../src/definition/paging/cursor.ts'
import { partReader } from '../../src/definition/paging/parts.ts'
import { fulfillment } from '../../src/resources/commerce/fulfillment.ts'
import { ATTEMPT, driveSteps } from '../support/steps.ts'

const digits = (context: unknown): number => Number(Object(context).digits)

const mapping = defineMapping(fulfillment, {
  remoteId: 'id',
  remoteCreatedAt: null,
  remoteUpdatedAt: null,
  remoteDeleted: null,
  orderId: 'order',
  shipmentState: null,
  carrier: onlyChanges('carrier'),
  service: null,
  trackingNumbers: listOfOne('code', 'tracking number'),
  trackingUrls: null,
  lineItems: listOf('lines', {
    lineItemId: required('line.id'),
    productId: null,
    variantId: null,
    title: null,
    sku: null,
    price: minorUnits('price', digits),
    quantity: required(atLeast(1, 'quantity')),
  }),
})

const respond = (body: unknown): AppResponse => ({ status: 200, headers: {}, body })

const readMany: ReadMany = {
  maxIds: 2,
  request: (ids) => ({ method: 'GET', path: `/shipments?ids=${ids}` }),
  read: ({ body }) => body as readonly unknown[], // the responses below have this form
}

const writer = bodyWriter(mapping, {
  app: 'The app',
  remoteFields: { accepted: { note: 'string', id: 'json' }, reserved: ['id'] },
  readMany,
  *create(body) {
    const { body: created } = yield { method: 'POST', path: '/shipments', body }
    return Object(created).id
  },
  *update(body, { remoteId }) {
    yield { method: 'PATCH', path: `/shipments/${remoteId}`, body }
  },
})

/** Runs steps against responses. @returns their result or error, and the requests */
const runSteps = async (steps: Steps<unknown> | undefined, bodies: readonly unknown[]) => {
  if (!steps) throw new Error('The writer has no such write.')
  const requests: AppRequest[] = []
  const result = await driveSteps(steps, (request) =>
    respond(bodies[requests.push(request) - 1]),
  ).catch((error: unknown) => error)
  return { result, requests }
}

/** Steps without requests. */
const stepsReturning = (result: unknown): Steps<unknown> =>
  (function* () {
    yield* []
    return result
  })()

const attempt = { ...ATTEMPT, context: { digits: 2 } }
const fields = { lineItems: [{ lineItemId: 'l1', price: '12.5', quantity: 2 }] }
const raw = { id: 's1', carrier: 'DHL', order: 'o1', lines: [] }
const stored = { remoteId: 's1', record: {}, raw }

describe('a writer', () => {
  test('sends the body of the mapping and reads the record back', async () => {
    const { result, requests } = await runSteps(
      writer.create?.steps({ fields, remoteFields: { note: 'x' } }, attempt),
      [{ id: 's1' }, [raw]],
    )
    expect(result).toEqual(raw)
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/shipments',
        body: { lines: [{ line: { id: 'l1' }, price: 1250, quantity: 2 }], note: 'x' },
      },
      { method: 'GET', path: '/shipments?ids=s1' },
    ])
    expect(writer.create?.fields).toContain('lineItems.quantity')
    expect(writer.delete).toBeUndefined()
  })

  test.each<[string, unknown, unknown, readonly string[]]>([
    ['reads back', undefined, 's1', ['/s1']],
    ['does not read', raw, raw, []],
  ])(
    '%s the record if an update returns %j and a create returns %j',
    async (_name, updated, created, paths) => {
      const reading = bodyWriter(mapping, {
        app: 'The app',
        *get(id) {
          return (yield { method: 'GET', path: `/${id}` }).body
        },
        create: () => stepsReturning(created),
        update: () => stepsReturning(updated),
      })
      const input = { fields: {}, remoteFields: {} }
      for (const steps of [
        reading.create?.steps({ ...input, fields }, attempt),
        reading.update?.steps(input, stored, attempt),
      ]) {
        const { result, requests } = await runSteps(steps, [raw])
        expect(result).toEqual(raw)
        expect(requests.map(({ path }) => path)).toEqual(paths)
      }
    },
  )

  test('reports a create without an id as absent, and reads nothing', async () => {
    const { result, requests } = await runSteps(
      writer.create?.steps({ fields, remoteFields: {} }, attempt),
      [{}],
    )
    expect(result).toBeInstanceOf(RecordNotFoundError)
    expect(requests).toHaveLength(1)
  })

  test('reports a record that is gone as absent', async () => {
    const steps = writer.update?.steps({ fields: {}, remoteFields: {} }, stored, attempt)
    expect((await runSteps(steps, [{}, []])).result).toBeInstanceOf(RecordNotFoundError)
  })

  test.each<[object, object]>([
    [{ carrier: 'DHL' }, {}],
    [{ carrier: 'UPS' }, { carrier: 'UPS' }],
    [{ carrier: null }, { carrier: null }],
    [{ orderId: 'o1' }, { order: 'o1' }],
    [{ trackingNumbers: ['T1'] }, { code: 'T1' }],
    [{ trackingNumbers: [] }, { code: '' }],
    [{ trackingNumbers: null }, { code: '' }],
  ])(
    'reduces the update %j to the changed fields, if the mapping declares that',
    async (input, body) => {
      const update = { fields: input as Record<string, Json>, remoteFields: {} }
      const { requests } = await runSteps(writer.update?.steps(update, stored, attempt), [
        {},
        [raw],
      ])
      expect(requests[0]?.body).toEqual(body)
    },
  )

  test.each<[Record<string, Json>, Record<string, Json>, string]>([
    [{}, { id: 's2' }, 'remoteFields.id'],
    [{}, { colour: 'red' }, 'remoteFields.colour'],
    [{}, { note: 5 }, 'remoteFields.note'],
    [{ trackingNumbers: ['T1', 'T2'] }, {}, 'trackingNumbers'],
    [{ lineItems: [{ quantity: 1 }] }, {}, 'lineItems[0].lineItemId'],
    [{ lineItems: [{ lineItemId: 'l1' }] }, {}, 'lineItems[0].quantity'],
    [{ lineItems: [{ lineItemId: 'l1', quantity: 0 }] }, {}, 'lineItems[0].quantity'],
    [{ lineItems: [{ lineItemId: 'l1', quantity: 1, price: '0.001' }] }, {}, 'lineItems[0].price'],
  ])('rejects %j with remote fields %j', async (input, remoteFields, field) => {
    const steps = writer.update?.steps({ fields: input, remoteFields }, stored, attempt)
    const { result, requests } = await runSteps(steps, [])
    expect(result).toMatchObject({ name: 'WriteRejection', field })
    expect(requests).toEqual([])
  })
})

test('an amount is read in the unit of the account, also a computed one, and a text as a list', () => {
  const lines = [{ line: { id: 'l1' }, price: 1250, quantity: 1 }]
  const { row } = createMapper(mapping)({ ...raw, lines }, 'credential', { context: { digits: 3 } })
  expect(row.lineItems).toMatchObject([{ price: '1.250' }])
  const numbersOf = (code: string) =>
    createMapper(mapping)({ ...raw, code }, 'credential').row.trackingNumbers
  expect([numbersOf('T1'), numbersOf('')]).toEqual([['T1'], []])
  const computed = minorUnits((values) => Number(values.a) + Number(values.b), digits)
  expect(computed.read?.({ a: 1, b: 2 }, {}, { digits: 1 })).toBe('0.3')
  expect(minorUnits(() => undefined, digits).read?.({}, {}, { digits: 1 })).toBeNull()
})

test.each<[Record<string, Json | undefined>, unknown, object]>([
  [{ a: 1, b: '', c: undefined }, { a: 1, b: null }, {}],
  [{ a: { x: 1 } }, { a: { x: 1, y: 2 } }, {}],
  [
    { a: { x: 2 }, b: [1] },
    { a: { x: 1 }, b: [1, 2] },
    { a: { x: 2 }, b: [1] },
  ],
  [{ a: null }, undefined, {}],
  [{ a: 0 }, {}, { a: 0 }],
])('changedFields reduces %j to what differs from %j', (body, present, changed) => {
  expect(changedFields(body, present)).toEqual(changed)
})

test('the entries of a written list are new, or change the stored entry with their id', () => {
  const before = [
    { id: 'a', size: 1 },
    { id: 'b', size: 2 },
  ]
  const list = [{ id: 'b', size: 3 }, { size: 4 }, { id: 'a' }, { id: null, size: 5 }]
  const { entries, added, changed } = writtenEntries(list, before, 'lines')
  expect(entries.map(({ path, stored: found }) => [path, found?.id])).toEqual([
    ['lines[0]', 'b'],
    ['lines[1]', undefined],
    ['lines[2]', 'a'],
    ['lines[3]', undefined],
  ])
  expect(added.map(({ entry }) => entry.size)).toEqual([4, 5])
  expect(changed).toEqual([{ entry: { id: 'b', size: 3 }, path: 'lines[0]', stored: before[1] }])
})

describe('steps that are undone', () => {
  const undo: AppRequest = { method: 'DELETE', path: '/drafts/1' }
  function* complete(): Steps<string> {
    yield { method: 'POST', path: '/drafts/1/complete' }
    return 'completed'
  }

  test('are not undone if they succeed', async () => {
    expect(await runSteps(orUndo(complete(), undo), [{}])).toMatchObject({
      result: 'completed',
      requests: [{ method: 'POST' }],
    })
  })

  test.each([
    ['', []],
    [' also if that fails', [new Error('down')]],
  ])('report their own failure%s', async (_, failures) => {
    const requests: AppRequest[] = []
    const refusal = new Error('refused')
    const responses = [refusal, ...failures]
    const result = await driveSteps(orUndo(complete(), undo), (request) => {
      const response = responses[requests.push(request) - 1]
      if (response) throw response
      return respond({})
    }).catch((error: unknown) => error)
    expect(result).toBe(refusal)
    expect(requests[1]).toEqual({ ...undo, undo: true })
  })
})

describe('parts', () => {
  const ofOrder: Readonly<Record<string, readonly string[]>> = { o1: ['a'], o2: ['b', 'c'] }
  const search = cursorPages({
    request: ({ after = 'o1' }) => ({ method: 'GET', path: `/orders/${after}` }),
    records: 'orders',
    next: 'next',
  })
  const parts = partReader({
    readMany: {
      maxIds: 1,
      request: ([id = '']) => ({ method: 'GET', path: `/parts/${id}` }),
      read: ({ body }) => body as readonly unknown[], // the response below
    },
    parentId: 'order',
    search,
    partIds: 'shipments.id',
  })
  const run = async (steps: Steps<unknown>) => {
    const paths: string[] = []
    const result = await driveSteps(steps, ({ path }) => {
      paths.push(path)
      const [, kind, id = ''] = path.split('/')
      const found = (ofOrder[id] ?? []).map((part) => ({ id: part, order: id }))
      return respond(
        kind === 'parts'
          ? found
          : { orders: [{ id, shipments: found }], next: id === 'o1' && 'o2' },
      )
    }).catch((error: unknown) => error)
    return { result, paths }
  }

  test('are found in the parent of the stored copy, or by a search that ends there', async () => {
    const copy = { remoteId: 'c', record: { remoteFields: { order: 'o2' } } }
    const found = { id: 'c', order: 'o2' }
    expect(await run(parts.get('c', copy))).toEqual({ result: found, paths: ['/parts/o2'] })
    expect(await run(parts.get('c'))).toEqual({
      result: found,
      paths: ['/orders/o1', '/orders/o2', '/parts/o2'],
    })
    expect((await run(parts.get('a'))).paths).toEqual(['/orders/o1', '/parts/o1'])
  })

  test('that do not exist are undefined, or absent where they are required', async () => {
    expect((await run(parts.get('z'))).result).toBeUndefined()
    expect((await run(parts.read('o1', 'b'))).result).toBeInstanceOf(RecordNotFoundError)
    expect((await run(parts.read('o1', 'a'))).result).toMatchObject({ id: 'a' })
    expect((await run(findIn(search, () => false))).result).toBeUndefined()
  })
})
