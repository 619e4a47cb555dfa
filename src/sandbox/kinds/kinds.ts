/** The collections of the sandbox, by the name in their paths. */
import type { z } from 'zod'
import * as books from './books.ts'
import * as documents from './documents.ts'
import type { SandboxKind } from './kind.ts'
import * as sales from './sales.ts'
import * as shop from './shop.ts'

/** The collections by name. Each references only itself and collections above it. */
export const kinds = {
  companies: books.companies,
  tax_codes: books.taxCodes,
  cost_centers: books.costCenters,
  ledger_accounts: books.ledgerAccounts,
  vendors: books.vendors,
  clients: books.clients,
  catalog_items: books.catalogItems,
  purchase_orders: documents.purchaseOrders,
  bills: documents.bills,
  invoices: documents.invoices,
  payments: documents.payments,
  members: sales.members,
  organizations: sales.organizations,
  people: sales.people,
  leads: sales.leads,
  deal_stages: sales.dealStages,
  deals: sales.deals,
  notes: sales.notes,
  tasks: sales.tasks,
  shoppers: shop.shoppers,
  products: shop.products,
  orders: shop.orders,
  shipments: shop.shipments,
} as const

/** The name of a collection. */
export type KindName = keyof typeof kinds

/** Definition of a kind by an untrusted name; undefined if it does not exist. */
export const kindOf = (name: string): SandboxKind | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name as KindName] : undefined

/** Input fields of a write. */
export type KindInput<K extends KindName> = z.input<(typeof kinds)[K]['fields']>

type Completed<K extends KindName> = ReturnType<(typeof kinds)[K]['complete']>

/** The fields of a record: input, defaults and computed fields. */
export type FieldsOf<K extends KindName> = Omit<
  z.output<(typeof kinds)[K]['fields']>,
  keyof Completed<K>
> &
  Completed<K>

/** A stored record. */
export interface Stored<K extends KindName = KindName> {
  readonly kind: K
  readonly id: string
  readonly version: number
  readonly deleted: boolean
  readonly created: string
  readonly modified: string
  readonly fields: FieldsOf<K>
}
