/** Records for a shop that has existed for a while. They are stored without the checks of writes, which take longer. */
import type { Address, Entry, LineItem, Order, ProductVariant } from './records.ts'
import { type Shop, writeTime } from './shop.ts'

const addressOf = (index: number, shop: Shop): Address => ({
  id: shop.nextId('MailingAddress'),
  address1: `${index} Main Street`,
  city: 'Phoenix',
  countryCode: 'US',
  provinceCode: 'AZ',
  firstName: 'Amy',
  lastName: `Lee ${index}`,
  zip: '85001',
})

const emailOf = (index: number): string => `amy${index}@example.com`

const addCustomer = (index: number, shop: Shop): string =>
  shop.Customer.insert(shop.nextId('Customer'), {
    firstName: 'Amy',
    lastName: `Lee ${index}`,
    email: emailOf(index),
    phone: null,
    note: null,
    locale: 'en',
    tags: [],
    taxExempt: false,
    addresses: [addressOf(index, shop)],
  }).id

const addProduct = (index: number, shop: Shop): Entry<ProductVariant> => {
  const option = { id: shop.nextId('ProductOption'), name: 'Title' }
  const value = { id: shop.nextId('ProductOptionValue'), name: 'Default Title' }
  const { id: productId } = shop.Product.insert(shop.nextId('Product'), {
    title: `Shirt ${index}`,
    handle: `shirt-${index}`,
    descriptionHtml: '',
    vendor: 'Acme',
    productType: 'Shirts',
    templateSuffix: null,
    status: 'ACTIVE',
    tags: [],
    publishedAt: writeTime(shop.clock.nowMs()),
    options: [{ ...option, values: [value] }],
    images: [],
  })
  return shop.ProductVariant.insert(shop.nextId('ProductVariant'), {
    productId,
    inventoryItemId: shop.nextId('InventoryItem'),
    position: 1,
    optionValues: ['Default Title'],
    price: 10 + (index % 100) / 100,
    compareAtPrice: null,
    cost: null,
    sku: `SHIRT-${index}`,
    barcode: null,
    taxable: true,
    requiresShipping: true,
    tracked: true,
    inventoryPolicy: 'DENY',
    inventoryQuantity: 10,
    weight: null,
  })
}

const lineOf = (index: number, { id, value }: Entry<ProductVariant>, shop: Shop): LineItem => ({
  id: shop.nextId('LineItem'),
  title: `Shirt ${index}`,
  quantity: 1 + (index % 3),
  variantTitle: null,
  vendor: 'Acme',
  unitPrice: { shop: value.price, presentment: value.price },
  sku: value.sku,
  variantId: id,
  productId: value.productId,
  requiresShipping: true,
  taxable: true,
  taxLines: [],
})

const orderOf = (index: number, customerId: string, line: LineItem, shop: Shop): Order => {
  const number = 1000 + Number(shop.account.store.nextId('order number'))
  const { currencyCode } = shop.settings
  return {
    number,
    name: `#${number}`,
    confirmationNumber: `C${number}`,
    customerId,
    email: emailOf(index),
    phone: null,
    note: null,
    poNumber: null,
    tags: [],
    customAttributes: [],
    currencyCode,
    presentmentCurrencyCode: currencyCode,
    shippingAddress: addressOf(index, shop),
    billingAddress: null,
    lineItems: [line],
    shippingLines: [],
    taxLines: [],
    taxesIncluded: false,
    transactions: [],
    financialStatus: null,
    sourceName: 'web',
    sourceIdentifier: null,
    test: false,
    processedAt: writeTime(shop.clock.nowMs()),
    closedAt: null,
    cancelledAt: null,
    cancelReason: null,
    staffNote: null,
  }
}

/** The fulfillment order of an order, which is closed if the order is fulfilled. */
const addWork = (order: Entry<Order>, isFulfilled: boolean, shop: Shop): void => {
  const lines = order.value.lineItems.map(({ id: lineItemId, quantity }) => ({
    id: shop.nextId('FulfillmentOrderLineItem'),
    lineItemId,
    totalQuantity: quantity,
    remainingQuantity: isFulfilled ? 0 : quantity,
  }))
  const status = isFulfilled ? 'CLOSED' : 'OPEN'
  const work = { orderId: order.id, status, requestStatus: 'UNSUBMITTED', lines }
  const { id: fulfillmentOrderId } = shop.FulfillmentOrder.insert(
    shop.nextId('FulfillmentOrder'),
    work,
  )
  if (!isFulfilled) return
  shop.Fulfillment.insert(shop.nextId('Fulfillment'), {
    orderId: order.id,
    name: `${order.value.name}-F1`,
    status: 'SUCCESS',
    displayStatus: 'FULFILLED',
    trackingInfo: [],
    lines: lines.map(({ lineItemId, totalQuantity: quantity }) => ({
      id: shop.nextId('FulfillmentLineItem'),
      lineItemId,
      fulfillmentOrderId,
      quantity,
    })),
  })
}

/** Adds `count` customers, products and orders each, and fulfillments of every second order. */
export const addSampleRecords = (count: number, shop: Shop): void => {
  for (let at = 1; at <= count; at++) {
    const customerId = addCustomer(at, shop)
    const line = lineOf(at, addProduct(at, shop), shop)
    const order = shop.Order.insert(shop.nextId('Order'), orderOf(at, customerId, line, shop))
    addWork(order, at % 2 === 0, shop)
  }
}
