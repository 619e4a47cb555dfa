/** New, changed, deleted and rejected records. */
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import { valuesOf } from '../../../src/definition/raw-values.ts'
import { type Fields, globalId, type Harness, referenceTo } from './harness.ts'
import {
  address,
  CUSTOMER,
  createProduct,
  customer,
  customerRest,
  FULFILLMENT,
  fill,
  IMAGE,
  LARGE,
  large,
  ORDER,
  otherAddress,
  PRODUCT,
  product,
  productUrl,
  type ShopifyCase,
  SINCE,
  SMALL,
  shownCustomer,
  shownFulfillment,
  shownLine,
  shownOrder,
  shownProduct,
  shownRows,
  shownVariant,
  small,
  times,
} from './records.ts'

const creates: readonly ShopifyCase[] = [
  {
    name: 'a new customer',
    run: (harness) => harness.create('customers', customer, customerRest),
    expected: shownCustomer,
  },
  {
    name: 'a new product with variants and an image',
    run: createProduct,
    expected: shownProduct,
  },
  {
    name: 'a new product without variants',
    run: (harness) => harness.create('products', product),
    expected: {
      remoteId: PRODUCT,
      ...product,
      productUrl,
      ...times,
      variants: [
        {
          ...shownVariant(SMALL, 'Default Title', {}),
          price: '0.00',
          sku: null,
          optionValues: [],
        },
      ],
    },
  },
  {
    name: 'a new order of a known customer',
    run: async (harness) => {
      await harness.create('customers', customer)
      await createProduct(harness)
      return harness.create(
        'orders',
        {
          orderNumber: 'B-1',
          currency: 'USD',
          billingAddress: address,
          shippingAddress: otherAddress,
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
      remoteId: ORDER,
      orderNumber: 'B-1',
      orderStatus: 'open',
      orderState: 'OPEN',
      fulfillmentStatus: 'UNFULFILLED',
      fulfillmentState: 'UNFULFILLED',
      paymentStatus: 'PENDING',
      paymentState: 'UNPAID',
      currency: 'USD',
      totalPrice: '31.3',
      totalDiscount: '0.0',
      totalShipping: '0.0',
      totalTax: '0.0',
      lineItems: [
        { ...shownLine, sku: 'OWN', price: '10.1', unitCost: null, currency: 'USD' },
        {
          productId: referenceTo('products', PRODUCT),
          variantId: null,
          title: 'Shade',
          sku: null,
          price: '1.0',
          unitCost: null,
          currency: 'USD',
          quantity: 1,
        },
      ],
      billingAddress: address,
      shippingAddress: otherAddress,
      customer: shownOrder.customer,
      ...times,
    },
  },
  {
    name: 'a new order of a new customer',
    run: async (harness) => {
      const row = await harness.create('orders', {
        customer: { firstName: 'Eva', lastName: 'Ohm', email: 'eva@x.example' },
        lineItems: [{ title: 'Shade', price: '1.00', quantity: 1 }],
      })
      return [row.customer, await harness.get('customers', CUSTOMER)]
    },
    expected: [
      {
        customerId: referenceTo('customers', CUSTOMER),
        firstName: 'Eva',
        lastName: 'Ohm',
        email: 'eva@x.example',
        phone: null,
      },
      {
        remoteId: CUSTOMER,
        firstName: 'Eva',
        lastName: 'Ohm',
        email: 'eva@x.example',
        ...times,
      },
    ],
  },
  {
    name: 'a new fulfillment of a part of an order',
    run: async (harness) => {
      await fill(harness)
      return [await harness.get('fulfillments', FULFILLMENT), await harness.get('orders', ORDER)]
    },
    expected: [shownFulfillment, shownOrder],
  },
]

const updates: readonly ShopifyCase[] = [
  {
    name: 'changes of a customer',
    run: async (harness) => {
      await fill(harness)
      const changes = {
        firstName: 'Eva',
        lastName: null,
        email: 'eva@x.example',
        phone: '+49401234',
      }
      return [
        await harness.update('customers', CUSTOMER, changes, { note: null, tags: ['c'] }),
        await harness.rest('customers', CUSTOMER),
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
    run: async (harness) => {
      await createProduct(harness)
      const variants = [
        { remoteId: SMALL, price: '11.00', sku: 'L-1', weight: { value: 2, unit: 'POUNDS' } },
        { remoteId: LARGE, optionValues: [{ name: 'Size', value: 'XL' }] },
        { ...small, sku: 'L-M', optionValues: [{ name: 'Size', value: 'M' }] },
      ]
      const changes = { productName: 'Light', description: null, productType: null, vendor: 'Ohm' }
      const others = { productStatus: 'DRAFT', tags: ['x'], variants }
      return harness.update('products', PRODUCT, { ...changes, ...others })
    },
    expected: {
      remoteId: PRODUCT,
      productName: 'Light',
      vendor: 'Ohm',
      productStatus: 'DRAFT',
      tags: ['x'],
      images: [IMAGE],
      productUrl,
      variants: [
        shownVariant(SMALL, 'S', {
          ...small,
          price: '11.00',
          sku: 'L-1',
          weight: { value: 2, unit: 'POUNDS' },
        }),
        shownVariant(LARGE, 'XL', { ...large, optionValues: [{ name: 'Size', value: 'XL' }] }),
        shownVariant(globalId('ProductVariant', 3), 'M', {
          ...small,
          sku: 'L-M',
          optionValues: [{ name: 'Size', value: 'M' }],
        }),
      ],
      ...times,
    },
  },
  {
    name: 'changes of an order, whose address keeps its other parts',
    run: async (harness) => {
      await fill(harness)
      await harness.create('customers', { firstName: 'Eva' })
      const row = await harness.update('orders', ORDER, {
        shippingAddress: { city: 'Kiel' },
        customer: { customerId: globalId('Customer', 2), email: 'eva@x.example', phone: '+49777' },
      })
      const { 'shippingAddress.company': company } = await harness.rest('orders', ORDER)
      return [row.shippingAddress, company, row.customer]
    },
    expected: [
      { ...otherAddress, city: 'Kiel' },
      ['Ko'],
      {
        customerId: referenceTo('customers', globalId('Customer', 2)),
        firstName: 'Eva',
        lastName: null,
        email: 'eva@x.example',
        phone: '+49777',
      },
    ],
  },
  {
    name: 'changes of the tracking information of a fulfillment, one by one',
    run: async (harness) => {
      await fill(harness)
      const changed: unknown[] = []
      for (const fields of [
        { carrier: 'UPS' },
        { trackingNumbers: ['3', '4'] },
        { trackingUrls: ['https://t.example/3', 'https://t.example/4'] },
      ] satisfies readonly Fields[]) {
        const row = await harness.update('fulfillments', FULFILLMENT, fields)
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
    run: async (harness) => {
      await fill(harness)
      await harness.remove('fulfillments', FULFILLMENT)
      const { shipmentState, remoteDeleted } = valuesOf(
        await harness.get('fulfillments', FULFILLMENT),
      )
      const deleted: unknown[] = []
      for (const plural of ['orders', 'products', 'customers']) {
        const { remoteId } = valuesOf(shownRows[plural])
        await harness.remove(plural, String(remoteId))
        const listed = await harness.list(plural, SINCE)
        deleted.push([await harness.get(plural, String(remoteId)), listed.rows, listed.deleted])
      }
      return { shipmentState, remoteDeleted, deleted }
    },
    expected: {
      shipmentState: 'CANCELLED',
      remoteDeleted: true,
      deleted: [ORDER, PRODUCT, CUSTOMER].map((remoteId) => [undefined, [], [remoteId]]),
    },
  },
]

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

const fulfillmentOrders: readonly ShopifyCase[] = [
  {
    name: 'the fulfillment orders of an order with one on hold',
    run: async ({ runWith: play }) => {
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

interface Refusal {
  readonly plural: string
  /** The mutation that the shop rejects, or the mistake that the connector finds itself. */
  readonly rejectedBy: string
  write(harness: Harness): Promise<unknown>
  /** The unified name of the field at fault. Absent: the record itself is missing. */
  readonly field?: string
  readonly reason: string
}

const MISSING_LINE = { variantId: globalId('ProductVariant', 99), price: '1.00', quantity: 1 }
const OPEN_LINE = { lineItemId: globalId('LineItem', 1), quantity: 2 }

const refused: readonly Refusal[] = [
  {
    plural: 'customers',
    rejectedBy: 'customerCreate',
    field: 'email',
    write: ({ create }) => create('customers', customer),
    reason: 'Email has already been taken; Phone has already been taken',
  },
  {
    plural: 'customers',
    rejectedBy: 'customerUpdate',
    field: 'email',
    write: ({ update }) => update('customers', CUSTOMER, { email: 'nobody' }),
    reason: 'Email is invalid',
  },
  {
    plural: 'products',
    rejectedBy: 'productCreate',
    field: 'productName',
    write: ({ create }) => create('products', { productName: ' ' }),
    reason: "Title can't be blank",
  },
  {
    plural: 'products',
    rejectedBy: 'productSet',
    field: 'productName',
    write: ({ create }) => create('products', { productName: ' ', variants: [small] }),
    reason: "INVALID_INPUT: Title can't be blank",
  },
  {
    plural: 'products',
    rejectedBy: 'productUpdate',
    field: 'productName',
    write: ({ update }) => update('products', PRODUCT, { productName: ' ' }),
    reason: "Title can't be blank",
  },
  {
    plural: 'products',
    rejectedBy: 'productVariantsBulkUpdate',
    field: 'variants',
    write: ({ update }) => {
      const second = { remoteId: SMALL, optionValues: large.optionValues }
      return update('products', PRODUCT, { variants: [second, { remoteId: LARGE }] })
    },
    reason: "VARIANT_ALREADY_EXISTS: The variant 'L' already exists.",
  },
  {
    plural: 'products',
    rejectedBy: 'productVariantsBulkCreate',
    field: 'variants',
    write: ({ update }) => {
      const known = [{ remoteId: SMALL }, { remoteId: LARGE }]
      return update('products', PRODUCT, { variants: [...known, { ...large, sku: 'L-X' }] })
    },
    reason: "VARIANT_ALREADY_EXISTS: The variant 'L' already exists.",
  },
  {
    plural: 'orders',
    rejectedBy: 'orderCreate',
    field: 'lineItems',
    write: ({ create }) => create('orders', { lineItems: [MISSING_LINE] }),
    reason: 'INVALID: Variant does not exist',
  },
  {
    plural: 'orders',
    rejectedBy: 'orderUpdate',
    field: 'customer',
    write: ({ update }) => update('orders', ORDER, { customer: { email: 'nobody' } }),
    reason: 'Email is invalid',
  },
  {
    plural: 'orders',
    rejectedBy: 'orderCustomerSet',
    field: 'customer',
    write: ({ update }) =>
      update('orders', ORDER, { customer: { customerId: globalId('Customer', 99) } }),
    reason: 'Customer does not exist',
  },
  {
    plural: 'orders',
    rejectedBy: 'the name of a known customer',
    field: 'customer.firstName',
    write: ({ update }) => update('orders', ORDER, { customer: { firstName: 'Eva' } }),
    reason: 'Shopify takes this value from the customer; leave it out.',
  },
  {
    plural: 'fulfillments',
    rejectedBy: 'more units than are left',
    field: 'lineItems[0].quantity',
    write: ({ create }) => create('fulfillments', { orderId: ORDER, lineItems: [OPEN_LINE] }),
    reason: 'At most 1 of this line can still be shipped.',
  },
  {
    plural: 'fulfillments',
    rejectedBy: 'an order that does not exist',
    field: 'orderId',
    write: ({ create }) =>
      create('fulfillments', { orderId: globalId('Order', 99), lineItems: [OPEN_LINE] }),
    reason: 'Shopify has no order with this id.',
  },
  {
    plural: 'customers',
    rejectedBy: 'customerDelete',
    reason: "Customer can't be found",
    write: ({ remove }) => remove('customers', globalId('Customer', 99)),
  },
  {
    plural: 'orders',
    rejectedBy: 'orderDelete',
    reason: 'NOT_FOUND: Order does not exist',
    write: ({ remove }) => remove('orders', globalId('Order', 99)),
  },
  {
    plural: 'products',
    rejectedBy: 'productDelete',
    reason: 'Product does not exist',
    write: ({ remove }) => remove('products', globalId('Product', 99)),
  },
  {
    plural: 'fulfillments',
    rejectedBy: 'fulfillmentCancel',
    write: ({ remove }) => remove('fulfillments', globalId('Fulfillment', 99)),
    reason: 'Fulfillment does not exist.',
  },
  {
    plural: 'fulfillments',
    rejectedBy: 'fulfillmentTrackingInfoUpdate',
    write: ({ update }) => update('fulfillments', globalId('Fulfillment', 99), { carrier: 'UPS' }),
    reason: 'Fulfillment does not exist.',
  },
]

/** Writes that the connector or the shop rejects. */
const refusals: readonly ShopifyCase[] = [
  ...refused.map(
    ({ plural, rejectedBy: by, write, field, reason }): ShopifyCase => ({
      name: `a refusal: ${by}`,
      run: async (harness) => {
        if (field !== undefined) await fill(harness)
        return harness.failureOf(plural, write(harness))
      },
      expected: { kind: field === undefined ? 'absent' : 'refused', field, reason },
    }),
  ),
  {
    name: 'a refusal: fulfillmentCreate',
    run: async ({ runWith: play, failureOf }) => {
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

export const writes: readonly ShopifyCase[] = [
  ...creates,
  ...updates,
  ...fulfillmentOrders,
  ...refusals,
]
