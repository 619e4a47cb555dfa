/** Every collection of the sandbox, by the name in its paths. */
import type { z } from 'zod'
import * as books from './books.ts'
import * as documents from './documents.ts'
import type { Kind } from './kind.ts'
import * as sales from './sales.ts'
import * as shop from './shop.ts'

/** The collections by name; each refers only to those above it, or to itself. */
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

/** The definition of a kind, by a name that may be anyone's; undefined if there is none. */
export const kindOf = (name: string): Kind | undefined =>
  Object.hasOwn(kinds, name) ? kinds[name as KindName] : undefined

/** What a writer gives. */
export type Given<K extends KindName> = z.input<(typeof kinds)[K]['fields']>

type Completed<K extends KindName> = ReturnType<(typeof kinds)[K]['complete']>

/** The fields of a record: given, defaulted and worked out. */
export type FieldsOf<K extends KindName> = Omit<
  z.output<(typeof kinds)[K]['fields']>,
  keyof Completed<K>
> &
  Completed<K>

/** A record as the sandbox keeps it. */
export interface Stored<K extends KindName = KindName> {
  readonly kind: K
  readonly id: string
  readonly version: number
  readonly deleted: boolean
  readonly created: string
  readonly modified: string
  readonly fields: FieldsOf<K>
}
