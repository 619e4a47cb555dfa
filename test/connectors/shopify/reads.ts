/** Listings and single records. */
import { entriesOf, valuesOf } from '../../../src/definition/raw-values.ts'
import { globalId, reportManyRecords } from './harness.ts'
import {
  CUSTOMER,
  customer,
  FULFILLMENT,
  fill,
  ORDER,
  PRODUCT,
  type ShopifyCase,
  SINCE,
  shownCustomer,
  shownRests,
  shownRows,
} from './records.ts'

const lists: readonly ShopifyCase[] = Object.entries(shownRows).map(([plural, row]) => ({
  name: `the lists of ${plural}`,
  run: async (harness) => {
    await fill(harness)
    const all = await harness.list(plural)
    const changed = await harness.list(plural, SINCE)
    const later = await harness.list(plural, '2026-11-23T18:00:00.000Z')
    const inLarge = await harness.list(plural, undefined, reportManyRecords)
    const rest = await harness.rest(plural, String(valuesOf(row).remoteId))
    return {
      rows: [all.rows, changed.rows, later.rows, inLarge.rows],
      rests: [...all.rests, ...inLarge.rests, rest],
      steps: [all.steps, inLarge.steps],
    }
  },
  expected: {
    rows: [[row], [row], [], [row]],
    rests: Array(3).fill(shownRests[plural]),
    // Listed page by page, and by a bulk operation in a large shop.
    steps: [['pages'], ['run', 'operation', 'file']],
  },
}))

/** Records with more parts, or lists with more records, than one response has. */
const pages: readonly ShopifyCase[] = [
  {
    name: 'orders and fulfillments with eleven lines',
    run: async (harness) => {
      const lineItems = Array.from({ length: 11 }, (_, index) => ({
        title: `${index}`,
        quantity: 1,
      }))
      harness.shop.fulfill(harness.shop.createOrder({ lineItems }))
      const counts: unknown[] = []
      for (const [plural, remoteId] of [
        ['orders', ORDER],
        ['fulfillments', FULFILLMENT],
      ] as const) {
        const { rows } = await harness.list(plural)
        const changed = await harness.list(plural, SINCE)
        const records = [...rows, ...changed.rows, valuesOf(await harness.get(plural, remoteId))]
        counts.push(records.map((record) => entriesOf(record.lineItems).length))
      }
      return counts
    },
    expected: [
      [11, 11, 11],
      [11, 11, 11],
    ],
  },
  {
    name: 'a product with eleven variants',
    run: async (harness) => {
      const variants = Array.from({ length: 11 }, (_, index) => ({
        optionValues: [{ name: 'Size', value: `${index}` }],
      }))
      await harness.create('products', { productName: 'Lamp', variants })
      const { rows } = await harness.list('products')
      const records = [...rows, valuesOf(await harness.get('products', PRODUCT))]
      return records.map((record) => entriesOf(record.variants).length)
    },
    expected: [11, 11],
  },
  {
    name: 'the second pages of orders and products',
    run: async ({ shop, list }) => {
      for (let at = 0; at < 15; at += 1) {
        shop.createOrder({ lineItems: [{ title: 'Shade', quantity: 1 }] })
        shop.createProduct({ title: 'Shade' })
      }
      const orders = await list('orders')
      const products = await list('products')
      return [orders.rows.length, products.rows.length]
    },
    expected: [15, 15],
  },
  {
    name: 'the second pages of changed customers and of deletions',
    run: async ({ listRecorded }) => {
      const connection = (name: string, nodes: readonly object[], endCursor: string | null) => ({
        [name]: { nodes, pageInfo: { hasNextPage: endCursor !== null, endCursor } },
      })
      const deletion = (subjectId: string) => ({
        action: 'destroy',
        subjectId,
        subjectType: 'CUSTOMER',
      })
      const {
        variables,
        pages: read,
        isEnd,
      } = listRecorded('customers', SINCE, [
        connection('customers', [{ id: CUSTOMER, updatedAt: '2026-11-23T17:00:00Z' }], 'c'),
        connection('customers', [], null),
        connection('events', [deletion(CUSTOMER)], 'e'),
        connection('events', [deletion(globalId('Customer', 2))], null),
      ])
      return { after: variables.map((sent) => valuesOf(sent).after), read, isEnd }
    },
    expected: {
      after: [null, 'c', null, 'e'],
      read: [
        { count: 1, deleted: undefined },
        { count: 0, deleted: undefined },
        { count: 0, deleted: [CUSTOMER] },
        { count: 0, deleted: [globalId('Customer', 2)] },
      ],
      isEnd: true,
    },
  },
  {
    name: 'a bulk operation of an interrupted listing',
    run: async (harness) => {
      await harness.create('customers', customer)
      await harness.list('customers', undefined, reportManyRecords, 2)
      const { rows, steps } = await harness.list('customers', undefined, reportManyRecords)
      return { rows, steps }
    },
    expected: { rows: [shownCustomer], steps: ['operation', 'operation', 'file'] },
  },
]

const NO_PARTS = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }

const CLOSED = ['2026-11-23T17:00:00Z']
const CANCELLED = ['2026-11-23T17:00:01Z', '2026-11-23T17:00:01Z', 'CUSTOMER']

const states: readonly ShopifyCase[] = [
  {
    name: 'a closed and a cancelled order, by each way to list them',
    run: async ({ shop, simulator, list, get, rest }) => {
      const lineItems = [{ title: 'Shade', quantity: 1 }]
      shop.createOrder({ lineItems, closedAt: '2026-11-23T17:00:00Z' })
      const orderId = shop.createOrder({ lineItems })
      shop.cancelOrder({ orderId, reason: 'CUSTOMER', restock: false })
      simulator.clock.advance(1000)
      const all = await list('orders')
      const changed = await list('orders', SINCE)
      const inLarge = await list('orders', undefined, reportManyRecords)
      const single = valuesOf(await get('orders', ORDER))
      return {
        statuses: [...all.rows, ...changed.rows, ...inLarge.rows, single].map((row) => [
          row.orderStatus,
          row.orderState,
        ]),
        rests: [...all.rests, ...inLarge.rests, await rest('orders', orderId)].map(
          ({ closedAt, cancelledAt, cancelReason }) => [closedAt, cancelledAt, cancelReason].flat(),
        ),
      }
    },
    expected: {
      statuses: [
        ...Array(3)
          .fill([
            ['closed', 'COMPLETED'],
            ['cancelled', 'CANCELLED'],
          ])
          .flat(),
        ['closed', 'COMPLETED'],
      ],
      rests: [CLOSED, CANCELLED, CLOSED, CANCELLED, CANCELLED],
    },
  },
  {
    name: 'a cancelled fulfillment in a list',
    run: async ({ shop, list }) => {
      shop.cancelFulfillment(
        shop.fulfill(shop.createOrder({ lineItems: [{ title: 'Shade', quantity: 1 }] })),
      )
      const { rows } = await list('fulfillments')
      return rows.map(({ shipmentState, remoteDeleted }) => [shipmentState, remoteDeleted])
    },
    expected: [['CANCELLED', true]],
  },
  {
    name: 'an address without the code of its region',
    run: async ({ recorded }) => {
      const { billingAddress, shippingAddress } = await recorded('orders', {
        id: ORDER,
        currencyCode: 'EUR',
        cancelledAt: null,
        lineItems: NO_PARTS,
        billingAddress: { city: 'Split', province: 'Split-Dalmatia', provinceCode: null },
        shippingAddress: { city: 'Zadar', province: 'Zadar', provinceCode: null },
      })
      return [valuesOf(billingAddress).region, valuesOf(shippingAddress).region]
    },
    expected: ['Split-Dalmatia', 'Zadar'],
  },
  {
    name: 'a fulfillment without a status of its parcel',
    run: async ({ recorded }) => {
      const fields = { status: 'ERROR', displayStatus: null, fulfillmentLineItems: NO_PARTS }
      return (await recorded('fulfillments', { id: FULFILLMENT, ...fields })).shipmentState
    },
    expected: 'FAILED',
  },
]

export const reads: readonly ShopifyCase[] = [...lists, ...pages, ...states]
