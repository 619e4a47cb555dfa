/** The web shop. */
import { z } from 'zod'
import { amount, cents, shareOf, sum } from '../amounts.ts'
import { checkSize } from '../totals.ts'
import * as a from './blocks.ts'
import { type Completion, defineKind, FieldError, type Fields, ref } from './kind.ts'

/** Who buys in the shop. */
export const shoppers = defineKind({
  prefix: 'sho',
  fields: z.strictObject({
    given_name: a.lineOrNull(),
    family_name: a.lineOrNull(),
    email: a.email().nullable().default(null),
    phone: a.lineOrNull(),
    accepts_marketing: z.boolean().default(false),
  }),
})

/** What the shop sells; each product has one or more variants. */
export const products = defineKind({
  prefix: 'prd',
  fields: z.strictObject({
    name: a.line(),
    description_html: a.prose(),
    category: a.lineOrNull(),
    state: z.enum(['live', 'draft', 'retired']).default('draft'),
    pictures: a.list(a.webAddress()),
    labels: a.list(a.line()),
    brand: a.lineOrNull(),
    page: a.webAddress().nullable().default(null),
    variants: z
      .array(
        z.object({
          /** Given to keep a variant; left out for a new one. */
          id: z.string().max(40).optional(),
          label: a.line(),
          sku: a.lineOrNull(),
          price: a.money(),
          cost: a.money().nullable().default(null),
          options: a.list(z.object({ option: a.line(), choice: a.line() })),
          stock: z.int().min(0).max(1_000_000).default(0),
          weight_grams: z.number().min(0).max(10_000_000).nullable().default(null),
        }),
      )
      .min(1)
      .max(100),
  }),
  complete: ({ variants }, context) => ({
    variants: identified(variants, 'variants', 'var', context),
  }),
})

/** Purchases. What was bought is written down as it was on the day. */
export const orders = defineKind({
  prefix: 'ord',
  fields: z.strictObject({
    /** One is made unless it is given. */
    number: a.line().optional(),
    state: z.enum(['placed', 'processing', 'completed', 'cancelled']).default('placed'),
    payment_state: z.enum(['pending', 'paid', 'refunded']).default('pending'),
    /** Now, unless given. */
    placed_at: a.instant().optional(),
    currency_code: a.currency().default('EUR'),
    discount: a.money().default('0.00'),
    shipping: a.money().default('0.00'),
    /** On items less discount, and on shipping. */
    tax_percent: a.percent().default('23'),
    /** Takes the place of the tax that follows from the percentage. */
    stated_tax: a.money().nullable().default(null),
    /** Takes the place of the total that the parts add up to: the rest is shown as `adjustment`. */
    stated_total: a.money().nullable().default(null),
    /** How much was sent off by other hands; a shipment made here counts for more, and ends it. */
    stated_shipping_state: z.enum(['none', 'partial', 'shipped']).nullable().default(null),
    shopper: ref('shoppers').nullable().default(null),
    /** What the buyer said of themselves; what is left out is the shopper's. */
    placed_by: z
      .object({
        given_name: a.line().nullable().optional(),
        family_name: a.line().nullable().optional(),
        email: a.email().nullable().optional(),
        phone: a.line().nullable().optional(),
      })
      .nullable()
      .default(null),
    bill_to: a.postal.nullable().default(null),
    ship_to: a.postal.nullable().default(null),
    items: z
      .array(
        z.object({
          id: z.string().max(40).optional(),
          product: ref('products'),
          variant: z.string().max(40),
          quantity: z.int().min(1).max(10_000),
          /** The variant's, as these were when it was ordered, unless given. */
          unit_price: a.money().optional(),
          unit_cost: a.money().nullable().optional(),
          name: a.line().optional(),
          sku: a.line().nullable().optional(),
        }),
      )
      .min(1)
      .max(100),
  }),
  complete: (given, context) => {
    const items = identified(given.items, 'items', 'oit', context).map((item, index) =>
      describeItem(item, `items.${index}`, context),
    )
    const net = sum(items.map(({ unit_price, quantity }) => cents(unit_price) * quantity))
    const charged = net - cents(given.discount) + cents(given.shipping)
    checkSize(net, '1', 'items')
    const tax = given.stated_tax ? cents(given.stated_tax) : shareOf(charged, given.tax_percent)
    const total = given.stated_total ? cents(given.stated_total) : charged + tax
    return {
      number: given.number ?? `#${1000 + Number(context.id.slice(4))}`,
      placed_at: given.placed_at ?? context.now,
      items,
      items_total: amount(net),
      tax: amount(tax),
      adjustment: amount(total - charged - tax),
      total: amount(total),
      buyer: buyerOf(given, context),
      shipping_state:
        given.stated_shipping_state ?? String(context.previous?.shipping_state ?? 'none'),
    }
  },
})

/** What of an order was sent off. */
export const shipments = defineKind({
  prefix: 'shp',
  fields: z.strictObject({
    order: ref('orders'),
    carrier: a.lineOrNull(),
    service: a.lineOrNull(),
    shipped_at: a.instant().nullable().default(null),
    parcels: a.list(
      z.object({
        tracking_number: a.line(),
        tracking_page: a.webAddress().nullable().default(null),
      }),
    ),
    items: z
      .array(z.object({ order_item: z.string().max(40), quantity: z.int().min(1).max(10_000) }))
      .max(100),
  }),
  complete: ({ order, items }, { look }) => {
    const ordered = listOf(look('orders', order)?.items)
    return {
      items: items.map((item, index) => {
        const found = ordered.find(({ id }) => id === item.order_item)
        if (!found) throw new FieldError('no_such_record', `items.${index}.order_item`)
        const { product, variant, name, sku, unit_price } = found
        return { ...item, product, variant, name, sku, unit_price }
      }),
    }
  },
})

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value : [])

/** Gives every entry an id. A given one must be of the record as it was: ids are the app's to give. */
const identified = <E extends { readonly id?: string | undefined }>(
  entries: readonly E[],
  field: string,
  prefix: string,
  { previous, nextId }: Completion,
): (E & { readonly id: string })[] => {
  const known = new Set(listOf(previous?.[field]).map(({ id }) => id))
  return entries.map((entry, index) => {
    if (entry.id !== undefined && !known.delete(entry.id))
      throw new FieldError('no_such_record', `${field}.${index}.id`)
    return { ...entry, id: entry.id ?? nextId(prefix) }
  })
}

interface Buyer {
  readonly shopper: string | null
  readonly placed_by: Fields | null
}

/** The buyer as an order shows them: a shopper, or somebody who only left a name. */
const buyerOf = ({ shopper, placed_by }: Buyer, { look }: Completion) => {
  if (shopper === null && placed_by === null) return null
  const known: Fields = { ...(shopper === null ? undefined : look('shoppers', shopper)) }
  // Null says that there is none; what is not said is as the shop knows it.
  const said = (name: string) =>
    (placed_by?.[name] === undefined ? known[name] : placed_by[name]) ?? null
  return {
    shopper,
    given_name: said('given_name'),
    family_name: said('family_name'),
    email: said('email'),
    phone: said('phone'),
  }
}

interface OrderedItem {
  readonly id: string
  readonly product: string
  readonly variant: string
  readonly quantity: number
  readonly unit_price?: string | undefined
  readonly unit_cost?: string | null | undefined
  readonly name?: string | undefined
  readonly sku?: string | null | undefined
}

/** An order keeps what its items were when they were ordered. */
const describeItem = (item: OrderedItem, field: string, { previous, look }: Completion) => {
  const before = listOf(previous?.items).find(
    ({ id, variant }) => id === item.id && variant === item.variant,
  )
  const product = look('products', item.product)
  const variant = listOf(product?.variants).find(({ id }) => id === item.variant)
  if (!before && !variant) throw new FieldError('no_such_record', `${field}.variant`)
  // Known by its variant, which is of one product.
  if (before && before.product !== item.product)
    throw new FieldError('no_such_record', `${field}.product`)
  const { unit_price, unit_cost, name, sku } = item
  return {
    ...item,
    name: name ?? before?.name ?? [product?.name, variant?.label].join(', '),
    sku: sku === undefined ? (before?.sku ?? variant?.sku ?? null) : sku,
    unit_price: String(unit_price ?? before?.unit_price ?? variant?.price),
    unit_cost: unit_cost === undefined ? (before?.unit_cost ?? variant?.cost ?? null) : unit_cost,
  }
}
