/** Web shop kinds: shoppers, products, orders and shipments. */
import { z } from 'zod'
import { customer } from '../../resources/commerce/customer.ts'
import { amount, shareOf, sum, units } from '../amounts.ts'
import { FieldError } from '../errors.ts'
import { checkSize } from '../totals.ts'
import * as a from './blocks.ts'
import { resourceKind } from './derived.ts'
import { defineKind, type RecordCompletion, ref, type SandboxFields } from './kind.ts'

const listOf = (value: unknown): readonly SandboxFields[] => (Array.isArray(value) ? value : [])

/** Assigns an id to each new entry. An id in the input must exist on the stored record. */
const withIds = <E extends { readonly id?: string | undefined }>(
  entries: readonly E[],
  field: string,
  prefix: string,
  { previous, nextId }: RecordCompletion,
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
  readonly placed_by: SandboxFields | null
}

/** Buyer of an order: a shopper, or a guest who left only contact details. */
const buyerOf = ({ shopper, placed_by }: Buyer, { lookUp }: RecordCompletion) => {
  if (shopper === null && placed_by === null) return null
  const known: SandboxFields = { ...(shopper === null ? undefined : lookUp('shoppers', shopper)) }
  // Null clears a value; an omitted field is the shopper's.
  const detail = (name: string) =>
    (placed_by?.[name] === undefined ? known[name] : placed_by[name]) ?? null
  return {
    shopper,
    firstName: detail('firstName'),
    lastName: detail('lastName'),
    email: detail('email'),
    phone: detail('phone'),
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

/** Completes an item with the values of its variant, or with its stored values if it exists already. */
const describeItem = (item: OrderedItem, field: string, { previous, lookUp }: RecordCompletion) => {
  const before = listOf(previous?.items).find(
    ({ id, variant }) => id === item.id && variant === item.variant,
  )
  const product = lookUp('products', item.product)
  const variant = listOf(product?.variants).find(({ id }) => id === item.variant)
  if (!before && !variant) throw new FieldError('no_such_record', `${field}.variant`)
  // The item was found by its variant, which belongs to one product.
  if (before && before.product !== item.product)
    throw new FieldError('no_such_record', `${field}.product`)
  const { unit_price, unit_cost, name, sku } = item
  return {
    ...item,
    name: String(name ?? before?.name ?? [product?.name, variant?.label].join(', ')),
    sku: sku === undefined ? (before?.sku ?? variant?.sku ?? null) : sku,
    unit_price: String(unit_price ?? before?.unit_price ?? variant?.price),
    unit_cost: unit_cost === undefined ? (before?.unit_cost ?? variant?.cost ?? null) : unit_cost,
  }
}

/** The web shop kinds, by collection. */
export const shopKinds = {
  /** Customers of the shop. */
  shoppers: resourceKind(customer, 'sho', {
    own: { accepts_marketing: z.boolean().default(false) },
  }),
  /** Products, each with one or more variants. */
  products: defineKind({
    topic: 'commerce/products',
    prefix: 'prd',
    fields: z.strictObject({
      name: a.line(),
      description_html: a.multilineText(),
      category: a.lineOrNull(),
      state: z.enum(['live', 'draft', 'retired']).default('draft'),
      pictures: a.list(a.webAddress()),
      labels: a.list(a.line()),
      brand: a.lineOrNull(),
      page: a.webAddress().nullable().default(null),
      variants: z
        .array(
          z.object({
            /** Set to keep an existing variant; omitted for a new one. */
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
      variants: withIds(variants, 'variants', 'var', context),
    }),
  }),
  /** Orders. Items keep the name, SKU and prices of the day of the order. */
  orders: defineKind({
    topic: 'commerce/orders',
    prefix: 'ord',
    fields: z.strictObject({
      /** Default: derived from the id. */
      number: a.line().optional(),
      /** Free text. The sandbox itself writes `placed`, `processing`, `completed` and `cancelled`. */
      state: a.line().default('placed'),
      /** Free text. The sandbox itself writes `pending`, `paid` and `refunded`. */
      payment_state: a.line().default('pending'),
      /** Default: now. */
      placed_at: a.instant().optional(),
      currency_code: a.currency(),
      discount: a.money().default('0.00'),
      shipping: a.money().default('0.00'),
      /** Applies to items minus discount, plus shipping. */
      tax_percent: a.percent().default('23'),
      /** Overrides the tax that `tax_percent` gives. */
      stated_tax: a.money().nullable().default(null),
      /** Overrides the computed total. The difference appears as `adjustment`. */
      stated_total: a.money().nullable().default(null),
      /**
       * Free text: the shipping state of an order that is shipped by other means. A later shipment in the
       * sandbox replaces it; the sandbox itself writes `none`, `partial` and `shipped`.
       */
      stated_shipping_state: a.lineOrNull(),
      shopper: ref('commerce/customers').nullable().default(null),
      /** Buyer details of this order. Omitted fields are the shopper's. */
      placed_by: z
        .object({
          firstName: a.line().nullable().optional(),
          lastName: a.line().nullable().optional(),
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
            product: ref('commerce/products'),
            variant: z.string().max(40),
            quantity: z.int().min(1).max(10_000),
            /** This and the next fields default to the variant's values at the time of the order. */
            unit_price: a.money().optional(),
            unit_cost: a.money().nullable().optional(),
            name: a.line().optional(),
            sku: a.line().nullable().optional(),
          }),
        )
        .min(1)
        .max(100),
    }),
    complete: (input, context) => {
      const items = withIds(input.items, 'items', 'oit', context).map((item, index) =>
        describeItem(item, `items.${index}`, context),
      )
      const net = sum(items.map(({ unit_price, quantity }) => units(unit_price) * quantity))
      const charged = net - units(input.discount) + units(input.shipping)
      checkSize(net, '1', 'items')
      const tax = input.stated_tax
        ? units(input.stated_tax)
        : shareOf(charged, input.tax_percent, input.currency_code)
      const total = input.stated_total ? units(input.stated_total) : charged + tax
      return {
        number: input.number ?? `#${1000 + Number(context.id.slice(4))}`,
        placed_at: input.placed_at ?? context.now,
        items,
        items_total: amount(net),
        tax: amount(tax),
        adjustment: amount(total - charged - tax),
        total: amount(total),
        buyer: buyerOf(input, context),
        shipping_state:
          input.stated_shipping_state ?? String(context.previous?.shipping_state ?? 'none'),
      }
    },
  }),
  /** Shipments of an order. */
  shipments: defineKind({
    topic: 'commerce/fulfillments',
    prefix: 'shp',
    fields: z.strictObject({
      order: ref('commerce/orders'),
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
    complete: ({ order, items }, { previous, lookUp }) => {
      const ordered = listOf(lookUp('orders', order)?.items)
      // The order may have lost a line since it was shipped.
      const shipped = previous?.order === order ? listOf(previous?.items) : []
      return {
        items: items.map((item, index) => {
          const source =
            ordered.find(({ id }) => id === item.order_item) ??
            shipped.find(({ order_item }) => order_item === item.order_item)
          if (!source) throw new FieldError('no_such_record', `items.${index}.order_item`)
          const { product, variant, name, sku, unit_price } = source
          return { ...item, product, variant, name, sku, unit_price }
        }),
      }
    },
  }),
}
