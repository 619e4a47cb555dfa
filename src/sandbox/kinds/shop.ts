/** Web shop kinds: shoppers, products, orders and shipments. */
import { z } from 'zod'
import { customer } from '../../resources/commerce/customer.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { order } from '../../resources/commerce/order.ts'
import { product } from '../../resources/commerce/product.ts'
import { amount, shareOf, sum, units } from '../amounts.ts'
import { FieldError } from '../errors.ts'
import { describeShippedLines } from '../shipping.ts'
import { checkSize } from '../totals.ts'
import * as a from './blocks.ts'
import { resourceKind } from './derived.ts'
import { objectsOf, type RecordCompletion, ref, type SandboxFields } from './kind.ts'

const entryId = z.string().max(40)
const quantity = z.int().min(1).max(10_000)

/** Assigns an id to each new entry. An id in the input must exist on the stored record. */
const withIds = <E extends { readonly id?: string | undefined }>(
  entries: readonly E[],
  field: string,
  prefix: string,
  { previous, nextId }: RecordCompletion,
): (E & { readonly id: string })[] => {
  const known = new Set(objectsOf(previous?.[field]).map(({ id }) => id))
  return entries.map((entry, index) => {
    if (entry.id !== undefined && !known.delete(entry.id))
      throw new FieldError('no_such_record', `${field}.${index}.id`)
    return { ...entry, id: entry.id ?? nextId(prefix) }
  })
}

const variant = z.object({
  /** Set to keep an existing variant; omitted for a new one. */
  id: entryId.optional(),
  title: a.line(),
  sku: a.lineOrNull(),
  price: a.money(),
  cost: a.money().nullable().default(null),
  optionValues: a.list(z.object({ name: a.line(), value: a.line() })),
  inventory: z.object({ totalCount: z.int().min(0).max(1_000_000) }).default({ totalCount: 0 }),
  weight: z
    .object({ value: z.number().min(0).max(10_000_000), unit: z.literal('g').default('g') })
    .nullable()
    .default(null),
})

const buyer = z.object({
  customerId: ref('commerce/customers').nullable().optional(),
  firstName: a.line().nullable().optional(),
  lastName: a.line().nullable().optional(),
  email: a.email().nullable().optional(),
  phone: a.line().nullable().optional(),
})

/** The buyer of an order: a shopper, or a guest who left only contact details. */
const buyerOf = (input: z.output<typeof buyer> | null, { previous, lookUp }: RecordCompletion) => {
  if (input === null) return null
  const { customerId: current = null } = Object(previous?.customer)
  const customerId: string | null = input.customerId === undefined ? current : input.customerId
  const shopper: SandboxFields = { ...(customerId !== null && lookUp('shoppers', customerId)) }
  // Null clears a value; an omitted field is the shopper's.
  const detail = (name: 'firstName' | 'lastName' | 'email' | 'phone') => {
    const value = input[name] === undefined ? shopper[name] : input[name]
    return typeof value === 'string' ? value : null
  }
  return {
    customerId,
    firstName: detail('firstName'),
    lastName: detail('lastName'),
    email: detail('email'),
    phone: detail('phone'),
  }
}

const orderLine = z.object({
  id: entryId.optional(),
  productId: ref('commerce/products'),
  variantId: entryId,
  quantity,
  /** This and the next fields default to the variant's values at the time of the order. */
  price: a.money().optional(),
  unitCost: a.money().nullable().optional(),
  title: a.line().optional(),
  sku: a.line().nullable().optional(),
})

/** Completes a line with the values of its variant, or with its stored values if it exists already. */
const describeLine = (
  line: z.output<typeof orderLine> & { readonly id: string },
  field: string,
  { previous, lookUp }: RecordCompletion,
) => {
  const before = objectsOf(previous?.lineItems).find(
    ({ id, variantId }) => id === line.id && variantId === line.variantId,
  )
  const product = lookUp('products', line.productId)
  const variant = objectsOf(product?.variants).find(({ id }) => id === line.variantId)
  if (!before && !variant) throw new FieldError('no_such_record', `${field}.variantId`)
  // The line was found by its variant, which belongs to one product.
  if (before && before.productId !== line.productId)
    throw new FieldError('no_such_record', `${field}.productId`)
  const known: SandboxFields = before ?? {
    title: [product?.productName, variant?.title].join(', '),
    sku: variant?.sku,
    price: variant?.price,
    unitCost: variant?.cost,
  }
  const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const { price, unitCost, title, sku } = line
  return {
    ...line,
    title: title ?? String(known.title),
    sku: sku === undefined ? textOrNull(known.sku) : sku,
    price: price ?? String(known.price),
    unitCost: unitCost === undefined ? textOrNull(known.unitCost) : unitCost,
  }
}

/** The web shop kinds, by collection. */
export const shopKinds = {
  /** Customers of the shop. */
  shoppers: resourceKind(customer, 'sho', {
    own: { accepts_marketing: z.boolean().default(false) },
  }),
  /** Products, each with one or more variants. */
  products: resourceKind(product, 'prd', {
    own: {
      productName: a.line(),
      productStatus: z.enum(['live', 'draft', 'retired']).default('draft'),
      variants: z.array(variant).min(1).max(100),
    },
    complete: ({ variants }, context) => ({
      variants: withIds(variants, 'variants', 'var', context),
    }),
  }),
  /** Orders. Lines keep the name, SKU and prices of the day of the order. */
  orders: resourceKind(order, 'ord', {
    own: {
      /** Default: derived from the id. */
      orderNumber: a.line().optional(),
      /** Free text. The sandbox itself writes `placed`, `processing`, `completed` and `cancelled`. */
      orderStatus: a.line().default('placed'),
      /** Free text. The sandbox itself writes `pending`, `paid` and `refunded`. */
      paymentStatus: a.line().default('pending'),
      currency: a.currency(),
      totalDiscount: a.money().default('0.00'),
      totalShipping: a.money().default('0.00'),
      /** Applies to lines minus discount, plus shipping. */
      tax_percent: a.percent().default('23'),
      /** Overrides the tax that `tax_percent` gives. */
      stated_tax: a.money().nullable().default(null),
      /** Overrides the computed total. */
      stated_total: a.money().nullable().default(null),
      /**
       * Free text: the fulfillment status of an order that is shipped by other means. A later shipment in the
       * sandbox replaces it; the sandbox itself writes `none`, `partial` and `shipped`.
       */
      stated_status: a.lineOrNull(),
      customer: buyer.nullable().default(null),
      lineItems: z.array(orderLine).min(1).max(100),
    },
    computed: [
      'totalTax',
      'totalPrice',
      'fulfillmentStatus',
      'orderState',
      'fulfillmentState',
      'paymentState',
    ],
    complete: (input, context) => {
      const lineItems = withIds(input.lineItems, 'lineItems', 'oit', context).map((line, index) =>
        describeLine(line, `lineItems.${index}`, context),
      )
      const net = sum(lineItems.map((line) => units(line.price) * line.quantity))
      checkSize(net, '1', 'lineItems')
      const charged = net - units(input.totalDiscount) + units(input.totalShipping)
      const tax = shareOf(charged, input.tax_percent, input.currency)
      const totalTax = input.stated_tax ?? amount(tax)
      return {
        orderNumber: input.orderNumber ?? `#${1000 + Number(context.id.slice(4))}`,
        lineItems,
        totalTax,
        totalPrice: input.stated_total ?? amount(charged + units(totalTax)),
        customer: buyerOf(input.customer, context),
        fulfillmentStatus:
          input.stated_status ?? String(context.previous?.fulfillmentStatus ?? 'none'),
      }
    },
  }),
  /** Shipments of an order. */
  shipments: resourceKind(fulfillment, 'shp', {
    own: {
      orderId: ref('commerce/orders'),
      lineItems: a.list(
        z.object({
          /** The line of the order, by its id or by its variant. */
          lineItemId: a.lineOrNull(),
          variantId: a.lineOrNull(),
          quantity,
          /** The next fields are the order's; other values are rejected. */
          productId: a.lineOrNull(),
          title: a.lineOrNull(),
          sku: a.lineOrNull(),
          price: a.money().nullable().default(null),
        }),
      ),
    },
    computed: ['shipmentState'],
    complete: ({ orderId, lineItems }, { previous, lookUp }) => {
      const ordered = objectsOf(lookUp('orders', orderId)?.lineItems)
      // The order may have lost a line since it was shipped.
      const shipped = previous?.orderId === orderId ? objectsOf(previous?.lineItems) : []
      return { lineItems: describeShippedLines(lineItems, ordered, shipped) }
    },
  }),
}
