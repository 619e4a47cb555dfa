/** The records that the API must show for a shop, computed from Medusa's own Admin API. */
import { recordId } from '../../../src/definition/identity.ts'
import type { Medusa } from '../../apps/medusa/start.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests know the fields of the responses
export type Loose = any

const toUpperCase = (text: string | null | undefined): string | null => text?.toUpperCase() ?? null

const isEmpty = (object: object): boolean => Object.keys(object).length === 0

const ORDER_FIELDS = [
  'id',
  'display_id',
  'status',
  'email',
  'customer_id',
  'currency_code',
  'created_at',
  'updated_at',
  'total',
  'discount_total',
  'shipping_total',
  'tax_total',
  '*items',
  '*shipping_address',
  '*billing_address',
  '*customer',
  '*fulfillments',
  '*fulfillments.items',
  '*fulfillments.labels',
].join(',')

const PRODUCT_FIELDS = [
  '+type.value',
  '*variants.options.option',
  '+variants.inventory_items.required_quantity',
  '*variants.inventory_items.inventory.location_levels',
].join(',')

const ORDER_STATES: Readonly<Record<string, string>> = {
  pending: 'OPEN',
  completed: 'COMPLETED',
  canceled: 'CANCELLED',
}
const FULFILLMENT_STATES: Readonly<Record<string, string>> = {
  not_fulfilled: 'UNFULFILLED',
  partially_fulfilled: 'PARTIALLY_FULFILLED',
  partially_shipped: 'PARTIALLY_FULFILLED',
  fulfilled: 'FULFILLED',
  shipped: 'FULFILLED',
  canceled: 'UNFULFILLED',
}
const PAYMENT_STATES: Readonly<Record<string, string>> = {
  not_paid: 'UNPAID',
  authorized: 'AUTHORIZED',
  captured: 'PAID',
  partially_refunded: 'PARTIALLY_REFUNDED',
  refunded: 'REFUNDED',
  canceled: 'VOID',
}

const expectedAddress = (remote: Loose) =>
  remote && {
    address1: remote.address_1,
    address2: remote.address_2,
    city: remote.city,
    countryCode: toUpperCase(remote.country_code),
    firstName: remote.first_name,
    lastName: remote.last_name,
    phone: remote.phone,
    region: remote.province,
    postalCode: remote.postal_code,
  }

/**
 * Returns a function that reads all records of the shop, by plural, in the unified form. Only customers have
 * `remoteUpdatedAt`: the others show the time of their latest part.
 */
export const expectedRecordsOf = (
  medusa: Medusa,
  credentialId: string,
): (() => Promise<Readonly<Record<string, readonly Loose[]>>>) => {
  const idOf = (topic: string, remoteId: string | null): string | null =>
    remoteId === null ? null : recordId(credentialId, `commerce/${topic}`, remoteId)

  const commonFields = (topic: string, remote: Loose) => ({
    id: idOf(topic, remote.id),
    remoteId: remote.id,
    remoteCreatedAt: remote.created_at,
    remoteDeleted: false,
  })

  const expectedCustomer = (remote: Loose) => ({
    ...commonFields('customers', remote),
    firstName: remote.first_name,
    lastName: remote.last_name,
    email: remote.email,
    phone: remote.phone,
    remoteUpdatedAt: remote.updated_at,
  })

  const expectedOrder = (remote: Loose) => ({
    ...commonFields('orders', remote),
    orderNumber: String(remote.display_id),
    orderStatus: remote.status,
    orderState: ORDER_STATES[remote.status],
    fulfillmentStatus: remote.fulfillment_status,
    fulfillmentState: FULFILLMENT_STATES[remote.fulfillment_status],
    paymentStatus: remote.payment_status,
    paymentState: PAYMENT_STATES[remote.payment_status],
    currency: toUpperCase(remote.currency_code),
    totalPrice: String(remote.total),
    totalDiscount: String(remote.discount_total),
    totalShipping: String(remote.shipping_total),
    totalTax: String(remote.tax_total),
    lineItems: remote.items
      .toSorted((a: Loose, b: Loose) => (a.id < b.id ? -1 : 1))
      .map((item: Loose) => ({
        productId: idOf('products', item.product_id),
        variantId: idOf('products.variants', item.variant_id),
        title: item.title,
        price: String(item.unit_price),
        unitCost: null,
        currency: toUpperCase(remote.currency_code),
        sku: item.variant_sku,
        quantity: item.quantity,
      })),
    billingAddress: expectedAddress(remote.billing_address),
    shippingAddress: expectedAddress(remote.shipping_address),
    customer: {
      customerId: idOf('customers', remote.customer_id),
      firstName: remote.customer?.first_name ?? null,
      lastName: remote.customer?.last_name ?? null,
      email: remote.email,
      phone: remote.customer?.phone ?? null,
    },
  })

  const expectedFulfillment = (order: Loose, remote: Loose) => ({
    ...commonFields('fulfillments', remote),
    orderId: idOf('orders', order.id),
    shipmentState: remote.canceled_at ? 'CANCELLED' : remote.shipped_at ? 'SHIPPED' : 'PENDING',
    carrier: remote.provider_id,
    service: null,
    trackingNumbers: remote.labels.map((label: Loose) => label.tracking_number),
    trackingUrls: remote.labels
      .map((label: Loose) => label.tracking_url)
      .filter((url: string) => url !== '#'),
    lineItems: remote.items
      .toSorted((a: Loose, b: Loose) => (a.id < b.id ? -1 : 1))
      .map((item: Loose) => {
        const line = order.items.find(({ id }: Loose) => id === item.line_item_id)
        return {
          lineItemId: item.line_item_id,
          productId: idOf('products', line.product_id),
          variantId: idOf('products.variants', line.variant_id),
          title: item.title,
          sku: item.sku,
          price: String(line.unit_price),
          quantity: item.quantity,
        }
      }),
  })

  const expectedProduct = (remote: Loose) => ({
    ...commonFields('products', remote),
    productName: remote.title,
    description: remote.description,
    productType: remote.type?.value ?? null,
    productStatus: remote.status,
    images: remote.images
      .toSorted((a: Loose, b: Loose) => a.rank - b.rank)
      .map(({ url }: Loose) => url),
    tags: remote.tags.map(({ value }: Loose) => value),
    vendor: null,
    productUrl: null,
    variants: remote.variants
      .toSorted((a: Loose, b: Loose) => a.variant_rank - b.variant_rank || (a.id < b.id ? -1 : 1))
      .map((variant: Loose) => ({
        id: idOf('products.variants', variant.id),
        remoteId: variant.id,
        title: variant.title,
        price: String(
          variant.prices.find(
            ({ currency_code: code, rules }: Loose) => code === 'eur' && isEmpty(rules),
          ).amount,
        ),
        sku: variant.sku,
        optionValues: variant.options.map(({ value, option }: Loose) => ({
          name: option.title,
          value,
        })),
        inventory: variant.inventory_items.length
          ? {
              totalCount: variant.inventory_items[0].inventory.location_levels.reduce(
                (sum: number, level: Loose) => sum + level.stocked_quantity,
                0,
              ),
            }
          : null,
        weight: variant.weight === null ? null : { value: variant.weight, unit: null },
      })),
  })

  return async (): Promise<Readonly<Record<string, readonly Loose[]>>> => {
    const { customers } = await medusa.admin('GET', 'customers?limit=100')
    const { products: productIds } = await medusa.admin('GET', 'products?limit=100&fields=id')
    const products = await Promise.all(
      productIds.map(
        async ({ id }: Loose) =>
          (await medusa.admin('GET', `products/${id}?fields=${PRODUCT_FIELDS}`)).product,
      ),
    )
    const { orders: orderIds } = await medusa.admin('GET', 'orders?limit=100&fields=id')
    const orders = await Promise.all(
      orderIds.map(
        async ({ id }: Loose) =>
          (await medusa.admin('GET', `orders/${id}?fields=${ORDER_FIELDS}`)).order,
      ),
    )
    return {
      customers: customers.map(expectedCustomer),
      products: products.map(expectedProduct),
      orders: orders.map(expectedOrder),
      fulfillments: orders.flatMap((order) =>
        order.fulfillments
          .filter(({ canceled_at }: Loose) => canceled_at === null)
          .map((fulfillment: Loose) => expectedFulfillment(order, fulfillment)),
      ),
    }
  }
}
