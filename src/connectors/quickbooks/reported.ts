/** The entities whose changes QuickBooks reports, in its feed and by webhooks, with the topics of their resources. */
import { ACCOUNT } from './account.ts'
import { BILL } from './bill.ts'
import { COMPANY } from './company-info.ts'
import type { Entity } from './entity.ts'
import { INVOICE } from './invoice.ts'
import { ITEM } from './item.ts'
import { CUSTOMER, VENDOR } from './party.ts'
import { MADE, RECEIVED } from './payment.ts'
import { PURCHASE_ORDER } from './purchase-order.ts'
import { CLASS, DEPARTMENT } from './tracking.ts'

/** An entity and the topic of its resource. */
export interface Reported {
  readonly entity: Entity
  readonly topic: string
}

/** All of them. Tax rates are not reported. */
export const reported: readonly Reported[] = [
  { entity: ACCOUNT, topic: 'accounting/accounts' },
  { entity: BILL, topic: 'accounting/bills' },
  { entity: COMPANY, topic: 'accounting/companyInfo' },
  { entity: CUSTOMER, topic: 'accounting/customers' },
  { entity: INVOICE, topic: 'accounting/invoices' },
  { entity: ITEM, topic: 'accounting/items' },
  { entity: RECEIVED, topic: 'accounting/payments' },
  { entity: MADE, topic: 'accounting/payments' },
  { entity: PURCHASE_ORDER, topic: 'accounting/purchaseOrders' },
  { entity: CLASS, topic: 'accounting/trackingCategories' },
  { entity: DEPARTMENT, topic: 'accounting/trackingCategories' },
  { entity: VENDOR, topic: 'accounting/vendors' },
]

/** The topics of some of them, each once. */
export const topicsOf = (entries: readonly Reported[]): readonly string[] => [
  ...new Set(entries.map(({ topic }) => topic)),
]
