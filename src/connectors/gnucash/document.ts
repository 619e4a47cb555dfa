/** Invoices and bills, which the server only lists (NOTES "documents are read-only"). */
import { listOf, readOnly, states } from '../../definition/mapping/converters.ts'
import type { Rule } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { bill } from '../../resources/accounting/bill.ts'
import { invoice } from '../../resources/accounting/invoice.ts'
import { collection } from './listing.ts'

/** What invoices and bills have in common. */
interface Document {
  readonly posted: boolean
  readonly paid: boolean
  readonly notes: string | null
  readonly date_opened: string
  readonly date_posted: string | null
}

/** The rules of a line. The side is the prefix of the fields that apply: `inv` or `bill`. */
const lineRules = (side: 'inv' | 'bill') =>
  ({
    description: 'description',
    unitPrice: `${side}_price`,
    quantity: 'quantity',
    totalAmount: null, // the server does not return it, and taxes and discounts are part of it
    currency: null, // that of the document
    exchangeRate: null,
    accountingItemId: null, // GnuCash has no items
    accountId: `${side}_account.guid`,
    trackingCategoryIds: null, // GnuCash has none
    companyId: null, // a book has one company
  }) satisfies Readonly<Record<string, Rule>>

const statusOf = ({ paid, posted }: Document): string => {
  if (paid) return 'Paid'
  return posted ? 'Posted' : 'Not posted'
}

// `Posted` may be paid in part: the server returns only whether all is paid.
const state = states(statusOf, { 'Not posted': 'DRAFT', Posted: 'OPEN', Paid: 'PAID' })

const rules = {
  remoteId: 'id', // NOTES "two identifiers": a bill has no other
  issueDate: ({ date_posted, date_opened }: Document) => date_posted ?? date_opened,
  dueDate: 'date_due',
  paidOnDate: null, // the server returns only whether it is paid
  memo: ({ notes }: Document) => notes || null,
  companyId: null, // a book has one company
  currency: 'currency',
  exchangeRate: null,
  subTotal: 'total_subtotal',
  totalDiscount: null, // the server returns only the discount of each line
  totalTaxAmount: 'total_tax',
  totalAmount: 'total',
  balance: null, // NOTES "documents are read-only"
  trackingCategoryIds: null, // GnuCash has none
  purchaseOrderIds: null, // GnuCash has none
  remoteCreatedAt: null,
  remoteUpdatedAt: null, // NOTES "no times of change"
  remoteDeleted: null,
} as const

const invoiceMapping = defineMapping<typeof invoice, Document>(invoice, {
  ...rules,
  customerId: 'owner.guid',
  invoiceNumber: 'id',
  invoiceStatus: statusOf,
  invoiceState: state,
  lineItems: readOnly(listOf('entries', lineRules('inv'))),
})

const billMapping = defineMapping<typeof bill, Document>(bill, {
  ...rules,
  vendorId: 'owner.guid',
  billNumber: 'id',
  billStatus: statusOf,
  billState: state,
  lineItems: readOnly(listOf('entries', lineRules('bill'))),
})

export const invoices = collection(invoiceMapping, '/invoices')
export const bills = collection(billMapping, '/bills')
