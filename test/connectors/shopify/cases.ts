/** What the connector makes of a shop, field by field: each case is a literal input and a literal outcome. */
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import { textsAt, valuesOf } from '../../../src/definition/raw-values.ts'
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
const shownProduct = {
  ...{ remoteId: PRODUCT, ...product, images: [IMAGE] },
  variants: [shownVariant(SMALL, 'S', small), shownVariant(LARGE, 'L', large)],
  ...times,
}

const createProduct = (scene: Scene) =>
  scene.create('products', { ...product, variants: [small, large] }, images)

const address = {
  ...{ address1: 'Kai 1', address2: 'Hof', city: 'Hamburg', countryCode: 'DE', postalCode: '20457' },
  ...{ firstName: 'Ada', lastName: 'Kern', phone: '+49401', region: 'HH' },
}
const otherAddress = { ...address, address1: 'Ring 2', address2: 'Tor', city: 'Bremen', region: 'HB' }

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
  ...{ totalPrice: '40.96', totalDiscount: '0', totalShipping: '4.9', totalTax: '5.76' },
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
  ...{ remoteId: FULFILLMENT, orderId: ref('orders', ORDER), shipmentState: 'SHIPPED', ...shipped },
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

const shownRows: Readonly<Record<string, object>> = {
  customers: shownCustomer,
  products: shownProduct,
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
      ...{ remoteId: PRODUCT, ...product, ...times },
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
      ...{ totalPrice: '31.3', totalDiscount: '0', totalShipping: '0', totalTax: '0' },
      lineItems: [
        { ...shownLine, sku: 'OWN', price: '10.1', unitCost: null, currency: 'USD' },
        {
          ...{ productId: ref('products', PRODUCT), variantId: null, title: 'Shade', sku: null },
          ...{ price: '1', unitCost: null, currency: 'USD', quantity: 1 },
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
      const changes = { firstName: 'Eva', lastName: null, email: 'eva@x.example', phone: '+49777' }
      return [
        await scene.update('customers', CUSTOMER, changes, { note: null, tags: ['c'] }),
        (await scene.rest('customers', CUSTOMER)).tags,
      ]
    },
    expected: [
      { remoteId: CUSTOMER, firstName: 'Eva', email: 'eva@x.example', phone: '+49777', ...times },
      ['c'],
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
      ...{ tags: ['x'], images: [IMAGE] },
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
      const { shippingAddress } = await scene.rest('orders', ORDER)
      return [row.shippingAddress, valuesOf(shippingAddress).company, row.customer]
    },
    expected: [
      { ...otherAddress, city: 'Kiel' },
      'Ko',
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
      const { shipmentState, remoteDeleted } = valuesOf(await scene.get('fulfillments', FULFILLMENT))
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

/** The rows of each resource, by each way to list them. */
const lists: readonly ShopifyCase[] = Object.entries(shownRows).map(([plural, row]) => ({
  name: `the lists of ${plural}`,
  run: async (scene) => {
    await fill(scene)
    const listed = [
      await scene.list(plural),
      await scene.list(plural, SINCE),
      await scene.list(plural, '2026-11-23T18:00:00.000Z'),
      await scene.list(plural, undefined, isLarge),
    ]
    return listed.map(({ rows, steps }) => [rows, steps])
  },
  expected: [
    [[row], plural === 'fulfillments' ? [] : ['pages']],
    [[row], []],
    [[], []],
    [[row], plural === 'fulfillments' ? [] : ['run', 'operation', 'operation', 'file']],
  ],
}))

/** What records have beside the unified fields. */
const rests: readonly ShopifyCase[] = [
  {
    name: 'the other fields of records',
    run: async (scene) => {
      await fill(scene)
      const rest: unknown[] = []
      for (const [plural, row] of Object.entries(shownRows))
        rest.push(await scene.rest(plural, String(valuesOf(row).remoteId)))
      return rest
    },
    expected: [],
  },
]

export const shopifyCases: readonly ShopifyCase[] = [...creates, ...updates, ...lists, ...rests]
