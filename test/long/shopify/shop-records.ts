/** The records of the shop before it is connected: samples, and records with every field and with rare values. */
import type { ShopControls } from '../../simulators/shopify/start.ts'
import type { Loose, SendToShop } from './harness.ts'

const money = (amount: string, currencyCode = 'USD') => ({ amount, currencyCode })

/** A price in the currency of the shop. */
export const price = (amount: string) => ({ shopMoney: money(amount) })

const SIZES = Array.from({ length: 13 }, (_, index) => `Size ${index + 1}`)

const SET_PRODUCT = `mutation ($input: ProductSetInput!) { productSet(input: $input) {
  product { id variants(first: 20) { nodes { id } } } userErrors { field message } } }`

/** Creates a draft with more variants than a page of them, weights and an image. */
const createLamp = async (send: SendToShop): Promise<Loose> => {
  const input = {
    title: 'Lamp',
    status: 'DRAFT',
    descriptionHtml: '<p>Bright</p>',
    vendor: 'Lux',
    productType: 'Lamps',
    tags: ['new', 'sale'],
    files: [{ originalSource: 'https://cdn.example/lamp.png', contentType: 'IMAGE' }],
    productOptions: [{ name: 'Size', values: SIZES.map((name) => ({ name })) }],
    variants: SIZES.map((name, index) => ({
      optionValues: [{ optionName: 'Size', name }],
      price: `${index}.10`,
      inventoryItem: {
        sku: `LAMP-${index}`,
        tracked: index > 0,
        measurement: { weight: { value: 1.5, unit: 'KILOGRAMS' } },
      },
    })),
  }
  return (await send(SET_PRODUCT, { input })).productSet.product
}

const ADDRESS = {
  address1: 'Kai 1',
  address2: 'Hof',
  city: 'Berlin',
  countryCode: 'DE',
  zip: '10115',
  firstName: 'Zoë',
  lastName: 'Kern',
  phone: '+4930123456',
}

/** Creates an order of twelve lines by a buyer who pays in euros, with tax, shipping and both addresses. */
const createLongOrder = (shop: ShopControls, customerId: string, variantId: string): string => {
  const moneyInBothCurrencies = (amount: string, euros: string) => ({
    shopMoney: money(amount),
    presentmentMoney: money(euros, 'EUR'),
  })
  return shop.createOrder({
    customerId,
    presentmentCurrency: 'EUR',
    email: 'zoe@example.com',
    phone: '+4930123456',
    shippingAddress: ADDRESS,
    billingAddress: { ...ADDRESS, city: 'Hamburg' },
    lineItems: [
      { variantId, quantity: 2, priceSet: moneyInBothCurrencies('19.99', '17.49') },
      ...Array.from({ length: 11 }, (_, index) => ({
        title: `Nail ${index}`,
        quantity: 3,
        priceSet: moneyInBothCurrencies('0.10', '0.09'),
      })),
    ],
    shippingLines: [{ title: 'Post', priceSet: moneyInBothCurrencies('4.95', '4.35') }],
    taxLines: [{ title: 'VAT', rate: '0.19', priceSet: moneyInBothCurrencies('8.22', '7.23') }],
  })
}

/** The ids of the records that tests name. */
export interface ShopRecords {
  readonly lamp: string
  readonly longOrder: string
  /** The customer who placed the long order. */
  readonly customer: string
}

/** Fills an empty shop. */
export const fillShop = async (
  shop: ShopControls,
  send: SendToShop,
  clock: { advance(ms: number): void },
): Promise<ShopRecords> => {
  shop.addSamples(5)
  const customer = shop.createCustomer({
    firstName: 'Zoë',
    lastName: 'Kern',
    phone: '+4930123456',
  })
  shop.createCustomer({ email: 'nameless@example.com' })
  const lamp = await createLamp(send)
  const longOrder = createLongOrder(shop, customer, lamp.variants.nodes[1].id)
  const lineItems = [{ title: 'Nail', quantity: 1, priceSet: price('0.10') }]
  shop.createOrder({ lineItems, closedAt: '2026-11-01T00:00:00Z', currency: 'USD' })
  const cancelled = shop.createOrder({ lineItems })
  shop.cancelOrder({ orderId: cancelled, reason: 'CUSTOMER', restock: true })
  // Jobs of the shop take a second.
  clock.advance(2000)
  const shipped = shop.createOrder({ lineItems })
  shop.cancelFulfillment(shop.fulfill(shipped, { company: 'DHL', number: '1' }))
  return { lamp: lamp.id, longOrder, customer }
}
