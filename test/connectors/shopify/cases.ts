/** What the connector makes of a shop, field by field: each case is a literal input and a literal outcome. */
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import { entriesOf, valuesOf } from '../../../src/definition/raw-values.ts'
import { isSigned } from '../../../src/inbound/verify-signature.ts'
import type { WebhookMessage } from '../../simulators/engine/webhooks.ts'
import type { Traffic } from '../field-mutations.ts'
import { type Fields, gid, isLarge, ref, type Scene } from './scene.ts'

export interface ShopifyCase {
  readonly name: string
  run(scene: Scene, traffic: Traffic): Promise<unknown>
  readonly expected: unknown
}

const TIME = '2026-11-23T17:00:00.000Z'
const times = { remoteCreatedAt: TIME, remoteUpdatedAt: TIME }
const SINCE = '2026-11-23T16:00:00.000Z'

const [CUSTOMER, ORDER, PRODUCT] = [gid('Customer', 1), gid('Order', 1), gid('Product', 1)]
const [SMALL, LARGE] = [gid('ProductVariant', 1), gid('ProductVariant', 2)]
const FULFILLMENT = gid('Fulfillment', 1)

const customer = {
  ...{ firstName: 'Ada', lastName: 'Kern', email: 'ada@x.example', phone: '+4940123456' },
}
const customerRest = { note: 'kind', tags: ['a', 'b'], locale: 'de', taxExempt: true }
const shownCustomer = { remoteId: CUSTOMER, ...customer, ...times }

const small = {
  ...{ price: '12.50', sku: 'L-S', optionValues: [{ name: 'Size', value: 'S' }] },
  weight: { value: 1.5, unit: 'KILOGRAMS' },
}
const large = { price: '15.00', sku: 'L-L', optionValues: [{ name: 'Size', value: 'L' }] }
const product = {
  ...{ productName: 'Lamp', description: '<p>Bright</p>', productType: 'Lights' },
  ...{ productStatus: 'ACTIVE', tags: ['home', 'led'], vendor: 'Kern' },
}
const IMAGE = 'https://x.example/lamp.png'
const images = { files: [{ originalSource: IMAGE, contentType: 'IMAGE' }] }
/** A variant as it is shown. Stock is tracked, and there is none. */
const shownVariant = (remoteId: string, title: string, fields: object) => ({
  ...{ id: ref('products.variants', remoteId), remoteId, title, inventory: { totalCount: 0 } },
  ...{ weight: null, ...fields },
})
const productUrl = 'https://acme.example/products/lamp'
const shownProduct = {
  ...{ remoteId: PRODUCT, ...product, images: [IMAGE], productUrl },
  variants: [shownVariant(SMALL, 'S', small), shownVariant(LARGE, 'L', large)],
  ...times,
}

const createProduct = (scene: Scene) =>
  scene.create('products', { ...product, variants: [small, large] }, images)

const address = {
  ...{
    address1: 'Kai 1',
    address2: 'Hof',
    city: 'Hamburg',
    countryCode: 'DE',
    postalCode: '20457',
  },
  ...{ firstName: 'Ada', lastName: 'Kern', phone: '+49401', region: 'HH' },
}
const otherAddress = {
  ...address,
  address1: 'Ring 2',
  address2: 'Tor',
  city: 'Bremen',
  region: 'HB',
}

/** An order as the staff of the shop enters it: paid by a buyer in another currency, and shipped in part. */
const enterOrder = ({ shop }: Scene): void => {
  const money = (amount: string, presented: string) => ({
    shopMoney: { amount, currencyCode: 'EUR' },
    presentmentMoney: { amount: presented, currencyCode: 'USD' },
  })
  const { postalCode, region, ...rest } = address
  const { postalCode: _, region: otherRegion, ...otherRest } = otherAddress
  shop.createOrder({
    ...{ name: 'A-7', email: 'buyer@x.example', phone: '+49409', note: 'gift', poNumber: 'PO-1' },
    ...{ tags: ['vip'], sourceName: 'web', test: true, currency: 'EUR' },
    ...{ presentmentCurrency: 'USD', taxesIncluded: false, customerId: CUSTOMER },
    processedAt: '2026-11-22T10:00:00Z',
    billingAddress: { ...rest, company: 'Kern AG', provinceCode: region, zip: postalCode },
    shippingAddress: { ...otherRest, company: 'Ko', provinceCode: otherRegion, zip: postalCode },
    lineItems: [{ variantId: SMALL, quantity: 3, priceSet: money('10.10', '11.11') }],
    shippingLines: [{ title: 'Post', priceSet: money('4.90', '5.39') }],
    taxLines: [{ title: 'VAT', rate: '0.19', priceSet: money('5.76', '6.33') }],
    transactions: [{ amountSet: money('40.96', '45.05'), kind: 'SALE' }],
  })
}

const shownLine = {
  ...{ productId: ref('products', PRODUCT), variantId: ref('products.variants', SMALL) },
  ...{ title: 'Lamp - S', sku: 'L-S', quantity: 3 },
}
const shownOrder = {
  ...{ remoteId: ORDER, orderNumber: 'A-7', orderStatus: 'open', orderState: 'OPEN' },
  ...{ fulfillmentStatus: 'PARTIALLY_FULFILLED', fulfillmentState: 'PARTIALLY_FULFILLED' },
  ...{ paymentStatus: 'PAID', paymentState: 'PAID', currency: 'EUR' },
  ...{ totalPrice: '40.96', totalDiscount: '0.0', totalShipping: '4.9', totalTax: '5.76' },
  lineItems: [{ ...shownLine, price: '10.1', unitCost: null, currency: 'EUR' }],
  ...{ billingAddress: address, shippingAddress: otherAddress },
  customer: {
    ...{ customerId: ref('customers', CUSTOMER), firstName: 'Ada', lastName: 'Kern' },
    ...{ email: 'buyer@x.example', phone: '+49409' },
  },
  ...times,
}
const shipped = {
  ...{ carrier: 'DHL', trackingNumbers: ['1', '2'] },
  trackingUrls: ['https://t.example/1', 'https://t.example/2'],
}
const shownFulfillment = {
  ...{
    remoteId: FULFILLMENT,
    orderId: ref('orders', ORDER),
    shipmentState: 'DELIVERED',
    ...shipped,
  },
  lineItems: [{ ...shownLine, lineItemId: gid('LineItem', 1), quantity: 2, price: '10.1' }],
  ...times,
}

/** A shop with one record of each resource. */
const fill = async (scene: Scene): Promise<void> => {
  await scene.create('customers', customer, customerRest)
  await createProduct(scene)
  enterOrder(scene)
  const lineItems = [{ lineItemId: gid('LineItem', 1), quantity: 2 }]
  await scene.create('fulfillments', { orderId: ORDER, ...shipped, lineItems })
}

const SOLD = { inventory: { totalCount: -3 } }
const shownRows: Readonly<Record<string, object>> = {
  customers: shownCustomer,
  products: {
    ...shownProduct,
    variants: [shownVariant(SMALL, 'S', { ...small, ...SOLD }), shownVariant(LARGE, 'L', large)],
  },
  orders: shownOrder,
  fulfillments: shownFulfillment,
}

const creates: readonly ShopifyCase[] = [
  {
    name: 'a new customer',
    run: (scene) => scene.create('customers', customer, customerRest),
    expected: shownCustomer,
  },
  {
    name: 'a new product with variants and an image',
    run: createProduct,
    expected: shownProduct,
  },
  {
    name: 'a new product without variants',
    run: (scene) => scene.create('products', product),
    expected: {
      ...{ remoteId: PRODUCT, ...product, productUrl, ...times },
      variants: [
        {
          ...shownVariant(SMALL, 'Default Title', {}),
          ...{ price: '0.00', sku: null, optionValues: [] },
        },
      ],
    },
  },
  {
    name: 'a new order of a known customer',
    run: async (scene) => {
      await scene.create('customers', customer)
      await createProduct(scene)
      return scene.create(
        'orders',
        {
          ...{ orderNumber: 'B-1', currency: 'USD' },
          ...{ billingAddress: address, shippingAddress: otherAddress },
          customer: { customerId: CUSTOMER, email: 'buyer@x.example', phone: '+49409' },
          lineItems: [
            { variantId: SMALL, price: '10.10', quantity: 3, sku: 'OWN' },
            { productId: PRODUCT, title: 'Shade', price: '1.00', quantity: 1 },
          ],
        },
        { note: 'gift' },
      )
    },
    expected: {
      ...{ remoteId: ORDER, orderNumber: 'B-1', orderStatus: 'open', orderState: 'OPEN' },
      ...{ fulfillmentStatus: 'UNFULFILLED', fulfillmentState: 'UNFULFILLED' },
      ...{ paymentStatus: 'PENDING', paymentState: 'UNPAID', currency: 'USD' },
      ...{ totalPrice: '31.3', totalDiscount: '0.0', totalShipping: '0.0', totalTax: '0.0' },
      lineItems: [
        { ...shownLine, sku: 'OWN', price: '10.1', unitCost: null, currency: 'USD' },
        {
          ...{ productId: ref('products', PRODUCT), variantId: null, title: 'Shade', sku: null },
          ...{ price: '1.0', unitCost: null, currency: 'USD', quantity: 1 },
        },
      ],
      ...{ billingAddress: address, shippingAddress: otherAddress },
      customer: shownOrder.customer,
      ...times,
    },
  },
  {
    name: 'a new order of a new customer',
    run: async (scene) => {
      const row = await scene.create('orders', {
        customer: { firstName: 'Eva', lastName: 'Ohm', email: 'eva@x.example' },
        lineItems: [{ title: 'Shade', price: '1.00', quantity: 1 }],
      })
      return [row.customer, await scene.get('customers', CUSTOMER)]
    },
    expected: [
      {
        ...{ customerId: ref('customers', CUSTOMER), firstName: 'Eva', lastName: 'Ohm' },
        ...{ email: 'eva@x.example', phone: null },
      },
      {
        ...{ remoteId: CUSTOMER, firstName: 'Eva', lastName: 'Ohm', email: 'eva@x.example' },
        ...times,
      },
    ],
  },
  {
    name: 'a new fulfillment of a part of an order',
    run: async (scene) => {
      await fill(scene)
      return [await scene.get('fulfillments', FULFILLMENT), await scene.get('orders', ORDER)]
    },
    expected: [shownFulfillment, shownOrder],
  },
]

const updates: readonly ShopifyCase[] = [
  {
    name: 'changes of a customer',
    run: async (scene) => {
      await fill(scene)
      const changes = {
        firstName: 'Eva',
        lastName: null,
        email: 'eva@x.example',
        phone: '+49401234',
      }
      return [
        await scene.update('customers', CUSTOMER, changes, { note: null, tags: ['c'] }),
        await scene.rest('customers', CUSTOMER),
      ]
    },
    expected: [
      {
        remoteId: CUSTOMER,
        firstName: 'Eva',
        email: 'eva@x.example',
        phone: '+49401234',
        ...times,
      },
      { note: [], tags: ['c'], locale: ['de'], taxExempt: [true], state: ['DISABLED'] },
    ],
  },
  {
    name: 'changes of a product, of one of its variants, and another variant',
    run: async (scene) => {
      await createProduct(scene)
      const variants = [
        { remoteId: SMALL, price: '11.00', sku: 'L-1', weight: { value: 2, unit: 'POUNDS' } },
        { remoteId: LARGE, optionValues: [{ name: 'Size', value: 'XL' }] },
        { ...small, sku: 'L-M', optionValues: [{ name: 'Size', value: 'M' }] },
      ]
      const changes = { productName: 'Light', description: null, productType: null, vendor: 'Ohm' }
      const others = { productStatus: 'DRAFT', tags: ['x'], variants }
      return scene.update('products', PRODUCT, { ...changes, ...others })
    },
    expected: {
      ...{ remoteId: PRODUCT, productName: 'Light', vendor: 'Ohm', productStatus: 'DRAFT' },
      ...{ tags: ['x'], images: [IMAGE], productUrl },
      variants: [
        shownVariant(SMALL, 'S', {
          ...{ ...small, price: '11.00', sku: 'L-1', weight: { value: 2, unit: 'POUNDS' } },
        }),
        shownVariant(LARGE, 'XL', { ...large, optionValues: [{ name: 'Size', value: 'XL' }] }),
        shownVariant(gid('ProductVariant', 3), 'M', {
          ...{ ...small, sku: 'L-M', optionValues: [{ name: 'Size', value: 'M' }] },
        }),
      ],
      ...times,
    },
  },
  {
    name: 'changes of an order, whose address keeps its other parts',
    run: async (scene) => {
      await fill(scene)
      await scene.create('customers', { firstName: 'Eva' })
      const row = await scene.update('orders', ORDER, {
        shippingAddress: { city: 'Kiel' },
        customer: { customerId: gid('Customer', 2), email: 'eva@x.example', phone: '+49777' },
      })
      const { 'shippingAddress.company': company } = await scene.rest('orders', ORDER)
      return [row.shippingAddress, company, row.customer]
    },
    expected: [
      { ...otherAddress, city: 'Kiel' },
      ['Ko'],
      {
        ...{ customerId: ref('customers', gid('Customer', 2)), firstName: 'Eva', lastName: null },
        ...{ email: 'eva@x.example', phone: '+49777' },
      },
    ],
  },
  {
    name: 'changes of the tracking information of a fulfillment, one by one',
    run: async (scene) => {
      await fill(scene)
      const changed: unknown[] = []
      for (const fields of [
        { carrier: 'UPS' },
        { trackingNumbers: ['3', '4'] },
        { trackingUrls: ['https://t.example/3', 'https://t.example/4'] },
      ] satisfies readonly Fields[]) {
        const row = await scene.update('fulfillments', FULFILLMENT, fields)
        changed.push([row.carrier, row.trackingNumbers, row.trackingUrls])
      }
      return changed
    },
    expected: [
      ['UPS', ['1', '2'], ['https://t.example/1', 'https://t.example/2']],
      ['UPS', ['3', '4'], ['https://t.example/1', 'https://t.example/2']],
      ['UPS', ['3', '4'], ['https://t.example/3', 'https://t.example/4']],
    ],
  },
  {
    name: 'a cancelled fulfillment, and an order, a product and a customer that are deleted',
    run: async (scene) => {
      await fill(scene)
      await scene.remove('fulfillments', FULFILLMENT)
      const { shipmentState, remoteDeleted } = valuesOf(
        await scene.get('fulfillments', FULFILLMENT),
      )
      const deleted: unknown[] = []
      for (const plural of ['orders', 'products', 'customers']) {
        const { remoteId } = valuesOf(shownRows[plural])
        await scene.remove(plural, String(remoteId))
        const listed = await scene.list(plural, SINCE)
        deleted.push([await scene.get(plural, String(remoteId)), listed.rows, listed.deleted])
      }
      return { shipmentState, remoteDeleted, deleted }
    },
    expected: {
      ...{ shipmentState: 'CANCELLED', remoteDeleted: true },
      deleted: [ORDER, PRODUCT, CUSTOMER].map((remoteId) => [undefined, [], [remoteId]]),
    },
  },
]

const presented = (name: string, amount: string) => ({
  [`${name}.presentmentMoney.amount`]: [amount],
  [`${name}.presentmentMoney.currencyCode`]: ['USD'],
  [`${name}.shopMoney.currencyCode`]: ['EUR'],
})

/** What the same records have beside the unified fields. */
const shownRests: Readonly<Record<string, object>> = {
  customers: {
    ...{ note: ['kind'], tags: ['a', 'b'], locale: ['de'], taxExempt: [true] },
    state: ['DISABLED'],
  },
  products: {
    ...{ handle: ['lamp'], publishedAt: ['2026-11-23T17:00:00Z'], 'variants.position': [1, 2] },
    'variants.inventoryItem.id': [gid('InventoryItem', 1), gid('InventoryItem', 2)],
  },
  orders: {
    ...{ processedAt: ['2026-11-22T10:00:00Z'], cancelledAt: [], cancelReason: [] },
    ...{ closedAt: [], test: [true], returnStatus: ['NO_RETURN'], sourceName: ['web'] },
    ...{ poNumber: ['PO-1'], note: ['gift'], tags: ['vip'], presentmentCurrencyCode: ['USD'] },
    taxesIncluded: [false],
    ...presented('totalPriceSet', '45.05'),
    ...presented('totalDiscountsSet', '0.0'),
    ...presented('totalShippingPriceSet', '5.39'),
    ...presented('totalTaxSet', '6.33'),
    ...{ 'billingAddress.company': ['Kern AG'], 'billingAddress.province': ['Hamburg'] },
    ...{ 'shippingAddress.company': ['Ko'], 'shippingAddress.province': ['Bremen'] },
    ...{ 'lineItems.id': [gid('LineItem', 1)], 'lineItems.currentQuantity': [3] },
    'lineItems.variantTitle': ['S'],
  },
  fulfillments: {
    ...{ name: ['A-7-F1'], status: ['SUCCESS'], deliveredAt: ['2026-11-25T09:00:00Z'] },
    estimatedDeliveryAt: ['2026-11-24T09:00:00Z'],
    'fulfillmentLineItems.id': [gid('FulfillmentLineItem', 1)],
  },
}

/** The steps of a listing of all records, by pages and in a large shop. Fulfillments are listed by pages alone. */
const stepsOf = (plural: string) =>
  plural === 'fulfillments' ? [[], []] : [['pages'], ['run', 'operation', 'file']]

const lists: readonly ShopifyCase[] = Object.entries(shownRows).map(([plural, row]) => ({
  name: `the lists of ${plural}`,
  run: async (scene) => {
    await fill(scene)
    const all = await scene.list(plural)
    const changed = await scene.list(plural, SINCE)
    const later = await scene.list(plural, '2026-11-23T18:00:00.000Z')
    const inLarge = await scene.list(plural, undefined, isLarge)
    const rest = await scene.rest(plural, String(valuesOf(row).remoteId))
    return {
      rows: [all.rows, changed.rows, later.rows, inLarge.rows],
      rests: [...all.rests, ...inLarge.rests, rest],
      steps: [all.steps, inLarge.steps],
    }
  },
  expected: {
    rows: [[row], [row], [], [row]],
    rests: Array(3).fill(shownRests[plural]),
    steps: stepsOf(plural),
  },
}))

/** A page of the fulfillment orders of an order: one, with two units of a line that are left to ship. */
const fulfillmentOrderPage = (id: string, status: string, endCursor: string | null) => {
  const line = { id: `${id}-l`, remainingQuantity: 2, lineItem: { id: 'l' } }
  const nodes = [{ id, status, lineItems: { nodes: [line] } }]
  const pageInfo = { hasNextPage: endCursor !== null, endCursor }
  return { order: { fulfillmentOrders: { nodes, pageInfo } } }
}

/** Fulfills three units of the line. */
const createFulfillment = (remoteFields: Fields) => {
  const { create } = connector.resources['commerce/fulfillments']?.write ?? {}
  if (!create) throw new Error('The connector creates no fulfillments.')
  const fields = { orderId: ORDER, lineItems: [{ lineItemId: 'l', quantity: 3 }] }
  return create.steps({ fields, remoteFields }, { key: 'attempt' })
}

/** Records with more parts, or lists with more records, than one response has. */
const pages: readonly ShopifyCase[] = [
  {
    name: 'orders and fulfillments with eleven lines',
    run: async (scene) => {
      const lineItems = Array.from({ length: 11 }, (_, at) => ({ title: `${at}`, quantity: 1 }))
      scene.shop.fulfill(scene.shop.createOrder({ lineItems }))
      const counts: unknown[] = []
      for (const [plural, remoteId] of [
        ['orders', ORDER],
        ['fulfillments', FULFILLMENT],
      ] as const) {
        const { rows } = await scene.list(plural)
        const changed = await scene.list(plural, SINCE)
        const records = [...rows, ...changed.rows, valuesOf(await scene.get(plural, remoteId))]
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
    run: async (scene) => {
      const variants = Array.from({ length: 11 }, (_, at) => ({
        optionValues: [{ name: 'Size', value: `${at}` }],
      }))
      await scene.create('products', { productName: 'Lamp', variants })
      const { rows } = await scene.list('products')
      const records = [...rows, valuesOf(await scene.get('products', PRODUCT))]
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
        ...{ action: 'destroy', subjectId, subjectType: 'CUSTOMER' },
      })
      const {
        variables,
        pages: read,
        isEnd,
      } = listRecorded('customers', SINCE, [
        connection('customers', [{ id: CUSTOMER, updatedAt: '2026-11-23T17:00:00Z' }], 'c'),
        connection('customers', [], null),
        connection('events', [deletion(CUSTOMER)], 'e'),
        connection('events', [deletion(gid('Customer', 2))], null),
      ])
      return { after: variables.map((sent) => valuesOf(sent).after), read, isEnd }
    },
    expected: {
      after: [null, 'c', null, 'e'],
      read: [
        { count: 1, deleted: undefined },
        { count: 0, deleted: undefined },
        { count: 0, deleted: [CUSTOMER] },
        { count: 0, deleted: [gid('Customer', 2)] },
      ],
      isEnd: true,
    },
  },
  {
    name: 'a bulk operation of an interrupted listing',
    run: async (scene) => {
      await scene.create('customers', customer)
      await scene.list('customers', undefined, isLarge, 2)
      const { rows, steps } = await scene.list('customers', undefined, isLarge)
      return { rows, steps }
    },
    expected: { rows: [shownCustomer], steps: ['operation', 'operation', 'file'] },
  },
  {
    name: 'the fulfillment orders of an order, of which one is on hold',
    run: async ({ play }) => {
      const { sent, result } = await play(createFulfillment({ notifyCustomer: true }), [
        fulfillmentOrderPage('a', 'OPEN', 'x'),
        fulfillmentOrderPage('b', 'ON_HOLD', 'y'),
        fulfillmentOrderPage('c', 'IN_PROGRESS', null),
        { fulfillmentCreate: { fulfillment: { id: FULFILLMENT }, userErrors: [] } },
        {
          node: {
            id: FULFILLMENT,
            fulfillmentLineItems: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } },
          },
        },
      ])
      return { sent, id: valuesOf(result).id }
    },
    expected: {
      sent: [
        ...[null, 'x', 'y'].map((after) => ({ id: ORDER, after })),
        {
          fulfillment: {
            lineItemsByFulfillmentOrder: [
              { fulfillmentOrderId: 'a', fulfillmentOrderLineItems: [{ id: 'a-l', quantity: 2 }] },
              { fulfillmentOrderId: 'c', fulfillmentOrderLineItems: [{ id: 'c-l', quantity: 1 }] },
            ],
            notifyCustomer: true,
          },
        },
        { id: FULFILLMENT, after: null },
      ],
      id: FULFILLMENT,
    },
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
      const inLarge = await list('orders', undefined, isLarge)
      const one = valuesOf(await get('orders', ORDER))
      return {
        statuses: [...all.rows, ...changed.rows, ...inLarge.rows, one].map((row) => [
          ...[row.orderStatus, row.orderState],
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
        ...{ id: ORDER, currencyCode: 'EUR', cancelledAt: null, lineItems: NO_PARTS },
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

interface Refusal {
  readonly plural: string
  /** The mutation that the shop refuses, or what the connector notices. */
  readonly by: string
  write(scene: Scene): Promise<unknown>
  /** The unified name of the field at fault. Absent: the record itself is missing. */
  readonly field?: string
  readonly reason: string
}

const MISSING_LINE = { variantId: gid('ProductVariant', 99), price: '1.00', quantity: 1 }
const OPEN_LINE = { lineItemId: gid('LineItem', 1), quantity: 2 }

const refused: readonly Refusal[] = [
  {
    ...{ plural: 'customers', by: 'customerCreate', field: 'email' },
    write: ({ create }) => create('customers', customer),
    reason: 'Email has already been taken; Phone has already been taken',
  },
  {
    ...{ plural: 'customers', by: 'customerUpdate', field: 'email' },
    write: ({ update }) => update('customers', CUSTOMER, { email: 'nobody' }),
    reason: 'Email is invalid',
  },
  {
    ...{ plural: 'products', by: 'productCreate', field: 'productName' },
    write: ({ create }) => create('products', { productName: ' ' }),
    reason: "Title can't be blank",
  },
  {
    ...{ plural: 'products', by: 'productSet', field: 'productName' },
    write: ({ create }) => create('products', { productName: ' ', variants: [small] }),
    reason: "INVALID_INPUT: Title can't be blank",
  },
  {
    ...{ plural: 'products', by: 'productUpdate', field: 'productName' },
    write: ({ update }) => update('products', PRODUCT, { productName: ' ' }),
    reason: "Title can't be blank",
  },
  {
    ...{ plural: 'products', by: 'productVariantsBulkUpdate', field: 'variants' },
    write: ({ update }) => {
      const second = { remoteId: SMALL, optionValues: large.optionValues }
      return update('products', PRODUCT, { variants: [second, { remoteId: LARGE }] })
    },
    reason: "VARIANT_ALREADY_EXISTS: The variant 'L' already exists.",
  },
  {
    ...{ plural: 'products', by: 'productVariantsBulkCreate', field: 'variants' },
    write: ({ update }) => {
      const known = [{ remoteId: SMALL }, { remoteId: LARGE }]
      return update('products', PRODUCT, { variants: [...known, { ...large, sku: 'L-X' }] })
    },
    reason: "VARIANT_ALREADY_EXISTS: The variant 'L' already exists.",
  },
  {
    ...{ plural: 'orders', by: 'orderCreate', field: 'lineItems' },
    write: ({ create }) => create('orders', { lineItems: [MISSING_LINE] }),
    reason: 'INVALID: Variant does not exist',
  },
  {
    ...{ plural: 'orders', by: 'orderUpdate', field: 'customer' },
    write: ({ update }) => update('orders', ORDER, { customer: { email: 'nobody' } }),
    reason: 'Email is invalid',
  },
  {
    ...{ plural: 'orders', by: 'orderCustomerSet', field: 'customer' },
    write: ({ update }) =>
      update('orders', ORDER, { customer: { customerId: gid('Customer', 99) } }),
    reason: 'Customer does not exist',
  },
  {
    ...{ plural: 'orders', by: 'the name of a known customer', field: 'customer.firstName' },
    write: ({ update }) => update('orders', ORDER, { customer: { firstName: 'Eva' } }),
    reason: 'Shopify takes it from the customer.',
  },
  {
    ...{ plural: 'fulfillments', by: 'more units than are left', field: 'lineItems[0].quantity' },
    write: ({ create }) => create('fulfillments', { orderId: ORDER, lineItems: [OPEN_LINE] }),
    reason: '1 units fewer of this line are left to ship.',
  },
  {
    ...{ plural: 'fulfillments', by: 'an order that does not exist', field: 'orderId' },
    write: ({ create }) =>
      create('fulfillments', { orderId: gid('Order', 99), lineItems: [OPEN_LINE] }),
    reason: 'Shopify has no such order.',
  },
  {
    ...{ plural: 'customers', by: 'customerDelete', reason: "Customer can't be found" },
    write: ({ remove }) => remove('customers', gid('Customer', 99)),
  },
  {
    ...{ plural: 'orders', by: 'orderDelete', reason: 'NOT_FOUND: Order does not exist' },
    write: ({ remove }) => remove('orders', gid('Order', 99)),
  },
  {
    ...{ plural: 'products', by: 'productDelete', reason: 'Product does not exist' },
    write: ({ remove }) => remove('products', gid('Product', 99)),
  },
  {
    ...{ plural: 'fulfillments', by: 'fulfillmentCancel' },
    write: ({ remove }) => remove('fulfillments', gid('Fulfillment', 99)),
    reason: 'Fulfillment does not exist.',
  },
  {
    ...{ plural: 'fulfillments', by: 'fulfillmentTrackingInfoUpdate' },
    write: ({ update }) => update('fulfillments', gid('Fulfillment', 99), { carrier: 'UPS' }),
    reason: 'Fulfillment does not exist.',
  },
]

/** Writes that the connector or the shop refuses. */
const refusals: readonly ShopifyCase[] = [
  ...refused.map(
    ({ plural, by, write, field, reason }): ShopifyCase => ({
      name: `a refusal: ${by}`,
      run: async (scene) => {
        if (field !== undefined) await fill(scene)
        return scene.failureOf(plural, write(scene))
      },
      expected: { kind: field === undefined ? 'absent' : 'refused', field, reason },
    }),
  ),
  {
    name: 'a refusal: fulfillmentCreate',
    run: async ({ play, failureOf }) => {
      const message = 'Fulfillment order has an unfulfillable status'
      const field = ['fulfillment', 'lineItemsByFulfillmentOrder', '0', 'fulfillmentOrderId']
      return failureOf(
        'fulfillments',
        play(createFulfillment({}), [
          fulfillmentOrderPage('a', 'OPEN', 'x'),
          fulfillmentOrderPage('b', 'OPEN', null),
          { fulfillmentCreate: { fulfillment: null, userErrors: [{ field, message }] } },
        ]),
      )
    },
    expected: { kind: 'refused', reason: 'Fulfillment order has an unfulfillable status' },
  },
]

const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 150, restoreRate: 100 }

const responses: readonly ShopifyCase[] = [
  {
    name: 'failures that have no mutation',
    run: async (_, { received }) => {
      const read = (status: number, body: object) =>
        connector.readFailure(
          { status, headers: {}, body: received(body) },
          { method: 'POST', path: '/' },
        )
      const cost = { requestedQueryCost: 400, actualQueryCost: null, throttleStatus }
      const throttled = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
      const problems = [{ path: ['email'], explanation: 'Expected a value' }]
      const invalid = { code: 'INVALID_VARIABLE', problems }
      return [
        read(401, { errors: '[API] Invalid API key or access token' }),
        read(200, { errors: throttled, extensions: { cost } }),
        read(200, { errors: [{ message: 'Not valid', extensions: invalid }] }),
      ]
    },
    expected: [
      { kind: 'authentication', reason: '[API] Invalid API key or access token' },
      { kind: 'rate-limited', reason: 'THROTTLED: Throttled', limit: 'points', retryAfterMs: 2500 },
      { kind: 'refused', reason: 'INVALID_VARIABLE: Not valid', field: 'email' },
    ],
  },
  {
    name: 'a user error with and without a code',
    run: async (_, { received }) => {
      const read = (userErrors: readonly object[]) =>
        connector.readFailure(
          { status: 200, headers: {}, body: received({ data: { orderCreate: { userErrors } } }) },
          { method: 'POST', path: '/' },
        )
      return [
        read([{ field: ['order', 'email'], message: 'Email is invalid', code: 'INVALID' }]),
        read([{ field: ['trackingInfoInput', 'urls'], message: 'Url is invalid' }]),
      ]
    },
    expected: [
      { kind: 'refused', reason: 'INVALID: Email is invalid', field: 'email' },
      { kind: 'refused', reason: 'Url is invalid', field: 'trackingInfo.urls' },
    ],
  },
  {
    name: 'the shop, its context, its name and its points',
    run: async ({ exchange, readContext }) => {
      const response = await exchange(connector.check)
      return {
        account: connector.readAccountName?.(response),
        context: await readContext(),
        usage: connector.limits?.readUsage?.(response),
      }
    },
    expected: {
      account: 'Acme',
      context: { currency: 'EUR', timeZone: 'America/Phoenix' },
      usage: { cost: 1, limits: { points: { max: 2000, remaining: 2000, resetMs: 0 } } },
    },
  },
  {
    name: 'the points of a shop of which some are used',
    run: async (_, { received }) => {
      const cost = { requestedQueryCost: 900, actualQueryCost: 120, throttleStatus }
      const body = received({ data: {}, extensions: { cost } })
      return connector.limits?.readUsage?.({ status: 200, headers: {}, body })
    },
    expected: { cost: 120, limits: { points: { max: 2000, remaining: 150, resetMs: 9250 } } },
  },
]

// Requests to this port are refused without a connection, so a delivery fails at once.
const ADDRESS = 'http://127.0.0.1:1/events'

const hooks = connector.webhooks
if (!hooks?.subscription?.list) throw new Error('The connector has no subscriptions.')
const { create: subscribe, list: listSubscriptions, delete: unsubscribe } = hooks.subscription
const target = { address: ADDRESS, secret: '' }

/** A delivery of the simulator, as the service verifies and reads it. */
const receive = ({ headers, body }: WebhookMessage, { received }: Traffic, nowMs: number) => {
  const passed = received({ headers, body: JSON.parse(body) })
  const delivery = {
    method: 'POST',
    url: ADDRESS,
    headers: passed.headers,
    body: Buffer.from(body),
  }
  const secrets = ['client-secret']
  const isVerified = isSigned(hooks.signature, delivery, passed.body, { secrets, nowMs })
  const hasId = passed.headers[String(hooks.deliveryId)] !== undefined
  return hooks
    .events(passed)
    .map(({ topic, remoteId, kind, company }) =>
      [topic, remoteId, kind, company, isVerified, hasId].join(' '),
    )
}

const webhooks: readonly ShopifyCase[] = [
  {
    name: 'subscriptions, deliveries and their events',
    run: async (scene, traffic) => {
      const { simulator, run } = scene
      const { ids } = valuesOf(await run(subscribe(target)))
      const listed = await run(listSubscriptions())
      const fields = [...simulator.webhooks.subscriptions.values()].map((one) => one.fields)
      await fill(scene)
      await scene.remove('orders', ORDER)
      await simulator.webhooks.deliver()
      const events = simulator.webhooks.deliveries.flatMap(({ message }) =>
        receive(message, traffic, simulator.clock.nowMs()),
      )
      for (const { id } of listed) await run(unsubscribe(id))
      return {
        isListed: listed.map(({ id }) => id).join() === String(ids),
        addresses: [...new Set(listed.map(({ address: at }) => at))],
        fields: [fields[0], fields[2]],
        events: [...new Set(events)],
        left: (await run(listSubscriptions())).length,
      }
    },
    expected: {
      ...{ isListed: true, addresses: [ADDRESS] },
      fields: [['id', 'admin_graphql_api_id'], undefined],
      events: [
        `commerce/customers ${CUSTOMER} changed acme true true`,
        `commerce/products ${PRODUCT} changed acme true true`,
        `commerce/orders ${ORDER} changed acme true true`,
        `commerce/fulfillments ${FULFILLMENT} changed acme true true`,
        `commerce/orders ${ORDER} deleted acme true true`,
      ],
      left: 0,
    },
  },
  {
    name: 'a delivery that names the record by its global id alone',
    run: async (_, { received }) => {
      const headers = {
        'x-shopify-topic': 'orders/updated',
        'x-shopify-shop-domain': 'acme.myshopify.com',
      }
      return hooks.events(received({ headers, body: { admin_graphql_api_id: ORDER } }))
    },
    expected: [{ topic: 'commerce/orders', remoteId: ORDER, kind: 'changed', company: 'acme' }],
  },
  {
    name: 'a subscription that exists, and one that does not',
    run: async ({ run, failureOf }) => {
      await run(subscribe(target))
      const missing = unsubscribe(gid('WebhookSubscription', 99))
      return [
        await failureOf('orders', run(subscribe(target))),
        await failureOf('orders', run(missing)),
      ]
    },
    expected: [
      { kind: 'refused', reason: 'Address for this topic has already been taken' },
      { kind: 'absent', reason: 'Webhook subscription does not exist' },
    ],
  },
  {
    name: 'the second page of subscriptions',
    run: async ({ play }) => {
      const page = (id: string, endCursor: string | null) => ({
        webhookSubscriptions: {
          nodes: [{ id, uri: ADDRESS }],
          pageInfo: { hasNextPage: endCursor !== null, endCursor },
        },
      })
      return play(listSubscriptions(), [page('a', 'x'), page('b', null)])
    },
    expected: {
      sent: [{ after: null }, { after: 'x' }],
      result: [
        { id: 'a', address: ADDRESS },
        { id: 'b', address: ADDRESS },
      ],
    },
  },
]

export const shopifyCases: readonly ShopifyCase[] = [
  ...responses,
  ...creates,
  ...updates,
  ...lists,
  ...pages,
  ...states,
  ...refusals,
  ...webhooks,
]
