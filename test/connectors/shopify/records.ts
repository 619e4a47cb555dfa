/** The records of the cases: the input of a caller, and the record that the API then shows. */
import type { Traffic } from '../field-mutations.ts'
import { globalId, type Harness, referenceTo } from './harness.ts'

export interface ShopifyCase {
  readonly name: string
  run(harness: Harness, traffic: Traffic): Promise<unknown>
  readonly expected: unknown
}

const TIME = '2026-11-23T17:00:00.000Z'
export const times = { remoteCreatedAt: TIME, remoteUpdatedAt: TIME }
export const SINCE = '2026-11-23T16:00:00.000Z'

export const [CUSTOMER, ORDER, PRODUCT] = [
  globalId('Customer', 1),
  globalId('Order', 1),
  globalId('Product', 1),
]
export const [SMALL, LARGE] = [globalId('ProductVariant', 1), globalId('ProductVariant', 2)]
export const FULFILLMENT = globalId('Fulfillment', 1)

export const customer = {
  firstName: 'Ada',
  lastName: 'Kern',
  email: 'ada@x.example',
  phone: '+4940123456',
}
export const customerRest = { note: 'kind', tags: ['a', 'b'], locale: 'de', taxExempt: true }
export const shownCustomer = { remoteId: CUSTOMER, ...customer, ...times }

export const small = {
  price: '12.50',
  sku: 'L-S',
  optionValues: [{ name: 'Size', value: 'S' }],
  weight: { value: 1.5, unit: 'KILOGRAMS' },
}
export const large = { price: '15.00', sku: 'L-L', optionValues: [{ name: 'Size', value: 'L' }] }
export const product = {
  productName: 'Lamp',
  description: '<p>Bright</p>',
  productType: 'Lights',
  productStatus: 'ACTIVE',
  tags: ['home', 'led'],
  vendor: 'Kern',
}
export const IMAGE = 'https://x.example/lamp.png'
const images = { files: [{ originalSource: IMAGE, contentType: 'IMAGE' }] }
/** A variant as it is shown. Stock is tracked, and there is none. */
export const shownVariant = (remoteId: string, title: string, fields: object) => ({
  id: referenceTo('products.variants', remoteId),
  remoteId,
  title,
  inventory: { totalCount: 0 },
  weight: null,
  ...fields,
})
export const productUrl = 'https://acme.example/products/lamp'
export const shownProduct = {
  remoteId: PRODUCT,
  ...product,
  images: [IMAGE],
  productUrl,
  variants: [shownVariant(SMALL, 'S', small), shownVariant(LARGE, 'L', large)],
  ...times,
}

export const createProduct = (harness: Harness) =>
  harness.create('products', { ...product, variants: [small, large] }, images)

export const address = {
  address1: 'Kai 1',
  address2: 'Hof',
  city: 'Hamburg',
  countryCode: 'DE',
  postalCode: '20457',
  firstName: 'Ada',
  lastName: 'Kern',
  phone: '+49401',
  region: 'HH',
}
export const otherAddress = {
  ...address,
  address1: 'Ring 2',
  address2: 'Tor',
  city: 'Bremen',
  region: 'HB',
}

/** An order as the staff of the shop enters it: paid by a buyer in another currency, and shipped in part. */
const enterOrder = ({ shop }: Harness): void => {
  const money = (amount: string, presentmentAmount: string) => ({
    shopMoney: { amount, currencyCode: 'EUR' },
    presentmentMoney: { amount: presentmentAmount, currencyCode: 'USD' },
  })
  const { postalCode, region, ...rest } = address
  const { postalCode: _, region: otherRegion, ...otherRest } = otherAddress
  shop.createOrder({
    name: 'A-7',
    email: 'buyer@x.example',
    phone: '+49409',
    note: 'gift',
    poNumber: 'PO-1',
    tags: ['vip'],
    sourceName: 'web',
    test: true,
    currency: 'EUR',
    presentmentCurrency: 'USD',
    taxesIncluded: false,
    customerId: CUSTOMER,
    processedAt: '2026-11-22T10:00:00Z',
    billingAddress: { ...rest, company: 'Kern AG', provinceCode: region, zip: postalCode },
    shippingAddress: { ...otherRest, company: 'Ko', provinceCode: otherRegion, zip: postalCode },
    lineItems: [{ variantId: SMALL, quantity: 3, priceSet: money('10.10', '11.11') }],
    shippingLines: [{ title: 'Post', priceSet: money('4.90', '5.39') }],
    taxLines: [{ title: 'VAT', rate: '0.19', priceSet: money('5.76', '6.33') }],
    transactions: [{ amountSet: money('40.96', '45.05'), kind: 'SALE' }],
  })
}

export const shownLine = {
  productId: referenceTo('products', PRODUCT),
  variantId: referenceTo('products.variants', SMALL),
  title: 'Lamp - S',
  sku: 'L-S',
  quantity: 3,
}
export const shownOrder = {
  remoteId: ORDER,
  orderNumber: 'A-7',
  orderStatus: 'open',
  orderState: 'OPEN',
  fulfillmentStatus: 'PARTIALLY_FULFILLED',
  fulfillmentState: 'PARTIALLY_FULFILLED',
  paymentStatus: 'PAID',
  paymentState: 'PAID',
  currency: 'EUR',
  totalPrice: '40.96',
  totalDiscount: '0.0',
  totalShipping: '4.9',
  totalTax: '5.76',
  lineItems: [{ ...shownLine, price: '10.1', unitCost: null, currency: 'EUR' }],
  billingAddress: address,
  shippingAddress: otherAddress,
  customer: {
    customerId: referenceTo('customers', CUSTOMER),
    firstName: 'Ada',
    lastName: 'Kern',
    email: 'buyer@x.example',
    phone: '+49409',
  },
  ...times,
}
const shipped = {
  carrier: 'DHL',
  trackingNumbers: ['1', '2'],
  trackingUrls: ['https://t.example/1', 'https://t.example/2'],
}
export const shownFulfillment = {
  remoteId: FULFILLMENT,
  orderId: referenceTo('orders', ORDER),
  shipmentState: 'DELIVERED',
  ...shipped,
  lineItems: [{ ...shownLine, lineItemId: globalId('LineItem', 1), quantity: 2, price: '10.1' }],
  ...times,
}

/** A shop with one record of each resource. */
export const fill = async (harness: Harness): Promise<void> => {
  await harness.create('customers', customer, customerRest)
  await createProduct(harness)
  enterOrder(harness)
  const lineItems = [{ lineItemId: globalId('LineItem', 1), quantity: 2 }]
  await harness.create('fulfillments', { orderId: ORDER, ...shipped, lineItems })
}

const SOLD = { inventory: { totalCount: -3 } }
export const shownRows: Readonly<Record<string, object>> = {
  customers: shownCustomer,
  products: {
    ...shownProduct,
    variants: [shownVariant(SMALL, 'S', { ...small, ...SOLD }), shownVariant(LARGE, 'L', large)],
  },
  orders: shownOrder,
  fulfillments: shownFulfillment,
}

const presentmentMoneyOf = (name: string, amount: string) => ({
  [`${name}.presentmentMoney.amount`]: [amount],
  [`${name}.presentmentMoney.currencyCode`]: ['USD'],
  [`${name}.shopMoney.currencyCode`]: ['EUR'],
})

/** The remote fields of the same records. */
export const shownRests: Readonly<Record<string, object>> = {
  customers: {
    note: ['kind'],
    tags: ['a', 'b'],
    locale: ['de'],
    taxExempt: [true],
    state: ['DISABLED'],
  },
  products: {
    handle: ['lamp'],
    publishedAt: ['2026-11-23T17:00:00Z'],
    'variants.position': [1, 2],
    'variants.inventoryItem.id': [globalId('InventoryItem', 1), globalId('InventoryItem', 2)],
  },
  orders: {
    processedAt: ['2026-11-22T10:00:00Z'],
    cancelledAt: [],
    cancelReason: [],
    closedAt: [],
    test: [true],
    returnStatus: ['NO_RETURN'],
    sourceName: ['web'],
    poNumber: ['PO-1'],
    note: ['gift'],
    tags: ['vip'],
    presentmentCurrencyCode: ['USD'],
    taxesIncluded: [false],
    ...presentmentMoneyOf('totalPriceSet', '45.05'),
    ...presentmentMoneyOf('totalDiscountsSet', '0.0'),
    ...presentmentMoneyOf('totalShippingPriceSet', '5.39'),
    ...presentmentMoneyOf('totalTaxSet', '6.33'),
    'billingAddress.company': ['Kern AG'],
    'billingAddress.province': ['Hamburg'],
    'shippingAddress.company': ['Ko'],
    'shippingAddress.province': ['Bremen'],
    'lineItems.id': [globalId('LineItem', 1)],
    'lineItems.currentQuantity': [3],
    'lineItems.variantTitle': ['S'],
  },
  fulfillments: {
    name: ['A-7-F1'],
    status: ['SUCCESS'],
    deliveredAt: ['2026-11-25T09:00:00Z'],
    estimatedDeliveryAt: ['2026-11-24T09:00:00Z'],
    'fulfillmentLineItems.id': [globalId('FulfillmentLineItem', 1)],
  },
}
