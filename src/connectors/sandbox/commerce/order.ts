import { defineMapping } from '../../../definition/mapping.ts'
import { order } from '../../../resources/commerce/order.ts'
import { history } from '../shared.ts'

interface RawPostal {
  readonly given_name: string | null
  readonly family_name: string | null
  readonly line1: string
  readonly line2: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postcode: string | null
  readonly country: string
  readonly phone: string | null
}

interface Raw {
  readonly currency_code: string
  readonly items: readonly {
    readonly product: string
    readonly variant: string
    readonly name: string
    readonly sku: string | null
    readonly unit_price: string
    readonly unit_cost: string | null
    readonly quantity: number
  }[]
  readonly bill_to: RawPostal | null
  readonly ship_to: RawPostal | null
  readonly buyer: {
    readonly shopper: string
    readonly given_name: string | null
    readonly family_name: string | null
    readonly email: string | null
    readonly phone: string | null
  } | null
}

const address = (raw: RawPostal | null) =>
  raw && {
    address1: raw.line1,
    address2: raw.line2,
    city: raw.city,
    countryCode: raw.country,
    firstName: raw.given_name,
    lastName: raw.family_name,
    phone: raw.phone,
    region: raw.region,
    postalCode: raw.postcode,
  }

/** `/v1/orders` */
export default defineMapping<typeof order, Raw>(order, {
  ...history,
  orderNumber: 'number',
  orderStatus: 'state',
  fulfillmentStatus: 'shipping_state',
  paymentStatus: 'payment_state',
  currency: 'currency_code',
  totalPrice: 'total',
  totalDiscount: 'discount',
  totalShipping: 'shipping',
  totalTax: 'tax',
  lineItems: (raw) =>
    raw.items.map((item) => ({
      productId: item.product,
      variantId: item.variant,
      title: item.name,
      price: item.unit_price,
      unitCost: item.unit_cost,
      // An order of the sandbox is in one currency.
      currency: raw.currency_code,
      sku: item.sku,
      quantity: item.quantity,
    })),
  billingAddress: ({ bill_to }) => address(bill_to),
  shippingAddress: ({ ship_to }) => address(ship_to),
  customer: ({ buyer }) =>
    buyer && {
      customerId: buyer.shopper,
      firstName: buyer.given_name,
      lastName: buyer.family_name,
      email: buyer.email,
      phone: buyer.phone,
    },
})
