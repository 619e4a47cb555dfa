/**
 * The Medusa connector without a Medusa: requests, failures and events. The live test is
 * test/long/medusa.check.ts.
 */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/medusa/manifest.ts'
import type {
  AppRequest,
  AppResponse,
  Json,
  ListPosition,
  ResourceWriter,
} from '../../src/definition/connector.ts'
import { ATTEMPT, REQUEST, runSteps } from '../support/steps.ts'

const okResponse = (body: unknown): AppResponse => ({ status: 200, headers: {}, body })

const findResource = (name: string) => {
  const found = connector.resources[`commerce/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

/** The path and the query of a request, without the selected fields. */
const lineOf = ({ method, path }: AppRequest): string => {
  const { pathname, searchParams } = new URL(path, 'http://medusa.example')
  searchParams.delete('fields')
  return `${method} ${pathname}?${decodeURIComponent(searchParams.toString())}`
}

/** The context of the account, as the shop's settings define it. */
const context = { currency: 'eur' }

test('the context is the default currency of the shop', () => {
  const steps = connector.context?.read()
  steps?.next()
  const supported_currencies = [
    { currency_code: 'usd', is_default: false },
    { currency_code: 'eur', is_default: true },
  ]
  expect(steps?.next(okResponse({ stores: [{ supported_currencies }] })).value).toEqual(context)
})

/** The requests of a listing whose pages are these bodies. */
const requestsOf = (name: string, since: string | undefined, bodies: readonly object[]) => {
  const { listRequest, readList } = findResource(name)
  const lines: string[] = []
  let cursor: Json | undefined
  for (const body of bodies) {
    const position: ListPosition = { since, cursor, context }
    lines.push(lineOf(listRequest(position)))
    // A cursor is stored as JSON.
    cursor =
      JSON.parse(JSON.stringify(readList(okResponse(body), position).next ?? null)) ?? undefined
  }
  return { lines, cursor }
}

describe('a listing', () => {
  test('of products reads all products by id', () => {
    const products = [{ id: 'prod_1', variants: [] }]
    const { lines, cursor } = requestsOf('products', undefined, [{ products, count: 1 }])
    expect(lines).toEqual(['GET /admin/products?order=id&limit=100&offset=0'])
    expect(cursor).toBeUndefined()
  })

  test('of changed products reads those of changed variants and orders, and deleted products', () => {
    const since = '2026-01-02T03:04:05.678Z'
    const none = { products: [], orders: [], count: 0 }
    const { lines, cursor } = requestsOf('products', since, [
      none,
      { variants: [{ id: 'variant_1', product_id: 'prod_1' }], count: 1 },
      { products: [{ id: 'prod_1', variants: [] }] },
      { orders: [{ id: 'order_1', items: [{ product_id: 'prod_2' }] }], count: 1 },
      { products: [{ id: 'prod_2', variants: [] }] },
      none,
    ])
    const page = 'order=id&limit=100&offset=0'
    expect(lines).toEqual([
      `GET /admin/products?${page.replace('&limit', `&updated_at[$gte]=${since}&limit`)}`,
      `GET /admin/product-variants?${page.replace('&limit', `&updated_at[$gte]=${since}&limit`)}`,
      'GET /admin/products?order=id&limit=50&id[]=prod_1',
      `GET /admin/orders?${page.replace('&limit', `&updated_at[$gte]=${since}&limit`)}`,
      'GET /admin/products?order=id&limit=50&id[]=prod_2',
      `GET /admin/products?${page.replace('&limit', `&deleted_at[$gte]=${since}&with_deleted=true&limit`)}`,
    ])
    expect(cursor).toBeUndefined()
  })

  test('of changed orders reads those of changed payments', () => {
    const since = '2026-01-02T03:04:05.678Z'
    const payment = { id: 'pay_1', payment_collection: { order: { id: 'order_1' } } }
    const { lines } = requestsOf('orders', since, [
      { orders: [], count: 0 },
      { payments: [payment, { id: 'pay_2', payment_collection: {} }], count: 2 },
      { orders: [{ id: 'order_1' }] },
    ])
    expect(lines.at(-1)).toBe('GET /admin/orders?order=id&limit=50&id[]=order_1')
  })
})

test.each([
  [401, { message: 'Unauthorized' }, { kind: 'authentication', reason: 'Unauthorized' }],
  [404, { type: 'not_found', message: 'No order' }, { kind: 'absent', reason: 'No order' }],
  [404, undefined, { kind: 'refused' }],
  [409, { type: 'conflict', message: 'Another request' }, { kind: 'unavailable' }],
  [422, { type: 'duplicate_error', message: 'Exists' }, { kind: 'refused', reason: 'Exists' }],
  [
    400,
    { type: 'invalid_data', message: "Expected type: 'number' for field 'items, 0, quantity'" },
    { kind: 'refused', field: 'items.0.quantity' },
  ],
])('status %i with body %o is classified', (status, body, expected) => {
  expect(connector.readFailure({ status, headers: {}, body }, REQUEST)).toMatchObject(expected)
})

test('no failure is read from a success or from a failure of the program', () => {
  for (const status of [200, 500])
    expect(connector.readFailure({ status, headers: {}, body: {} }, REQUEST)).toBeUndefined()
})

test.each([
  [{ type: 'order.changed', data: { id: 'o' } }, ['commerce/orders', 'o', 'changed']],
  [{ type: 'customer.deleted', data: { id: 'c' } }, ['commerce/customers', 'c', 'deleted']],
  [{ type: 'region.changed', data: { id: 'r' } }, undefined],
])('the message %o names the record of its event', (body, expected) => {
  const events = connector.webhooks?.events({ headers: {}, body }) ?? []
  expect(events.map(({ topic, remoteId, kind }) => [topic, remoteId, kind])[0]).toEqual(expected)
})

/** Runs a write against a Medusa that returns these bodies, one after another. */
const listWriteRequests = async (
  name: string,
  steps: (writer: ResourceWriter) => ReturnType<ResourceWriter['get']> | undefined,
  bodies: readonly object[],
): Promise<readonly AppRequest[]> => {
  const { write } = findResource(name)
  const running = write && steps(write)
  if (!running) throw new Error(`the connector does not write ${name}`)
  const requests: AppRequest[] = []
  await runSteps(connector, running, async (request) => {
    requests.push(request)
    return okResponse(bodies[requests.length - 1])
  })
  return requests
}

test('a new price keeps the other prices of the variant', async () => {
  const priceRecord = (id: string, code: string, amount: number, rules = {}) => ({
    id,
    currency_code: code,
    amount,
    min_quantity: null,
    max_quantity: null,
    rules,
  })
  const variant = { id: 'variant_1', title: 'S', weight: null, manage_inventory: false }
  const ofRegion = priceRecord('p0', 'eur', 9, { region_id: 'reg_1' })
  const prices = [ofRegion, priceRecord('p1', 'usd', 11), priceRecord('p2', 'eur', 10)]
  const product = { id: 'prod_1', options: [], variants: [{ ...variant, prices, options: [] }] }
  const fields = { variants: [{ remoteId: 'variant_1', price: '12.50' }] }
  const stored = { remoteId: 'prod_1', record: {}, raw: product }
  const requests = await listWriteRequests(
    'products',
    ({ update }) => update?.steps({ fields, remoteFields: {} }, stored, { ...ATTEMPT, context }),
    [{}, { products: [product] }],
  )
  // The guard has read the product.
  expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  expect(requests.filter(({ method }) => method === 'POST')).toEqual([
    {
      method: 'POST',
      path: '/admin/products/prod_1/variants/batch',
      body: {
        create: [],
        update: [
          {
            id: 'variant_1',
            prices: [
              { id: 'p0', currency_code: 'eur', amount: 9, rules: { region_id: 'reg_1' } },
              { id: 'p1', currency_code: 'usd', amount: 11 },
              { id: 'p2', currency_code: 'eur', amount: 12.5 },
            ],
          },
        ],
      },
    },
  ])
})

describe('the variants of a product', () => {
  const price = { currency_code: 'eur', amount: 10, min_quantity: null, max_quantity: null }
  const variant = {
    id: 'variant_1',
    title: 'S',
    sku: 'A',
    weight: 5,
    prices: [{ id: 'p1', ...price }],
    options: [{ value: 'S', option: { title: 'Size' } }],
  }
  const options = [{ id: 'opt_1', title: 'Size', values: [{ value: 'S' }] }]
  const raw = { id: 'prod_1', default_currency_code: 'eur', options, variants: [variant] }
  const same = {
    remoteId: 'variant_1',
    title: 'S',
    sku: 'A',
    price: '10.00',
    optionValues: [{ name: 'Size', value: 'S' }],
    weight: { value: 5, unit: null },
  }
  const large = { price: 12, optionValues: [{ name: 'Size', value: 'L' }] }
  const read = { products: [raw] }
  const update = (variants: Json, bodies: readonly object[] = [{}, {}, read]) =>
    listWriteRequests(
      'products',
      (writer) =>
        writer.update?.steps(
          { fields: { variants }, remoteFields: {} },
          { remoteId: 'prod_1', record: {}, raw },
          { ...ATTEMPT, context },
        ),
      bodies,
    )

  test('are not sent without a change', async () => {
    const requests = await update([same], [read])
    expect(requests.map(({ method }) => method)).toEqual(['GET'])
  })

  test('are sent with what differs, after the values that the options lack', async () => {
    const [values, variants] = await update([{ ...same, weight: null }, large])
    expect(values).toMatchObject({
      path: '/admin/products/prod_1/options/batch',
      body: { update: [{ product_option_id: 'opt_1', add: [{ value: 'L' }] }] },
    })
    expect(variants?.body).toEqual({
      create: [
        { title: 'L', options: { Size: 'L' }, prices: [{ currency_code: 'eur', amount: 12 }] },
      ],
      update: [{ id: 'variant_1', weight: null }],
    })
  })

  test.each<[string, Json, string]>([
    ['without a price', [same, { title: 'L' }], 'variants[1].price'],
    ['with a cleared price', [{ ...same, price: null }], 'variants[0].price'],
    ['with a cleared title', [{ ...same, title: null }], 'variants[0].title'],
    ['with a unit', [{ ...same, weight: { value: 1, unit: 'kg' } }], 'variants[0].weight.unit'],
    ['that the product lacks', [same, { ...same, remoteId: 'x' }], 'variants[1]'],
    ['with a missing one', [large], 'variants'],
    [
      'with another option',
      [same, { price: 1, optionValues: [{ name: 'X', value: 'L' }] }],
      'variants',
    ],
  ])('%s are rejected', async (_name, variants, field) => {
    await expect(update(variants)).rejects.toMatchObject({ name: 'WriteRejection', field })
  })
})

test('a fulfillment with a tracking number is created, then shipped', async () => {
  const order = (...ids: string[]) => ({
    orders: [{ id: 'order_1', items: [], fulfillments: ids.map((id) => ({ id })) }],
  })
  const fields = {
    orderId: 'order_1',
    lineItems: [{ lineItemId: 'item_1', quantity: 2 }],
    trackingNumbers: ['T-1'],
  }
  const requests = await listWriteRequests(
    'fulfillments',
    ({ create }) => create?.steps({ fields, remoteFields: { location_id: 'loc_1' } }, ATTEMPT),
    [order('ful_1'), {}, order('ful_1', 'ful_2'), {}, order('ful_1', 'ful_2')],
  )
  const items = [{ id: 'item_1', quantity: 2 }]
  expect(requests.filter(({ method }) => method === 'POST')).toEqual([
    {
      method: 'POST',
      path: '/admin/orders/order_1/fulfillments',
      body: { location_id: 'loc_1', items },
    },
    {
      method: 'POST',
      path: '/admin/orders/order_1/fulfillments/ful_2/shipments',
      body: {
        items,
        labels: [{ tracking_number: 'T-1', tracking_url: '#', label_url: '#' }],
      },
    },
  ])
})
