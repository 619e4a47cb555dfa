/** The papers of the books: orders to vendors, bills, invoices and payments. */
import { z } from 'zod'
import { cents } from '../amounts.ts'
import { checkSize, documentTotals, numbered, settlementOf } from '../totals.ts'
import * as a from './blocks.ts'
import { type Completion, defineKind, FieldError, ref } from './kind.ts'

const documentLine = z.object({
  text: a.line(),
  item: ref('catalog_items').nullable().default(null),
  account: ref('ledger_accounts'),
  cost_centers: a.list(ref('cost_centers')),
  unit_price: a.money(),
  quantity: z.number().positive().max(1_000_000),
  tax_code: ref('tax_codes').default('tax_0001'),
})

const document = {
  /** One is made unless it is given. */
  number: a.line().optional(),
  remark: a.prose(),
  company: ref('companies').default('com_0001'),
  currency_code: a.currency().default('EUR'),
  /** Base currency for one unit of the document's. */
  fx_rate: a.rate().default('1'),
  cost_centers: a.list(ref('cost_centers')),
  lines: z.array(documentLine).min(1).max(100),
}

const demand = {
  ...document,
  issued_on: a.day(),
  due_on: a.day(),
  discount_percent: a.percent().default('0'),
  purchase_orders: a.list(ref('purchase_orders')),
}

/** What is ordered from vendors. */
export const purchaseOrders = defineKind({
  prefix: 'po',
  fields: z.strictObject({
    ...document,
    state: z.enum(['draft', 'sent', 'received', 'cancelled']).default('draft'),
    vendor: ref('vendors'),
    /** The account that the whole order is budgeted on. */
    account: ref('ledger_accounts').nullable().default(null),
    ordered_on: a.day(),
    expected_on: a.day().nullable().default(null),
    deliver_to: a.address.nullable().default(null),
  }),
  complete: (given, context) => {
    const { discount_total, ...totals } = documentTotals(
      { ...given, discount_percent: '0' },
      context,
    )
    return { ...totals, number: numbered('PO', given.number, context.id) }
  },
})

/** What vendors want to be paid. */
export const bills = defineKind({
  prefix: 'bil',
  fields: z.strictObject({
    ...demand,
    vendor: ref('vendors'),
    /** False while it waits for approval: it is not in the books yet. */
    approved: z.boolean().default(true),
  }),
  complete: (given, context) => {
    const totals = documentTotals(given, context)
    return {
      ...totals,
      ...settlementOf(totals.total, given.approved, context),
      number: numbered('B', given.number, context.id),
    }
  },
})

/** What clients are to pay. */
export const invoices = defineKind({
  prefix: 'inv',
  fields: z.strictObject({
    ...demand,
    client: ref('clients'),
    /** False for a draft: it is not in the books yet. */
    sent: z.boolean().default(true),
  }),
  complete: (given, context) => {
    const totals = documentTotals(given, context)
    return {
      ...totals,
      ...settlementOf(totals.total, given.sent, context),
      number: numbered('INV', given.number, context.id),
    }
  },
})

const FIXED = ['amount', 'currency_code', 'fx_rate', 'account', 'invoice', 'bill'] as const

interface GivenPayment {
  readonly invoice: string | null
  readonly bill: string | null
  readonly client: string | null
  readonly vendor: string | null
  readonly currency_code: string
}

/** Who a payment is from or to: the other party of its document, or the one that it is on account of. */
const partiesOf = (given: GivenPayment, { previous, look }: Completion) => {
  const { invoice, bill } = given
  const paid = invoice ? look('invoices', invoice) : bill ? look('bills', bill) : undefined
  if (paid && paid.currency_code !== given.currency_code)
    throw new FieldError('invalid', 'currency_code')
  for (const name of ['client', 'vendor'] as const) {
    const known = paid ? (paid[name] ?? null) : given[name]
    const isAnew = given[name] !== null && given[name] !== previous?.[name]
    if (isAnew && given[name] !== known) throw new FieldError('invalid', name)
    if (!paid && previous && previous[name] !== known) throw new FieldError('fixed', name)
  }
  // The document's party was given with a reference of its own kind.
  return paid
    ? {
        client: (paid.client ?? null) as string | null,
        vendor: (paid.vendor ?? null) as string | null,
      }
    : { client: given.client, vendor: given.vendor }
}

/** Money that came in or went out: for an invoice or a bill, or on account of a client or vendor. */
export const payments = defineKind({
  prefix: 'pay',
  fields: z.strictObject({
    /** What is paid: an invoice or a bill, not both. */
    invoice: ref('invoices').nullable().default(null),
    bill: ref('bills').nullable().default(null),
    /** The document's, if there is one. */
    client: ref('clients').nullable().default(null),
    vendor: ref('vendors').nullable().default(null),
    paid_on: a.day(),
    amount: a.money(),
    currency_code: a.currency().default('EUR'),
    fx_rate: a.rate().default('1'),
    /** The bank account that the money went through. */
    account: ref('ledger_accounts').default('acc_0001'),
    method: z.enum(['transfer', 'card', 'direct_debit', 'cash']).default('transfer'),
    reference: a.lineOrNull(),
    cost_centers: a.list(ref('cost_centers')),
    company: ref('companies').default('com_0001'),
  }),
  complete: (given, context) => {
    const isOnAccount = given.invoice === null && given.bill === null
    const incoming = isOnAccount ? given.client : given.invoice
    const outgoing = isOnAccount ? given.vendor : given.bill
    if ((incoming === null) === (outgoing === null)) throw new FieldError('required', 'invoice')
    if (cents(given.amount) <= 0) throw new FieldError('invalid', 'amount')
    checkSize(cents(given.amount), given.fx_rate, 'amount')
    // What a payment settles is in the books: it is deleted and made anew, never rewritten.
    const { previous } = context
    for (const field of FIXED)
      if (previous && previous[field] !== given[field]) throw new FieldError('fixed', field)
    return { direction: incoming === null ? 'outgoing' : 'incoming', ...partiesOf(given, context) }
  },
})
