import { defineMapping } from '../../../definition/mapping.ts'
import { isObject } from '../../../definition/value.ts'
import { order } from '../../../resources/commerce/order.ts'
import { collection } from '../collection.ts'
import { convert, currency, money, orElse, required } from '../conversion.ts'
import { as, type WriteRule } from '../inverse.ts'
import { list, object, ofRecord, part } from '../nested.ts'
import { recordFields } from '../shared.ts'

interface RawPostal {
  readonly given_name: string | null
  readonly family_name: string | null
  readonly line1: string | null
  readonly line2: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postcode: string | null
  readonly country: string | null
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
    readonly shopper: string | null
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

const addressInverse = object({
  address1: 'line1',
  address2: 'line2',
  city: 'city',
  countryCode: 'country',
  firstName: 'given_name',
  lastName: 'family_name',
  phone: 'phone',
  region: 'region',
  postalCode: 'postcode',
})

// The common model has no line ids, so lines match by variant.
const items = list(
  {
    productId: 'product',
    variantId: 'variant',
    title: 'name',
    price: part('unit_price', money),
    unitCost: part('unit_cost', money),
    currency: ofRecord('currency_code', currency),
    sku: 'sku',
    quantity: 'quantity',
  },
  { in: 'items', by: [['variant']] },
)

const statedBuyer = object({
  firstName: 'given_name',
  lastName: 'family_name',
  email: 'email',
  phone: 'phone',
})

/** Writes the buyer. Without `customerId` the order keeps its shopper; omitted fields are the shopper's. */
const buyer: WriteRule = {
  to: ['shopper', 'placed_by'],
  apply: (value, path, draft) => {
    const placedBy = convert(statedBuyer, value, path, draft)
    if (!isObject(value)) draft.put('shopper', null, path)
    else if (value.customerId !== undefined)
      draft.put('shopper', value.customerId, `${path}.customerId`)
    const isEmpty = isObject(placedBy) && Object.keys(placedBy).length === 0
    draft.put('placed_by', isEmpty ? null : placedBy, path)
  },
}

const mapping = defineMapping<typeof order, Raw>(order, {
  ...recordFields,
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
      // The sandbox stores one currency per order.
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

/** `/v1/orders` */
export default collection('orders', mapping, {
  orderNumber: as('number', required()),
  orderStatus: as('state', required()),
  fulfillmentStatus: 'stated_shipping_state',
  paymentStatus: as('payment_state', required()),
  currency: as('currency_code', currency),
  // Null makes the sandbox compute the total again.
  totalPrice: as('stated_total', money),
  totalDiscount: as('discount', orElse(money, '0.00')),
  totalShipping: as('shipping', orElse(money, '0.00')),
  totalTax: as('stated_tax', money),
  lineItems: as('items', required(items)),
  billingAddress: as('bill_to', addressInverse),
  shippingAddress: as('ship_to', addressInverse),
  customer: buyer,
})
