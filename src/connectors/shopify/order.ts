/** The mapping of orders. */
import { missingValue, WriteRejection } from '../../definition/connector.ts'
import {
  atLeast,
  createOnly,
  listOf,
  notNull,
  objectOf,
  ofRecord,
  readOnly,
  required,
  states,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter, JsonObject } from '../../definition/mapping/rule.ts'
import { objectAt } from '../../definition/mapping/write.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { matchesJson } from '../../definition/matching.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import { order } from '../../resources/commerce/order.ts'
import type { Collection } from './listing.ts'

const MONEY = 'shopMoney { amount currencyCode } presentmentMoney { amount currencyCode }'
const ADDRESS =
  'firstName lastName company address1 address2 city province provinceCode countryCodeV2 zip phone'

/** Orders in any status. */
export const collection: Collection = {
  type: 'Order',
  list: 'orders',
  first: 14,
  fields: `id name createdAt updatedAt processedAt cancelledAt cancelReason closed closedAt test
    displayFinancialStatus displayFulfillmentStatus returnStatus sourceName poNumber note tags email phone
    currencyCode presentmentCurrencyCode taxesIncluded
    totalPriceSet { ${MONEY} } totalDiscountsSet { ${MONEY} }
    totalShippingPriceSet { ${MONEY} } totalTaxSet { ${MONEY} }
    customer { id firstName lastName }
    billingAddress { ${ADDRESS} } shippingAddress { ${ADDRESS} }`,
  part: {
    name: 'lineItems',
    type: 'LineItem',
    first: 10,
    page: 150,
    fields: `id name sku quantity currentQuantity variantTitle product { id } variant { id }
      originalUnitPriceSet { shopMoney { amount } }`,
  },
}

/** A raw order, as the listing selects it. */
interface RawOrder {
  readonly cancelledAt: string | null
  readonly closed: boolean
}

/** The status, in the words of the filter of orders. Shopify has it as two fields. */
const statusOf = ({ cancelledAt, closed }: RawOrder): string =>
  cancelledAt !== null ? 'cancelled' : closed ? 'closed' : 'open'

interface RawAddress {
  readonly province?: string | null
  readonly provinceCode?: string | null
}

const addressRules = {
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  countryCode: writtenTo('countryCode', 'countryCodeV2'),
  firstName: 'firstName',
  lastName: 'lastName',
  phone: 'phone',
  // Not every region has a code. A write takes only codes.
  region: {
    from: '',
    to: 'provinceCode',
    read: (raw: unknown) => {
      const { province, provinceCode } = valuesOf(raw) as RawAddress // Safe: both are selected.
      return provinceCode ?? province
    },
  },
  postalCode: 'zip',
}

const INPUT_NAMES: Readonly<Record<string, string>> = { countryCodeV2: 'countryCode', province: '' }

/** An address of an order as the input of a mutation. */
const addressInput = (raw: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(valuesOf(raw)).flatMap(([name, value]) => {
      const to = INPUT_NAMES[name] ?? name
      return typeof value === 'string' && to !== '' ? [[to, value]] : []
    }),
  )

/** An address. A write sends all of its parts, because Shopify replaces it (NOTES "an update of an address"). */
const address = (name: string): Converter => ({
  ...notNull(objectOf(name, addressRules)),
  write: (value, { path, stored }) => ({
    ...addressInput(stored?.[name]),
    ...objectAt(value, path),
  }),
})

const line = {
  productId: writtenTo('productId', 'product.id'),
  variantId: writtenTo('variantId', 'variant.id'),
  title: writtenTo('title', 'name'),
  // The writer adds the currency.
  price: writtenTo(
    'priceSet.shopMoney.amount',
    decimal('originalUnitPriceSet.shopMoney.amount', {
      as: 'text',
      notNegative: { name: 'A price' },
    }),
  ),
  unitCost: null, // Shopify has the present cost of the variant only, not that of the order
  currency: ofRecord(writtenTo('currency', 'currencyCode')),
  sku: 'sku',
  quantity: required(atLeast(1, 'quantity')),
}

const NAMES = ['firstName', 'lastName'] as const

const readCustomer = (raw: unknown): Values => valuesOf(valuesOf(raw).customer)

/** @throws WriteRejection if a name differs from that of the customer */
const checkNames = (parts: JsonObject, present: Values, path: string): void => {
  for (const name of NAMES)
    if (parts[name] !== undefined && !matchesJson(present[name], parts[name]))
      throw new WriteRejection(
        'Shopify takes this value from the customer; leave it out.',
        `${path}.${name}`,
      )
}

/** The buyer: e-mail address and phone are those of the order, the names those of the customer now. */
const customer: Converter = {
  from: '',
  nested: {
    isList: false,
    rules: {
      customerId: 'customer.id',
      firstName: createOnly('customer.firstName'),
      lastName: createOnly('customer.lastName'),
      email: 'email',
      phone: 'phone',
    },
  },
  apply: (value, { path, put, stored }) => {
    const { customerId, email, phone, ...names } = objectAt(value, path)
    if (customerId === null)
      throw missingValue('Shopify requires a customer here.', `${path}.customerId`)
    if (email !== undefined) put('email', email, `${path}.email`)
    if (phone !== undefined) put('phone', phone, `${path}.phone`)
    if (stored || customerId !== undefined) checkNames(names, readCustomer(stored), path)
    if (customerId !== undefined)
      put(stored ? 'customerId' : 'customer.toAssociate.id', customerId, `${path}.customerId`)
    else if (!stored && Object.keys(names).length > 0)
      put('customer.toUpsert', { ...names, ...(email && { email }) }, path)
    return undefined
  },
  sets: ['email', 'phone', 'customer', 'customerId'],
}

const shopAmount = (name: string): Converter => readOnly(`${name}.shopMoney.amount`)

/** The mapping of orders. Amounts are in the currency of the shop (NOTES "money"). */
export const mapping = defineMapping<typeof order, RawOrder>(order, {
  remoteId: 'id',
  orderNumber: createOnly('name'),
  orderStatus: statusOf,
  orderState: states(statusOf, { open: 'OPEN', closed: 'COMPLETED', cancelled: 'CANCELLED' }),
  fulfillmentStatus: readOnly('displayFulfillmentStatus'),
  // The other words do not say how much is fulfilled: it may be a part.
  fulfillmentState: states('displayFulfillmentStatus', {
    UNFULFILLED: 'UNFULFILLED',
    OPEN: 'UNFULFILLED',
    IN_PROGRESS: 'UNFULFILLED',
    RESTOCKED: 'UNFULFILLED',
    PARTIALLY_FULFILLED: 'PARTIALLY_FULFILLED',
    FULFILLED: 'FULFILLED',
  }),
  paymentStatus: readOnly('displayFinancialStatus'),
  paymentState: states('displayFinancialStatus', {
    PENDING: 'UNPAID',
    EXPIRED: 'UNPAID',
    AUTHORIZED: 'AUTHORIZED',
    PARTIALLY_PAID: 'PARTIALLY_PAID',
    PAID: 'PAID',
    PARTIALLY_REFUNDED: 'PARTIALLY_REFUNDED',
    REFUNDED: 'REFUNDED',
    VOIDED: 'VOID',
  }),
  currency: createOnly(writtenTo('currency', 'currencyCode')),
  totalPrice: shopAmount('totalPriceSet'),
  totalDiscount: shopAmount('totalDiscountsSet'),
  totalShipping: shopAmount('totalShippingPriceSet'),
  totalTax: shopAmount('totalTaxSet'),
  lineItems: createOnly(required(listOf<never, RawOrder>('lineItems', line))),
  billingAddress: createOnly(address('billingAddress')),
  shippingAddress: address('shippingAddress'),
  customer,
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // NOTES "deletions"
})
