/** The Shopify simulator: its records behave as the vendor documents. */
import {
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from './shopify/schema.ts'
import { open } from './shopify-client.ts'

const ADDRESS = { address1: '1 Main Street', city: 'Berlin', countryCode: 'DE', zip: '10115' }
const money = (amount: string, currencyCode = 'USD') => ({ amount, currencyCode })
const line = { title: 'Shirt', quantity: 3, priceSet: { shopMoney: money('0.10') } }

describe('customers', () => {
  const CREATE = `mutation ($input: CustomerInput!) { customerCreate(input: $input) {
    customer { id legacyResourceId displayName createdAt updatedAt defaultEmailAddress { emailAddress }
      addressesV2(first: 5) { nodes { city country countryCodeV2 } } tags numberOfOrders amountSpent { amount } }
    userErrors { field message } } }`

  test('are created, updated with fields that null clears, and deleted', async () => {
    const { query, simulator } = open()
    const input = { firstName: 'Amy', lastName: 'Lee', email: 'Amy@Example.com' }
    const sent = { ...input, tags: ['vip', 'b,a'], addresses: [ADDRESS] }
    const { customer } = (await query(CREATE, { input: sent })).customerCreate
    expect(customer).toEqual({
      id: `gid://shopify/Customer/${customer.legacyResourceId}`,
      legacyResourceId: expect.stringMatching(/^\d{13}$/),
      displayName: 'Amy Lee',
      createdAt: '2026-11-23T20:00:00Z',
      updatedAt: '2026-11-23T20:00:00Z',
      defaultEmailAddress: { emailAddress: 'amy@example.com' },
      addressesV2: { nodes: [{ city: 'Berlin', country: 'Germany', countryCodeV2: 'DE' }] },
      tags: ['a', 'b', 'vip'],
      numberOfOrders: '0',
      amountSpent: { amount: '0.0' },
    })
    simulator.clock.advance(1000)
    const update = `mutation ($id: ID!) { customerUpdate(input: { id: $id, lastName: null, note: "x" }) {
      customer { firstName lastName note updatedAt } userErrors { message } } }`
    expect((await query(update, { id: customer.id })).customerUpdate).toEqual({
      customer: {
        firstName: 'Amy',
        lastName: null,
        note: 'x',
        updatedAt: '2026-11-23T20:00:01Z',
      },
      userErrors: [],
    })
    const remove = `mutation ($id: ID!) { customerDelete(input: { id: $id }) { deletedCustomerId
      shop { name } userErrors { field message } } }`
    expect((await query(remove, { id: customer.id })).customerDelete).toEqual({
      deletedCustomerId: customer.id,
      shop: { name: 'Acme' },
      userErrors: [],
    })
    const read = 'query ($id: ID!) { customer(id: $id) { id } }'
    expect(await query(read, { id: customer.id })).toEqual({ customer: null })
    const { userErrors } = (await query(remove, { id: customer.id })).customerDelete
    expect(userErrors).toEqual([{ field: ['id'], message: "Customer can't be found" }])
    simulator.assertSound()
  })

  test.each<[string, object, string[] | null]>([
    ['without a name or contact', { note: 'x' }, null],
    ['with an email that is not one', { email: 'amy' }, ['email']],
    ['with the email of another', { email: 'taken@example.com' }, ['email']],
    ['with a phone number that is not one', { phone: '12' }, ['phone']],
    ['with an id', { id: 'gid://shopify/Customer/1', firstName: 'A' }, ['id']],
  ])('%s are rejected with a user error', async (_what, input, field) => {
    const { query, shop } = open()
    shop.createCustomer({ email: 'taken@example.com' })
    const { customer, userErrors } = (await query(CREATE, { input })).customerCreate
    expect([customer, userErrors.length, userErrors[0].field]).toEqual([null, 1, field])
  })

  test('with orders cannot be deleted', () => {
    const { shop } = open()
    const customerId = shop.createCustomer({ firstName: 'Amy' })
    const order = shop.createOrder({ customerId, lineItems: [line] })
    expect(() => shop.deleteCustomer(customerId)).toThrow('associated orders')
    shop.deleteOrder(order)
    shop.deleteCustomer(customerId)
  })
})

describe('products', () => {
  const PRODUCT = `id title handle status vendor tags totalInventory options { name values }
    priceRangeV2 { minVariantPrice { amount } maxVariantPrice { amount } }
    variants(first: 10) { nodes { id title price compareAtPrice sku inventoryQuantity position
      selectedOptions { name value } inventoryItem { tracked unitCost { amount } } } }`
  const SET = `mutation ($input: ProductSetInput!, $identifier: ProductSetIdentifiers) {
    productSet(input: $input, identifier: $identifier, synchronous: true) { product { ${PRODUCT} }
    userErrors { field message code } } }`
  const variant = (name: string, price: string, quantity = 0) => ({
    optionValues: [{ optionName: 'Size', name }],
    price,
    inventoryItem: { sku: `S-${name}`, cost: '4.5' },
    inventoryQuantities: [
      { locationId: 'gid://shopify/Location/5400000000001', name: 'available', quantity },
    ],
  })
  const input = {
    title: 'Big Shirt',
    vendor: 'Acme',
    tags: ['new'],
    productOptions: [{ name: 'Size', values: [{ name: 'S' }, { name: 'L' }] }],
    variants: [variant('S', '9.9', 3), variant('L', '12', 4)],
  }

  test('are set with their variants; variants that are not sent are deleted', async () => {
    const { query } = open()
    const { product, userErrors } = (await query(SET, { input })).productSet
    expect(userErrors).toEqual([])
    expect(product).toMatchObject({
      handle: 'big-shirt',
      status: 'ACTIVE',
      totalInventory: 7,
      options: [{ name: 'Size', values: ['S', 'L'] }],
      priceRangeV2: { minVariantPrice: { amount: '9.9' }, maxVariantPrice: { amount: '12.0' } },
    })
    expect(product.variants.nodes[0]).toMatchObject({
      title: 'S',
      price: '9.90',
      compareAtPrice: null,
      sku: 'S-S',
      inventoryQuantity: 3,
      position: 1,
      selectedOptions: [{ name: 'Size', value: 'S' }],
      inventoryItem: { tracked: true, unitCost: { amount: '4.5' } },
    })
    const kept = product.variants.nodes[1].id
    const variants = [{ ...variant('L', '13'), id: kept }]
    const again = await query(SET, {
      input: { title: 'Shirt', productOptions: input.productOptions, variants },
      identifier: { id: product.id },
    })
    expect(again.productSet.userErrors).toEqual([])
    expect(again.productSet.product).toMatchObject({ title: 'Shirt', handle: 'big-shirt' })
    expect(again.productSet.product.variants.nodes).toHaveLength(1)
    expect(again.productSet.product.variants.nodes[0]).toMatchObject({ id: kept, price: '13.00' })
  })

  test('are created with one variant, which variants in bulk replace', async () => {
    const { query } = open()
    const create = `mutation { productCreate(product: { title: "Shirt" }) { product { ${PRODUCT} hasOnlyDefaultVariant }
      userErrors { field message } } }`
    const { product } = (await query(create)).productCreate
    expect(product.hasOnlyDefaultVariant).toBe(true)
    expect(product.variants.nodes).toMatchObject([{ title: 'Default Title', price: '0.00' }])
    const bulkMutation = (name: string, type: string) =>
      `mutation ($productId: ID!, $variants: [ProductVariantsBulkInput!]!) { ${name}(productId: $productId, variants: $variants) {
      productVariants { id price title } userErrors { field message code } } } # ${type}`
    const variants = [{ price: '5', optionValues: [{ optionName: 'Title', name: 'Red' }] }]
    const productId = product.id
    const created = await query(bulkMutation('productVariantsBulkCreate', ''), {
      productId,
      variants,
    })
    const [red] = created.productVariantsBulkCreate.productVariants
    expect(red).toMatchObject({ price: '5.00', title: 'Red' })
    const update = { productId, variants: [{ id: red.id, price: '6' }] }
    const updated = await query(bulkMutation('productVariantsBulkUpdate', ''), update)
    expect(updated.productVariantsBulkUpdate.productVariants).toMatchObject([{ price: '6.00' }])
    const remove = `mutation ($productId: ID!, $ids: [ID!]!) { productVariantsBulkDelete(productId: $productId,
      variantsIds: $ids) { product { id } userErrors { code } } }`
    const last = await query(remove, { productId, ids: [red.id] })
    expect(last.productVariantsBulkDelete).toEqual({
      product: null,
      userErrors: [{ code: 'CANNOT_DELETE_LAST_VARIANT' }],
    })
  })

  test.each<[string, object, string, string[]]>([
    ['a blank title', { title: ' ' }, 'INVALID_INPUT', ['input', 'title']],
    [
      'options without variants',
      { ...input, variants: null },
      'VARIANTS_INPUT_MISSING',
      ['input', 'variants'],
    ],
    [
      'a negative price',
      { ...input, variants: [variant('S', '-1')] },
      'INVALID_VARIANT',
      ['input', 'variants', '0', 'price'],
    ],
    [
      'two variants alike',
      { ...input, variants: [variant('S', '1'), variant('S', '2')] },
      'INVALID_VARIANT',
      ['input', 'variants', '1'],
    ],
  ])('with %s have a user error and no effect', async (_what, sent, code, field) => {
    const { query } = open()
    const { product, userErrors } = (await query(SET, { input: sent })).productSet
    expect([product, userErrors[0].code, userErrors[0].field]).toEqual([null, code, field])
    expect(await query('{ productsCount { count precision } }')).toEqual({
      productsCount: { count: 0, precision: 'EXACT' },
    })
  })

  test('that are deleted leave an event', async () => {
    const { query, shop } = open()
    const id = shop.createProduct({ title: 'Shirt' })
    shop.deleteProduct(id)
    const { deletionEvents, events } =
      await query(`{ deletionEvents(first: 5, subjectTypes: [PRODUCT],
      query: "occurred_at:>='2026-11-23T20:00:00Z'") { nodes { occurredAt subjectId subjectType } }
      events(first: 5, query: "action:destroy") { nodes { action ... on BasicEvent { subjectType subjectId } } } }`)
    expect(deletionEvents.nodes).toEqual([
      { occurredAt: '2026-11-23T20:00:00Z', subjectId: id, subjectType: 'PRODUCT' },
    ])
    expect(events.nodes.map(({ subjectType }: { subjectType: string }) => subjectType)).toEqual([
      'PRODUCT_VARIANT',
      'PRODUCT',
    ])
  })
})

const ORDER = `id name displayFinancialStatus displayFulfillmentStatus cancelledAt closed updatedAt
  totalPriceSet { shopMoney { amount currencyCode } presentmentMoney { amount currencyCode } }
  totalTaxSet { shopMoney { amount } } totalOutstandingSet { shopMoney { amount } }
  currentTotalPriceSet { shopMoney { amount } } totalRefundedSet { shopMoney { amount } }
  lineItems(first: 5) { nodes { id title quantity unfulfilledQuantity variant { id } } }
  fulfillmentOrders(first: 5) { nodes { id status lineItems(first: 5) { nodes { id remainingQuantity } } } }
  fulfillments { id status displayStatus trackingInfo { company number url } totalQuantity }`
const READ_ORDER = `query ($id: ID!) { order(id: $id) { ${ORDER} } }`
const CREATE_ORDER = `mutation ($order: OrderCreateOrderInput!) { orderCreate(order: $order) { order { ${ORDER} }
  userErrors { field message code } } }`

describe('orders', () => {
  test('have exact totals in two currencies, and statuses that follow from transactions', async () => {
    const { query } = open()
    const moneyInBothCurrencies = (shop: string, buyer: string) => ({
      shopMoney: money(shop),
      presentmentMoney: money(buyer, 'EUR'),
    })
    const order = {
      currency: 'USD',
      presentmentCurrency: 'EUR',
      lineItems: [{ title: 'Shirt', quantity: 3, priceSet: moneyInBothCurrencies('0.10', '0.09') }],
      shippingLines: [{ title: 'Post', priceSet: moneyInBothCurrencies('5.00', '4.60') }],
      taxLines: [{ title: 'VAT', rate: '0.19', priceSet: moneyInBothCurrencies('0.06', '0.05') }],
      transactions: [{ amountSet: moneyInBothCurrencies('2.00', '1.80'), gateway: 'manual' }],
    }
    const { order: created, userErrors } = (await query(CREATE_ORDER, { order })).orderCreate
    expect(userErrors).toEqual([])
    expect(created).toMatchObject({
      name: '#1001',
      displayFinancialStatus: 'PARTIALLY_PAID',
      displayFulfillmentStatus: 'UNFULFILLED',
      totalPriceSet: {
        shopMoney: { amount: '5.36', currencyCode: 'USD' },
        presentmentMoney: { amount: '4.92', currencyCode: 'EUR' },
      },
      totalTaxSet: { shopMoney: { amount: '0.06' } },
      totalOutstandingSet: { shopMoney: { amount: '3.36' } },
      fulfillmentOrders: { nodes: [{ status: 'OPEN' }] },
      fulfillments: [],
    })
  })

  test('are updated, closed, opened and deleted', async () => {
    const { query, shop } = open()
    const id = shop.createOrder({ lineItems: [line] })
    const update = `mutation ($id: ID!) { orderUpdate(input: { id: $id, note: "x", tags: ["b", "a"], poNumber: "7" }) {
      order { note tags poNumber } userErrors { field } } }`
    expect((await query(update, { id })).orderUpdate.order).toEqual({
      note: 'x',
      tags: ['a', 'b'],
      poNumber: '7',
    })
    const close = 'mutation ($id: ID!) { orderClose(input: { id: $id }) { order { closed } } }'
    expect((await query(close, { id })).orderClose.order.closed).toBe(true)
    const reopen = 'mutation ($id: ID!) { orderOpen(input: { id: $id }) { order { closed } } }'
    expect((await query(reopen, { id })).orderOpen.order.closed).toBe(false)
    const remove =
      'mutation ($id: ID!) { orderDelete(orderId: $id) { deletedId userErrors { code } } }'
    expect((await query(remove, { id })).orderDelete.deletedId).toBe(id)
    expect((await query(remove, { id })).orderDelete.userErrors).toEqual([{ code: 'NOT_FOUND' }])
  })

  test('are cancelled by a job, which refunds and restocks', async () => {
    const { query, shop, simulator } = open()
    const productId = shop.createProduct({ title: 'Shirt' })
    const { product } = await query(
      `{ product(id: "${productId}") { variants(first: 1) { nodes { id } } } }`,
    )
    const variantId = product.variants.nodes[0].id
    const id = shop.createOrder({
      lineItems: [{ variantId, quantity: 2, priceSet: { shopMoney: money('4') } }],
      transactions: [{ amountSet: { shopMoney: money('8') } }],
    })
    const stock = `{ productVariant(id: "${variantId}") { inventoryQuantity } }`
    expect((await query(stock)).productVariant.inventoryQuantity).toBe(-2)
    const cancel = `mutation ($id: ID!) { orderCancel(orderId: $id, reason: CUSTOMER, restock: true,
      refundMethod: { originalPaymentMethodsRefund: true }) { job { id done }
      orderCancelUserErrors { field message code } } }`
    const { job } = (await query(cancel, { id })).orderCancel
    expect(job.done).toBe(false)
    expect((await query(READ_ORDER, { id })).order.cancelledAt).toBeNull()
    simulator.clock.advance(1000)
    expect(await query('query ($id: ID!) { job(id: $id) { done } }', { id: job.id })).toEqual({
      job: { done: true },
    })
    expect((await query(READ_ORDER, { id })).order).toMatchObject({
      cancelledAt: '2026-11-23T20:00:01Z',
      closed: true,
      displayFinancialStatus: 'REFUNDED',
      totalPriceSet: { shopMoney: { amount: '8.0' } },
      currentTotalPriceSet: { shopMoney: { amount: '0.0' } },
      totalRefundedSet: { shopMoney: { amount: '8.0' } },
      fulfillmentOrders: { nodes: [{ status: 'CANCELLED' }] },
    })
    expect((await query(stock)).productVariant.inventoryQuantity).toBe(0)
    const again = (await query(cancel, { id })).orderCancel
    expect(again).toMatchObject({ job: null, orderCancelUserErrors: [{ code: 'INVALID' }] })
  })
})

describe('fulfillments', () => {
  const FULFILL = `mutation ($fulfillment: FulfillmentInput!) { fulfillmentCreate(fulfillment: $fulfillment) {
    fulfillment { id name status } userErrors { field message } } }`
  const fulfillmentOrderId = (
    order: { fulfillmentOrders: { nodes: { id: string }[] } },
    index = 0,
  ) => order.fulfillmentOrders.nodes[index]?.id
  const FIELD = ['fulfillment', 'lineItemsByFulfillmentOrder', '0']

  test('take quantities of a fulfillment order, and a cancellation gives them back', async () => {
    const { query, shop, simulator } = open()
    const id = shop.createOrder({ lineItems: [line] })
    const { order } = await query(READ_ORDER, { id })
    const [workLine] = order.fulfillmentOrders.nodes[0].lineItems.nodes
    const partialFulfillment = (quantity: number) => [
      {
        fulfillmentOrderId: fulfillmentOrderId(order),
        fulfillmentOrderLineItems: [{ id: workLine.id, quantity }],
      },
    ]
    simulator.clock.advance(5000)
    const trackingInfo = { company: 'UPS', number: '1Z', url: 'https://example.com/1Z' }
    const first = await query(FULFILL, {
      fulfillment: { lineItemsByFulfillmentOrder: partialFulfillment(2), trackingInfo },
    })
    expect(first.fulfillmentCreate).toMatchObject({
      fulfillment: { name: '#1001-F1', status: 'SUCCESS' },
      userErrors: [],
    })
    expect((await query(READ_ORDER, { id })).order).toMatchObject({
      displayFulfillmentStatus: 'PARTIALLY_FULFILLED',
      updatedAt: '2026-11-23T20:00:05Z',
      lineItems: { nodes: [{ unfulfilledQuantity: 1 }] },
      fulfillments: [{ trackingInfo: [trackingInfo], totalQuantity: 2 }],
      fulfillmentOrders: { nodes: [{ status: 'IN_PROGRESS' }] },
    })
    const tooMany = await query(FULFILL, {
      fulfillment: { lineItemsByFulfillmentOrder: partialFulfillment(2) },
    })
    expect(tooMany.fulfillmentCreate.userErrors).toEqual([
      {
        field: [...FIELD, 'fulfillmentOrderLineItems'],
        message: 'Invalid fulfillment order line item quantity requested.',
      },
    ])
    shop.fulfill(id)
    const all = (await query(READ_ORDER, { id })).order
    expect(all.displayFulfillmentStatus).toBe('FULFILLED')
    const cancel = `mutation ($id: ID!) { fulfillmentCancel(id: $id) { fulfillment { status displayStatus }
      userErrors { message } } }`
    const cancelled = await query(cancel, { id: all.fulfillments[0].id })
    expect(cancelled.fulfillmentCancel.fulfillment).toEqual({
      status: 'CANCELLED',
      displayStatus: 'CANCELED',
    })
    const after = (await query(READ_ORDER, { id })).order
    expect(after.displayFulfillmentStatus).toBe('PARTIALLY_FULFILLED')
    expect(after.fulfillmentOrders.nodes.map(({ status }: { status: string }) => status)).toEqual([
      'CLOSED',
      'OPEN',
    ])
    simulator.assertSound()
  })

  test('change their tracking, and are found by their own time', async () => {
    const { query, shop, simulator } = open()
    const id = shop.createOrder({ lineItems: [line] })
    const fulfillmentId = shop.fulfill(id, { company: 'UPS', number: '1' })
    simulator.clock.advance(60_000)
    const update = `mutation ($id: ID!) { fulfillmentTrackingInfoUpdate(fulfillmentId: $id,
      trackingInfoInput: { company: "DHL", numbers: ["2", "3"] }) { fulfillment { trackingInfo { company number } }
      userErrors { message } } }`
    const { fulfillment } = (await query(update, { id: fulfillmentId }))
      .fulfillmentTrackingInfoUpdate
    expect(fulfillment.trackingInfo).toEqual([
      { company: 'DHL', number: '2' },
      { company: 'DHL', number: '3' },
    ])
    const since = `query ($id: ID!, $query: String) { order(id: $id) { fulfillments(query: $query) { id } } }`
    const findFulfillments = async (text: string) =>
      (await query(since, { id, query: text })).order.fulfillments.length
    expect(await findFulfillments("updated_at:>='2026-11-23T20:01:00Z'")).toBe(1)
    expect(await findFulfillments("updated_at:>'2026-11-23T20:01:00Z'")).toBe(0)
  })
})

/** Types whose records are selected by themselves. */
const RECORDS = [
  'Customer',
  'Product',
  'ProductVariant',
  'Order',
  'FulfillmentOrder',
  'Fulfillment',
  'BasicEvent',
  'WebhookSubscription',
  'BulkOperation',
  'Shop',
]

/** Every field of a type; of a record within it, only the id. */
const selectAll = (type: GraphQLObjectType): string =>
  Object.values(type.getFields())
    .map((field) => {
      const inner = getNamedType(field.type)
      const isConnection = inner.name.endsWith('Connection')
      const args = isConnection ? '(first: 2)' : ''
      if (isLeafType(inner)) return `${type.name}_${field.name}: ${field.name}`
      if (RECORDS.includes(inner.name) || isInterfaceType(inner))
        return `${type.name}_${field.name}: ${field.name} { id }`
      if (isUnionType(inner))
        return `${type.name}_${field.name}: ${field.name} { ${inner
          .getTypes()
          .map((part) => `... on ${part.name} { ${selectAll(part)} }`)
          .join(' ')} }`
      return isObjectType(inner)
        ? `${type.name}_${field.name}: ${field.name}${args} { ${selectAll(inner)} }`
        : ''
    })
    .join('\n')

test('every served field of every record has a value that fits the contract', async () => {
  const { query, shop, simulator } = open()
  const customerId = shop.createCustomer({
    firstName: 'Amy',
    email: 'amy@example.com',
    phone: '+14155550100',
    addresses: [ADDRESS],
  })
  const productId = shop.createProduct({ title: 'Shirt' })
  const { product } = await query(
    `{ product(id: "${productId}") { variants(first: 1) { nodes { id } } } }`,
  )
  const variantId = product.variants.nodes[0].id
  const tax = [{ title: 'VAT', rate: '0.1', priceSet: { shopMoney: money('1') } }]
  const orderId = shop.createOrder({
    customerId,
    lineItems: [{ variantId, quantity: 1, taxLines: tax }],
    shippingLines: [{ title: 'Post', priceSet: { shopMoney: money('5') }, taxLines: tax }],
    transactions: [{ amountSet: { shopMoney: money('5') } }],
    shippingAddress: ADDRESS,
    billingAddress: ADDRESS,
  })
  const fulfillmentId = shop.fulfill(orderId, { company: 'UPS', number: '1' })
  shop.deleteProduct(shop.createProduct({ title: 'Gone' }))
  const created = await query(`mutation {
    webhookSubscriptionCreate(topic: ORDERS_CREATE, webhookSubscription: { uri: "https://us.example/hook" }) {
      webhookSubscription { id } }
    bulkOperationRunQuery(query: "{ orders { edges { node { id } } } }") { bulkOperation { id } } }`)
  simulator.clock.advance(1000)
  const { order, events } =
    await query(`{ order(id: "${orderId}") { fulfillmentOrders(first: 1) { nodes { id } } }
    events(first: 1) { nodes { id } } }`)
  const ids = {
    Customer: customerId,
    Product: productId,
    ProductVariant: variantId,
    Order: orderId,
    FulfillmentOrder: order.fulfillmentOrders.nodes[0].id,
    Fulfillment: fulfillmentId,
    BasicEvent: events.nodes[0].id,
    WebhookSubscription: created.webhookSubscriptionCreate.webhookSubscription.id,
    BulkOperation: created.bulkOperationRunQuery.bulkOperation.id,
  }
  for (const [name, id] of Object.entries(ids)) {
    const type = schema.getType(name)
    if (!isObjectType(type)) throw new Error(`${name} is not an object type`)
    const { node } = await query(`{ node(id: "${id}") { ... on ${name} { ${selectAll(type)} } } }`)
    expect(node?.[`${name}_id`]).toBe(id)
  }
  const shopType = schema.getType('Shop')
  if (!isObjectType(shopType)) throw new Error('Shop is not an object type')
  const { shop: own } = await query(`{ shop { ${selectAll(shopType)} }
    locations(first: 1) { nodes { ${selectAll(Object(schema.getType('Location')))} } }
    currentAppInstallation { id accessScopes { handle description } } }`)
  expect(own).toMatchObject({ Shop_currencyCode: 'USD', Shop_timezoneOffset: '-0700' })
  simulator.assertSound()
})
