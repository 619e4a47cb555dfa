/** Web shop kinds: shoppers, products, orders and shipments. */
import { z } from 'zod'
import { customer } from '../../resources/commerce/customer.ts'
import { fulfillment } from '../../resources/commerce/fulfillment.ts'
import { order } from '../../resources/commerce/order.ts'
import { product } from '../../resources/commerce/product.ts'
import { amount, shareOf, sum, units } from '../amounts.ts'
import { FieldError } from '../errors.ts'
import { checkShippedLines, fulfillmentStatusOf, type ShippedLine } from '../shipping.ts'
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

/** The input, with the values of `known` for those that are null. */
const filled = <T extends object>(known: SandboxFields | undefined, input: T): T =>
  // Safe cast: it has the same names.
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value ?? known?.[name] ?? null]),
  ) as T

const variant = z.object({
  /** Set to keep an existing variant; omitted for a new one. */
  id: entryId.optional(),
  title: a.line(),
  sku: a.lineOrNull(),
  price: a.money(),
  cost: a.moneyOrNull(),
  optionValues: a.list(z.object({ name: a.line(), value: a.line() })),
  inventory: z.object({ totalCount: z.int().min(0).max(1_000_000) }).default({ totalCount: 0 }),
  weight: z
    .object({ value: z.number().min(0).max(10_000_000), unit: z.literal('g').default('g') })
    .nullable()
    .default(null),
})

const orderLine = z.object({
  id: entryId.optional(),
  productId: ref(),
  variantId: entryId,
  quantity,
  /** This and the next fields default to the variant's values at the time of the order. */
  price: a.moneyOrNull(),
  unitCost: a.moneyOrNull(),
  title: a.lineOrNull(),
  sku: a.lineOrNull(),
})

interface OrderLine extends Omit<z.output<typeof orderLine>, 'price' | 'title'> {
  readonly id: string
  readonly price: string
  readonly title: string
}

/** Completes a line with the values of its variant, or with its stored values if it exists already. */
const describeLine = (
  line: z.output<typeof orderLine> & { readonly id: string },
  path: string,
  { previous, lookUp }: RecordCompletion,
): OrderLine => {
  const { id, productId, variantId } = line
  const before = objectsOf(previous?.lineItems).find(
    (each) => each.id === id && each.variantId === variantId && each.productId === productId,
  )
  const product = lookUp('products', productId)
  const variant = objectsOf(product?.variants).find((each) => each.id === variantId)
  if (!before && !variant) throw new FieldError('no_such_record', `${path}.variantId`)
  const described = {
    title: [product?.productName, variant?.title].join(', '),
    sku: variant?.sku,
    price: variant?.price,
    unitCost: variant?.cost,
  }
  // Safe cast: every variant has a title and a price.
  return filled(before ?? described, line) as OrderLine
}

const shippedLine = z.object({
  /** The line of the order, by its id or by its variant. */
  lineItemId: a.lineOrNull(),
  variantId: a.lineOrNull(),
  quantity,
  /** The next fields default to those of the order's line. */
  productId: a.lineOrNull(),
  title: a.lineOrNull(),
  sku: a.lineOrNull(),
  price: a.moneyOrNull(),
})

/**
 * Completes the lines of a shipment. Each refers to one of the `known` lines, by its id, or by its variant, which
 * each of them matches once. @throws FieldError
 */
const describeShippedLines = (
  lines: readonly z.output<typeof shippedLine>[],
  known: readonly SandboxFields[],
) => {
  const unmatched = new Set(known)
  return lines.map((line, index) => {
    const name = line.lineItemId === null ? 'variantId' : 'lineItemId'
    const source = [...(name === 'variantId' ? unmatched : known)].find(
      (each) => each[name] === line[name],
    )
    if (!source)
      throw new FieldError(
        'no_such_record',
        `lineItems.${index}.${name}`,
        'The order has no such line.',
      )
    unmatched.delete(source)
    return filled(source, line)
  })
}

/** The web shop kinds, by collection. */
export const shopKinds = {
  /** Customers of the shop. */
  shoppers: resourceKind(customer, 'sho'),
  /** Products, each with one or more variants. */
  products: resourceKind(product, 'prd', {
    required: ['productName'],
    own: {
      /** Free text. The sandbox itself writes `live`, `draft` and `retired`. */
      productStatus: a.line().default('draft'),
      variants: z.array(variant).min(1).max(100),
    },
    complete: ({ variants }, context) => ({
      variants: withIds(variants, 'variants', 'var', context),
    }),
  }),
  /** Orders. Lines keep the name, SKU and prices of the day of the order. */
  orders: resourceKind(order, 'ord', {
    computed: [
      'totalTax',
      'totalPrice',
      'fulfillmentStatus',
      'orderState',
      'fulfillmentState',
      'paymentState',
    ],
    own: {
      /** Default: derived from the id. */
      orderNumber: a.line().optional(),
      /** Free text. The sandbox itself writes `placed`, `processing`, `completed` and `cancelled`. */
      orderStatus: a.line().default('placed'),
      /** Free text. The sandbox itself writes `pending`, `paid` and `refunded`. */
      paymentStatus: a.line().default('pending'),
      totalDiscount: a.money().default('0.00'),
      totalShipping: a.money().default('0.00'),
      /** Applies to lines minus discount, plus shipping. */
      tax_percent: a.percent().default('23'),
      /** Overrides the tax that `tax_percent` gives. */
      stated_tax: a.moneyOrNull(),
      /** Overrides the computed total. */
      stated_total: a.moneyOrNull(),
      /**
       * Free text: the fulfillment status of an order that is shipped by other means. A later shipment in the
       * sandbox replaces it; the sandbox itself writes `none`, `partial` and `shipped`.
       */
      stated_status: a.lineOrNull(),
      lineItems: z.array(orderLine).min(1).max(100),
    },
    parts: { kind: 'shipments', reference: 'orderId', replaced: { stated_status: null } },
    complete: (input, context) => {
      const lineItems = withIds(input.lineItems, 'lineItems', 'oit', context).map((line, index) =>
        describeLine(line, `lineItems.${index}`, context),
      )
      // Safe cast: the schema of shipments has validated their lines.
      const shipped = context.parts.flatMap((shipment) => shipment.lineItems as ShippedLine[])
      // Safe cast: this function has completed them.
      checkShippedLines((context.previous?.lineItems ?? []) as OrderLine[], lineItems, shipped)
      const net = sum(lineItems.map((line) => units(line.price) * line.quantity))
      checkSize(net, '1', 'lineItems')
      const charged = net - units(input.totalDiscount) + units(input.totalShipping)
      const totalTax =
        input.stated_tax ?? amount(shareOf(charged, input.tax_percent, input.currency))
      const { customer, stated_status } = input
      return {
        orderNumber: input.orderNumber ?? context.number,
        lineItems,
        totalTax,
        totalPrice: input.stated_total ?? amount(charged + units(totalTax)),
        // A shopper, or a guest who left only contact details.
        customer:
          customer && filled(context.lookUp('shoppers', customer.customerId ?? ''), customer),
        fulfillmentStatus: stated_status ?? fulfillmentStatusOf(lineItems, shipped),
      }
    },
  }),
  /** Shipments of an order. */
  shipments: resourceKind(fulfillment, 'shp', {
    required: ['orderId'],
    computed: ['shipmentState'],
    own: { lineItems: a.list(shippedLine) },
    complete: ({ orderId, lineItems }, { previous, lookUp }) => {
      const ordered = objectsOf(lookUp('orders', orderId)?.lineItems).map(
        ({ id, ...line }): SandboxFields => ({ ...line, lineItemId: id }),
      )
      // The order may have lost a line since it was shipped.
      const shipped = previous?.orderId === orderId ? objectsOf(previous?.lineItems) : []
      return { lineItems: describeShippedLines(lineItems, [...ordered, ...shipped]) }
    },
  }),
}
