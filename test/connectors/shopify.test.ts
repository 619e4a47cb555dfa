/**
 * The Shopify connector without a shop: requests, failures, cost and events. test/long/shopify-documents.check.ts holds
 * each request against Shopify's own schema.
 */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/shopify/manifest.ts'
import { shopName } from '../../src/connectors/shopify/shop.ts'
import type {
  AppRequest,
  AppResponse,
  Json,
  ListPage,
  ResourceWriter,
} from '../../src/definition/connector.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { textsAt, valuesOf } from '../../src/definition/raw-values.ts'
import { ATTEMPT, REQUEST, runSteps } from '../support/steps.ts'

const CREDENTIAL = 'b4f1c1de-0000-4000-8000-000000000000'
const SINCE = '2026-01-02T03:04:05.678Z'
const context = { currency: 'EUR', timeZone: 'Europe/Berlin' }
const attempt = { ...ATTEMPT, context }

const ok = (data: unknown, rest: object = {}): AppResponse => ({
  status: 200,
  headers: {},
  body: { data, ...rest },
})

const LAST = { hasNextPage: false, endCursor: null }
const connection = (nodes: readonly unknown[], pageInfo: object = LAST) => ({ nodes, pageInfo })
const gid = (type: string, id: number) => `gid://shopify/${type}/${id}`

const resource = (name: string) => {
  const found = connector.resources[`commerce/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

/** The document of a request in one line, and its variables. */
const sentIn = ({ body }: AppRequest) => ({
  document: (textsAt(body, 'query')[0] ?? '').replaceAll(/\s{1,200}/g, ' '),
  variables: valuesOf(valuesOf(body).variables),
})

/** The requests of a listing whose responses have these data, and its pages. */
const listingOf = (name: string, since: string | undefined, data: readonly object[]) => {
  const { listRequest, readList } = resource(name)
  const requests: ReturnType<typeof sentIn>[] = []
  const pages: ListPage[] = []
  let cursor: Json | undefined
  for (const response of data) {
    const position = { since, cursor, context }
    requests.push(sentIn(listRequest(position)))
    const page = readList(ok(response), position)
    pages.push(page)
    // A cursor is stored as JSON.
    cursor = JSON.parse(JSON.stringify(page.next ?? null)) ?? undefined
  }
  return { requests, pages, records: pages.flatMap(({ records }) => records), cursor }
}

/** The response to the first request of a full listing: the number of records, and the operations that run. */
const look = (list: string, count: number, operations: readonly object[] = []) => ({
  [`${list}Count`]: { count },
  bulkOperations: { nodes: operations },
})

describe('a listing', () => {
  const order = (id: number, lines: object) => ({ id: gid('Order', id), lineItems: lines })

  test('of orders sorts by id, and by time if it asks for changes and deletions', () => {
    const all = listingOf('orders', undefined, [
      look('orders', 250),
      { orders: connection([order(1, connection([]))]) },
    ])
    expect(all.requests[1]?.document).toContain('sortKey: ID, reverse: false')
    expect(all.requests[1]?.variables).toEqual({ after: null, query: null })
    expect(all.cursor).toBeUndefined()

    const destroyed = { action: 'destroy', subjectType: 'ORDER', subjectId: gid('Order', 7) }
    const changed = listingOf('orders', SINCE, [
      { orders: connection([], { hasNextPage: true, endCursor: 'c1' }) },
      { orders: connection([]) },
      { events: connection([destroyed, { ...destroyed, action: 'closed' }]) },
    ])
    expect(changed.requests.map(({ variables }) => variables)).toEqual([
      { after: null, query: "updated_at:>='2026-01-02T03:04:05Z'" },
      { after: 'c1', query: "updated_at:>='2026-01-02T03:04:05Z'" },
      {
        after: null,
        query: "action:destroy subject_type:ORDER created_at:>='2026-01-02T03:04:05Z'",
      },
    ])
    expect(changed.requests[0]?.document).toContain('sortKey: UPDATED_AT')
    expect(changed.pages.at(-1)).toMatchObject({ records: [], deleted: [gid('Order', 7)] })
    expect(changed.cursor).toBeUndefined()
  })

  test('reads the other lines of a long order before the next page', () => {
    const more = (endCursor: string) => ({ hasNextPage: true, endCursor })
    const { requests, records, cursor } = listingOf('orders', undefined, [
      look('orders', 3),
      {
        orders: connection(
          [order(1, connection([{ id: 'a' }], more('x'))), order(2, connection([{ id: 'b' }]))],
          more('page2'),
        ),
      },
      { node: order(1, connection([{ id: 'a' }], more('y'))) },
      { node: order(1, connection([{ id: 'c' }])) },
      { orders: connection([]) },
    ])
    expect(requests.slice(1).map(({ variables }) => variables)).toEqual([
      { after: null, query: null },
      { id: gid('Order', 1), after: null },
      { id: gid('Order', 1), after: 'y' },
      { after: 'page2', query: null },
    ])
    expect(records).toEqual([order(2, [{ id: 'b' }]), order(1, [{ id: 'a' }, { id: 'c' }])])
    expect(cursor).toBeUndefined()
  })

  test('goes on if a long order was deleted in the meantime', () => {
    const open = connection([], { hasNextPage: true, endCursor: 'x' })
    const { records, cursor } = listingOf('orders', undefined, [
      look('orders', 1),
      { orders: connection([order(1, open)]) },
      { node: null },
    ])
    expect({ records, cursor }).toEqual({ records: [], cursor: undefined })
  })

  test('of fulfillments reads those of the listed orders by their ids', () => {
    const part = connection([])
    const { requests, records } = listingOf('fulfillments', SINCE, [
      { orders: connection([{ id: gid('Order', 1), fulfillments: [{ id: 'f1' }, { id: 'f2' }] }]) },
      { nodes: [{ id: 'f1', fulfillmentLineItems: part }, null] },
    ])
    expect(requests[1]?.variables).toEqual({ ids: ['f1', 'f2'] })
    expect(records).toEqual([{ id: 'f1', fulfillmentLineItems: [] }])
  })

  test('of customers filters by the day before, and ends at the first that is older', () => {
    const customer = (id: number, updatedAt: string) => ({ id: gid('Customer', id), updatedAt })
    const { requests, records } = listingOf('customers', SINCE, [
      {
        customers: connection(
          [customer(1, '2026-01-02T03:04:05Z'), customer(2, '2026-01-02T03:04:04Z')],
          { hasNextPage: true, endCursor: 'c' },
        ),
      },
      { events: connection([]) },
    ])
    expect(requests[0]?.variables.query).toBe("updated_at:>='2026-01-01'")
    expect(requests[0]?.document).toContain('sortKey: UPDATED_AT, reverse: true')
    expect(requests[1]?.variables.query).toContain('subject_type:CUSTOMER')
    expect(records).toEqual([customer(1, '2026-01-02T03:04:05Z')])
  })

  test('of products names every status', () => {
    const { requests } = listingOf('products', SINCE, [{ products: connection([]) }])
    expect(requests[0]?.variables.query).toBe(
      "status:active,archived,draft,unlisted updated_at:>='2026-01-02T03:04:05Z'",
    )
  })
})

describe('a listing of a large shop', () => {
  const OPERATION = gid('BulkOperation', 1)
  const started = { bulkOperationRunQuery: { bulkOperation: { id: OPERATION } } }
  const status = (status: string, url: string | null = null) => ({ bulkOperation: { status, url } })
  const URL = 'https://storage.example/result?signature=s'

  /** A response with lines of a file. Each line is 10 bytes long. */
  const part = (from: number, isLast: boolean, lines: readonly object[]): AppResponse => ({
    status: 206,
    headers: {},
    body: {
      lines: lines.map((line, at) => ({ text: JSON.stringify(line), end: from + 10 * (at + 1) })),
      isLast,
    },
  })
  const order = (id: number) => ({ id: gid('Order', id) })
  const line = (id: number, parent: number) => ({
    id: gid('LineItem', id),
    __parentId: gid('Order', parent),
  })

  /** The pages for responses. Those with a status are complete. */
  const pagesOf = (name: string, responses: readonly (object | AppResponse)[]) => {
    const { listRequest, readList } = resource(name)
    const requests: AppRequest[] = []
    const pages: ListPage[] = []
    let cursor: Json | undefined
    for (const response of responses) {
      const position = { since: undefined, cursor, context }
      requests.push(listRequest(position))
      const read = 'headers' in response ? (response as AppResponse) : ok(response)
      const page = readList(read, position)
      pages.push(page)
      cursor = page.next
    }
    return { requests, pages, cursor, waits: pages.map(({ waitMs }) => waitMs) }
  }

  test('starts an operation, waits for it, and joins the lines of its file', () => {
    const { requests, pages, cursor, waits } = pagesOf('orders', [
      look('orders', 251, [{ id: OPERATION, status: 'RUNNING', query: '{ other }' }]),
      started,
      status('RUNNING'),
      status('COMPLETED', URL),
      part(0, false, [order(1), line(1, 1), order(2), line(2, 2)]),
      part(20, true, [order(2), line(2, 2), line(3, 2), order(3)]),
    ])
    expect(waits).toEqual([undefined, 5_000, 5_000, undefined, undefined, undefined])
    expect(requests.map(({ file }) => file)).toEqual([
      ...[undefined, undefined, undefined, undefined],
      { url: URL, from: 0, maxBytes: 1024 * 1024 },
      { url: URL, from: 20, maxBytes: 1024 * 1024 },
    ])
    expect(pages.flatMap(({ records }) => records)).toEqual([
      { ...order(1), lineItems: [{ id: gid('LineItem', 1) }] },
      { ...order(2), lineItems: [{ id: gid('LineItem', 2) }, { id: gid('LineItem', 3) }] },
      { ...order(3), lineItems: [] },
    ])
    expect(cursor).toBeUndefined()
  })

  test('of products separates images from variants, as pages show them', () => {
    const product = gid('Product', 1)
    const image = { image: { url: 'https://cdn.example/1' } }
    const { pages } = pagesOf('products', [
      look('products', 251),
      started,
      status('COMPLETED', URL),
      part(0, true, [
        { id: product },
        { ...image, id: gid('MediaImage', 1), __parentId: product },
        { id: gid('Video', 2), __parentId: product },
        { id: gid('ProductVariant', 3), __parentId: product },
      ]),
    ])
    expect(pages.at(-1)?.records).toEqual([
      { id: product, media: { nodes: [image, {}] }, variants: [{ id: gid('ProductVariant', 3) }] },
    ])
  })

  test('uses the operation of an interrupted listing', () => {
    const { requests } = pagesOf('orders', [look('orders', 251), started])
    const { query } = valuesOf(valuesOf(requests[1]?.body).variables)
    const { cursor } = pagesOf('orders', [
      look('orders', 251, [{ id: OPERATION, status: 'RUNNING', query }]),
    ])
    expect(cursor).toEqual({ pass: 'all', at: { step: 'operation', id: OPERATION } })
  })

  test.each<[string, readonly object[], Json | undefined, number | undefined]>([
    ['ends without records', [started, status('COMPLETED')], undefined, undefined],
    [
      'uses pages after a failure',
      [started, status('FAILED')],
      { pass: 'all', at: { step: 'pages' } },
      undefined,
    ],
    [
      'waits for a place',
      [{ bulkOperationRunQuery: { bulkOperation: null } }],
      { pass: 'all', at: { step: 'look' } },
      60_000,
    ],
  ])('%s', (_what, responses, next, waitMs) => {
    const { cursor, waits } = pagesOf('customers', [look('customers', 251), ...responses])
    expect([cursor, waits.at(-1)]).toEqual([next, waitMs])
  })

  test('requests more of the file for a record that does not fit', () => {
    const { requests, cursor } = pagesOf('orders', [
      look('orders', 251),
      started,
      status('COMPLETED', URL),
      part(0, false, [order(1), line(1, 1)]),
      part(0, true, [order(1), line(1, 1), line(2, 1)]),
    ])
    expect(requests.at(-1)?.file).toEqual({ url: URL, from: 0, maxBytes: 2 * 1024 * 1024 })
    expect(cursor).toBeUndefined()
  })
})

describe('the cost in points', () => {
  const cost = (request: AppRequest) => connector.limits?.cost?.(request)

  test.each(['customers', 'fulfillments', 'orders', 'products'])(
    'of a page of %s is below what Shopify accepts',
    (name) => {
      const cursor = name === 'fulfillments' ? undefined : { pass: 'all', at: { step: 'pages' } }
      const request = resource(name).listRequest({ since: undefined, cursor, context })
      expect(cost(request)).toBeGreaterThan(500)
      expect(cost(request)).toBeLessThan(1000)
    },
  )

  test('is read from the response, with the bucket of the plan', () => {
    const throttleStatus = { maximumAvailable: 4000, currentlyAvailable: 3000, restoreRate: 200 }
    const cost = { requestedQueryCost: 900, actualQueryCost: 120, throttleStatus }
    expect(connector.limits?.readUsage?.(ok({}, { extensions: { cost } }))).toEqual({
      cost: 120,
      limits: { points: { max: 4000, remaining: 3000, resetMs: 2500 } },
    })
  })
})

describe('a failure', () => {
  const failureOf = (status: number, body: unknown) =>
    connector.readFailure({ status, headers: {}, body }, REQUEST)
  const error = (code: string, rest: object = {}) => ({
    errors: [{ message: 'Words', extensions: { code, ...rest } }],
  })
  const refusal = (field: readonly string[] | null, rest: object = {}) => ({
    data: { customerUpdate: { customer: null, userErrors: [{ field, message: 'No', ...rest }] } },
  })

  test('of throttling says when the points are restored', () => {
    const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 150, restoreRate: 100 }
    const cost = { requestedQueryCost: 400, actualQueryCost: null, throttleStatus }
    expect(failureOf(200, { ...error('THROTTLED'), extensions: { cost } })).toMatchObject({
      kind: 'rate-limited',
      limit: 'points',
      retryAfterMs: 2500,
    })
  })

  test.each([
    [401, { errors: '[API] Invalid API key or access token' }, { kind: 'authentication' }],
    [402, {}, { kind: 'unavailable' }],
    [404, { errors: 'Not Found' }, { kind: 'refused' }],
    [200, error('INTERNAL_SERVER_ERROR'), { kind: 'unavailable' }],
    [200, error('ACCESS_DENIED'), { kind: 'refused', reason: expect.stringContaining('scope') }],
    [
      200,
      error('INVALID_VARIABLE', { problems: [{ path: ['email'], explanation: 'x' }] }),
      { kind: 'refused', field: 'email' },
    ],
    [200, refusal(['input', 'email']), { kind: 'refused', field: 'email', reason: 'No' }],
    [
      200,
      refusal(['variants', '0', 'price'], { code: 'INVALID' }),
      { field: 'variants.0.price', reason: 'INVALID: No' },
    ],
    [200, refusal(['trackingInfoInput', 'urls']), { field: 'trackingInfo.urls' }],
    [200, refusal(['input', 'id']), { kind: 'absent' }],
    [200, refusal(null), { kind: 'refused', reason: 'No' }],
  ])('of %i %j', (status, body, expected) => {
    expect(failureOf(status, body)).toMatchObject(expected)
  })

  test('is not read from a success', () => {
    const data = { customerUpdate: { customer: { id: 'c' }, userErrors: [] } }
    expect(failureOf(200, { data })).toBeUndefined()
  })
})

describe('a mapped record', () => {
  const map = (name: string, raw: object) =>
    createMapper(resource(name).mapping)(raw, CREDENTIAL, { context }).row

  test('of an order has the exact amounts of the shop, and shows those of the buyer', () => {
    const money = (amount: string, presented: string) => ({
      shopMoney: { amount, currencyCode: 'EUR' },
      presentmentMoney: { amount: presented, currencyCode: 'JPY' },
    })
    const row = map('orders', {
      id: gid('Order', 1),
      currencyCode: 'EUR',
      cancelledAt: null,
      closed: false,
      totalPriceSet: money('9007199254740993.10', '100'),
      lineItems: [{ name: 'Lamp', originalUnitPriceSet: { shopMoney: { amount: '0.1' } } }],
      shippingAddress: { province: 'Hamburg', provinceCode: null, countryCodeV2: 'DE' },
      customer: null,
    })
    expect(row).toMatchObject({
      orderStatus: 'open',
      currency: 'EUR',
      totalPrice: '9007199254740993.10',
      lineItems: [{ price: '0.1', currency: 'EUR' }],
      shippingAddress: { region: 'Hamburg', countryCode: 'DE' },
      customer: { customerId: null, firstName: null },
    })
    expect(valuesOf(row.remoteFields).totalPriceSet).toMatchObject({
      presentmentMoney: { amount: '100', currencyCode: 'JPY' },
    })
  })

  test.each([
    [{ cancelledAt: SINCE, closed: true }, 'cancelled', 'CANCELLED'],
    [{ cancelledAt: null, closed: true }, 'closed', 'COMPLETED'],
  ])('of an order with %j is %s', (facts, orderStatus, orderState) => {
    expect(map('orders', { id: 'o', ...facts })).toMatchObject({ orderStatus, orderState })
  })

  test('of an order has unified states only for words that mean one', () => {
    const statesOf = (displayFulfillmentStatus: string, displayFinancialStatus: string) => {
      const row = map('orders', { id: 'o', displayFulfillmentStatus, displayFinancialStatus })
      return [row.fulfillmentState, row.paymentState]
    }
    expect(statesOf('PARTIALLY_FULFILLED', 'VOIDED')).toEqual(['PARTIALLY_FULFILLED', 'VOID'])
    expect(statesOf('ON_HOLD', 'NEW_WORD')).toEqual([null, null])
  })

  test.each([
    [{ status: 'SUCCESS', displayStatus: 'OUT_FOR_DELIVERY' }, 'SHIPPED'],
    [{ status: 'SUCCESS', displayStatus: null }, 'SHIPPED'],
    [{ status: 'SUCCESS', displayStatus: 'LABEL_VOIDED' }, null],
    [{ status: 'CANCELLED', displayStatus: 'CANCELED' }, 'CANCELLED'],
  ])('of a fulfillment with %j is %s', (raw, shipmentState) => {
    expect(map('fulfillments', { id: 'f', ...raw }).shipmentState).toBe(shipmentState)
  })

  test('of a product hides the default option, and stock that is not tracked', () => {
    const variant = {
      id: gid('ProductVariant', 1),
      inventoryQuantity: 0,
      inventoryItem: { tracked: false },
      selectedOptions: [{ name: 'Title', value: 'Default Title' }],
    }
    expect(map('products', { id: 'p', variants: [variant] }).variants).toMatchObject([
      { optionValues: [], inventory: null },
    ])
  })

  test('of a cancelled fulfillment is deleted', () => {
    expect(map('fulfillments', { id: 'f', status: 'CANCELLED' }).remoteDeleted).toBe(true)
    expect(map('fulfillments', { id: 'f', status: 'SUCCESS' }).remoteDeleted).toBe(false)
  })
})

/** Runs a write against a shop that returns these data, and returns what it sent. */
const writes = async (
  name: string,
  steps: (writer: ResourceWriter) => ReturnType<ResourceWriter['get']> | undefined,
  data: readonly object[],
) => {
  const { write } = resource(name)
  const running = write && steps(write)
  if (!running) throw new Error(`the connector does not write ${name}`)
  const sent: ReturnType<typeof sentIn>[] = []
  await runSteps(connector, running, async (request) => {
    sent.push(sentIn(request))
    return ok(data[sent.length - 1])
  })
  return sent
}

const payload = (name: string, parts: object) => ({ [name]: { ...parts, userErrors: [] } })

describe('a write', () => {
  const id = gid('Order', 1)
  const node = { node: { id, lineItems: connection([]) } }

  test('of a new order has each price in the currency of the shop', async () => {
    const lineItems = [{ variantId: gid('ProductVariant', 1), price: '12.50', quantity: 2 }]
    const customer = { customerId: gid('Customer', 1), email: 'ada@x.example' }
    const [sent] = await writes(
      'orders',
      ({ create }) =>
        create?.steps({ fields: { lineItems, customer }, remoteFields: { note: 'n' } }, attempt),
      [payload('orderCreate', { order: { id } }), node],
    )
    expect(sent?.variables.order).toEqual({
      email: 'ada@x.example',
      customer: { toAssociate: { id: gid('Customer', 1) } },
      lineItems: [
        {
          variantId: gid('ProductVariant', 1),
          quantity: 2,
          priceSet: { shopMoney: { amount: '12.5', currencyCode: 'EUR' } },
        },
      ],
      note: 'n',
    })
  })

  test('of an address sends the parts that it leaves out', async () => {
    const raw = {
      id,
      customer: { id: gid('Customer', 1), firstName: 'Ada' },
      shippingAddress: {
        ...{ address1: 'Kai 1', city: 'Hamburg', zip: '20457', countryCodeV2: 'DE' },
        ...{ province: 'Hamburg', provinceCode: null, company: 'Kern' },
      },
    }
    const fields = {
      shippingAddress: { city: 'Kiel' },
      customer: { customerId: gid('Customer', 2), firstName: 'Ada' },
    }
    const stored = { remoteId: id, record: {}, raw }
    const sent = await writes(
      'orders',
      ({ update }) => update?.steps({ fields, remoteFields: {} }, stored, attempt),
      [payload('orderUpdate', { order: { id } }), payload('orderCustomerSet', {}), node],
    )
    expect(sent.slice(0, 2).map(({ variables }) => variables)).toEqual([
      {
        input: {
          id,
          shippingAddress: {
            ...{ address1: 'Kai 1', city: 'Kiel', zip: '20457', countryCode: 'DE' },
            company: 'Kern',
          },
        },
      },
      { orderId: id, customerId: gid('Customer', 2) },
    ])
  })

  test('of the name of a buyer is rejected before it is sent', async () => {
    const stored = { remoteId: id, record: {}, raw: { id, customer: { firstName: 'Ada' } } }
    const input = { fields: { customer: { firstName: 'Eva' } }, remoteFields: {} }
    const attempted = writes('orders', ({ update }) => update?.steps(input, stored, attempt), [])
    await expect(attempted).rejects.toMatchObject({ field: 'customer.firstName' })
  })

  const fulfillmentOrder = (name: string, status: string, remainingQuantity: number) => ({
    id: name,
    status,
    lineItems: { nodes: [{ id: `${name}-l`, remainingQuantity, lineItem: { id: 'line' } }] },
  })
  const open = {
    order: {
      id,
      fulfillmentOrders: connection([
        fulfillmentOrder('held', 'ON_HOLD', 9),
        fulfillmentOrder('a', 'OPEN', 2),
        fulfillmentOrder('b', 'IN_PROGRESS', 2),
      ]),
    },
  }
  const ship = (quantity: number, data: readonly object[]) => {
    const fields = { orderId: id, carrier: 'DHL', lineItems: [{ lineItemId: 'line', quantity }] }
    return writes(
      'fulfillments',
      ({ create }) => create?.steps({ fields, remoteFields: {} }, attempt),
      data,
    )
  }

  test('of a fulfillment divides its lines among the open fulfillment orders', async () => {
    const sent = await ship(3, [
      open,
      payload('fulfillmentCreate', { fulfillment: { id: 'f' } }),
      { node: { id: 'f', fulfillmentLineItems: connection([]) } },
    ])
    expect(sent[1]?.variables.fulfillment).toEqual({
      lineItemsByFulfillmentOrder: [
        { fulfillmentOrderId: 'a', fulfillmentOrderLineItems: [{ id: 'a-l', quantity: 2 }] },
        { fulfillmentOrderId: 'b', fulfillmentOrderLineItems: [{ id: 'b-l', quantity: 1 }] },
      ],
      notifyCustomer: false,
      trackingInfo: { company: 'DHL' },
    })
  })

  test('of more units than are left is rejected', async () => {
    await expect(ship(5, [open])).rejects.toMatchObject({ field: 'lineItems[0].quantity' })
  })

  test('of tracking numbers keeps the rest of the tracking information', async () => {
    const trackingInfo = [{ company: 'DHL', number: '1', url: 'https://t.example/1' }]
    const stored = { remoteId: 'f', record: {}, raw: { id: 'f', trackingInfo } }
    const input = { fields: { trackingNumbers: ['2'] }, remoteFields: {} }
    const [sent] = await writes(
      'fulfillments',
      ({ update }) => update?.steps(input, stored, attempt),
      [
        payload('fulfillmentTrackingInfoUpdate', { fulfillment: { id: 'f' } }),
        { node: { id: 'f', fulfillmentLineItems: connection([]) } },
      ],
    )
    expect(sent?.variables.trackingInfoInput).toEqual({
      company: 'DHL',
      numbers: ['2'],
      urls: ['https://t.example/1'],
    })
  })

  const variant = (number: number, price: string) => ({
    ...{ id: gid('ProductVariant', number), title: 'S', sku: `S-${number}`, price },
    selectedOptions: [{ name: 'Size', value: String(number) }],
    inventoryItem: { id: 'i', tracked: true, measurement: { weight: null } },
  })
  const product = { id: gid('Product', 1), variants: [variant(1, '10.00'), variant(2, '20.00')] }
  const storedProduct = { remoteId: product.id, record: {}, raw: product }
  const updateProduct = (variants: readonly Json[], data: readonly object[]) =>
    writes(
      'products',
      ({ update }) =>
        update?.steps({ fields: { variants }, remoteFields: {} }, storedProduct, attempt),
      data,
    )

  test('of variants sends only what changes, and creates those without an id', async () => {
    const sent = await updateProduct(
      [
        { remoteId: gid('ProductVariant', 1), price: '11.00' },
        { remoteId: gid('ProductVariant', 2) },
        { price: '5.00', optionValues: [{ name: 'Size', value: '3' }] },
      ],
      [
        payload('productVariantsBulkUpdate', {}),
        payload('productVariantsBulkCreate', {}),
        { node: { id: product.id, variants: connection([]) } },
      ],
    )
    expect(sent.slice(0, 2).map(({ variables }) => variables.variants)).toEqual([
      [{ id: gid('ProductVariant', 1), price: '11.00' }],
      [{ price: '5.00', optionValues: [{ optionName: 'Size', name: '3' }] }],
    ])
  })

  test('that leaves out a variant is rejected', async () => {
    const one = [{ remoteId: gid('ProductVariant', 1), price: '11.00' }]
    await expect(updateProduct(one, [])).rejects.toMatchObject({ field: 'variants' })
  })

  test('of a new product with variants names its options', async () => {
    const variants = ['S', 'L'].map((value) => ({
      price: '1.00',
      sku: value,
      optionValues: [{ name: 'Size', value }],
    }))
    const [sent] = await writes(
      'products',
      ({ create }) =>
        create?.steps({ fields: { productName: 'Lamp', variants }, remoteFields: {} }, attempt),
      [
        payload('productSet', { product: { id: 'p' } }),
        { node: { id: 'p', variants: connection([]) } },
      ],
    )
    expect(sent?.variables.input).toMatchObject({
      title: 'Lamp',
      productOptions: [{ name: 'Size', values: [{ name: 'S' }, { name: 'L' }] }],
      variants: [
        { price: '1.00', inventoryItem: { sku: 'S' }, optionValues: [{ name: 'S' }] },
        { optionValues: [{ optionName: 'Size', name: 'L' }] },
      ],
    })
  })
})

describe('a webhook', () => {
  const eventsOf = (topic: string, body: object) =>
    connector.webhooks?.events({
      headers: { 'x-shopify-topic': topic, 'x-shopify-shop-domain': 'lamps.myshopify.com' },
      body,
    })

  test.each([
    [
      'orders/updated',
      { id: 1, admin_graphql_api_id: gid('Order', 1) },
      { topic: 'commerce/orders', remoteId: gid('Order', 1), kind: 'changed', company: 'lamps' },
    ],
    [
      'products/delete',
      { id: 788 },
      { topic: 'commerce/products', remoteId: gid('Product', 788), kind: 'deleted' },
    ],
    [
      'fulfillments/create',
      { id: 3, admin_graphql_api_id: gid('Fulfillment', 3) },
      { topic: 'commerce/fulfillments', kind: 'changed' },
    ],
  ])('of %s names a record', (topic, body, expected) => {
    expect(eventsOf(topic, body)).toMatchObject([expected])
  })

  test('of another topic is ignored', () => {
    expect(eventsOf('carts/update', { id: 1 })).toEqual([])
  })
})

test.each([
  ['lamps', 'lamps'],
  [' Lamps.myshopify.com ', 'lamps'],
  ['https://lamps.myshopify.com/admin', 'lamps'],
])('the shop %j is %s', (entered, name) => {
  expect(shopName(entered)).toBe(name)
})
