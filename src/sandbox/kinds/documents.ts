/** Document kinds of the books: purchase orders, bills, invoices and payments. */
import { z } from 'zod'
import { bill } from '../../resources/accounting/bill.ts'
import { invoice } from '../../resources/accounting/invoice.ts'
import { payment } from '../../resources/accounting/payment.ts'
import { purchaseOrder } from '../../resources/accounting/purchase-order.ts'
import { units } from '../amounts.ts'
import { FieldError } from '../errors.ts'
import {
  checkSize,
  documentTotals,
  numberOf,
  type PricedDocument,
  paidOf,
  settlement,
} from '../totals.ts'
import * as a from './blocks.ts'
import { resourceKind } from './derived.ts'
import { type RecordCompletion, ref } from './kind.ts'

const documentLine = z.object({
  description: a.line(),
  accountingItemId: ref('accounting/items').nullable().default(null),
  accountId: ref('accounting/accounts'),
  trackingCategoryIds: a.list(ref('accounting/trackingCategories')),
  unitPrice: a.money(),
  quantity: z.number().positive().max(1_000_000),
  tax_code: ref('accounting/taxRates').default('tax_0001'),
})

const document = {
  issueDate: a.day(),
  currency: a.currency(),
  /** Base currency for one unit of the document's currency. */
  exchangeRate: a.rate().default('1'),
  lineItems: z.array(documentLine).min(1).max(100),
}

const billing = { ...document, dueDate: a.day(), discount_percent: a.percent().default('0') }

const billingComputed = [
  'paidOnDate',
  'subTotal',
  'totalDiscount',
  'totalTaxAmount',
  'totalAmount',
  'balance',
] as const

/** Totals and payment state of a bill or an invoice; the paid amount stays. */
const completeBilling = (
  input: PricedDocument<z.output<typeof documentLine>>,
  isPosted: boolean,
  context: RecordCompletion,
) => {
  const { previous, today } = context
  const totals = documentTotals(input, context)
  const paid = previous ? paidOf(previous) : 0
  const day = String(previous?.paidOnDate ?? today)
  return { ...totals, ...settlement(totals.totalAmount, paid, isPosted, day) }
}

const FIXED = [
  'totalAmount',
  'currency',
  'exchangeRate',
  'accountId',
  'invoice',
  'bill',
  'customerId',
  'vendorId',
] as const

interface PaymentInput {
  readonly invoice: string | null
  readonly bill: string | null
  readonly customerId: string | null
  readonly vendorId: string | null
  readonly currency: string
}

/** The other party of a payment: that of the paid document, or of a payment on account. @throws FieldError */
const partyOf = (input: PaymentInput, { lookUp }: RecordCompletion) => {
  const { invoice, bill, customerId, vendorId, currency } = input
  const paid = invoice ? lookUp('invoices', invoice) : bill ? lookUp('bills', bill) : undefined
  const [incoming, outgoing] = paid ? [invoice, bill] : [customerId, vendorId]
  if ((incoming === null) === (outgoing === null)) throw new FieldError('required', 'invoice')
  if (!paid) return { customerId, vendorId }
  if (paid.currency !== currency) throw new FieldError('invalid', 'currency')
  const party = { customerId: paid.customerId ?? null, vendorId: paid.vendorId ?? null }
  for (const name of ['customerId', 'vendorId'] as const)
    if (input[name] !== null && input[name] !== party[name]) throw new FieldError('invalid', name)
  // Safe cast: the document's party was validated as a reference.
  return party as Pick<PaymentInput, 'customerId' | 'vendorId'>
}

/** The document kinds, by collection. */
export const documentKinds = {
  /** Orders to vendors. */
  purchase_orders: resourceKind(purchaseOrder, 'po', {
    own: {
      ...document,
      /** Default: derived from the id. */
      purchaseOrderNumber: a.line().optional(),
      purchaseOrderStatus: z.enum(['draft', 'sent', 'received', 'cancelled']).default('draft'),
      vendorId: ref('accounting/vendors'),
    },
    computed: ['totalAmount'],
    complete: (input, context) => ({
      ...documentTotals({ ...input, discount_percent: '0' }, context),
      purchaseOrderNumber: input.purchaseOrderNumber ?? numberOf('PO', context.id),
    }),
  }),
  /** Bills from vendors. Their status is `state`. */
  bills: resourceKind(bill, 'bil', {
    own: {
      ...billing,
      billNumber: a.line().optional(),
      vendorId: ref('accounting/vendors'),
      /** False while approval is pending; the bill is not in the books yet. */
      approved: z.boolean().default(true),
    },
    computed: [...billingComputed, 'billStatus', 'billState'],
    complete: (input, context) => ({
      ...completeBilling(input, input.approved, context),
      billNumber: input.billNumber ?? numberOf('B', context.id),
    }),
  }),
  /** Invoices to clients. Their status is `state`. */
  invoices: resourceKind(invoice, 'inv', {
    own: {
      ...billing,
      invoiceNumber: a.line().optional(),
      customerId: ref('accounting/customers'),
      project_code: a.lineOrNull(),
      approved_on: a.day().nullable().default(null),
      /** False for a draft, which is not in the books yet. */
      sent: z.boolean().default(true),
    },
    computed: [...billingComputed, 'invoiceStatus', 'invoiceState'],
    complete: (input, context) => ({
      ...completeBilling(input, input.sent, context),
      invoiceNumber: input.invoiceNumber ?? numberOf('INV', context.id),
    }),
  }),
  /** Incoming and outgoing payments, for an invoice or a bill, or on account of a client or vendor. */
  payments: resourceKind(payment, 'pay', {
    own: {
      /** The paid document: an invoice or a bill, not both. */
      invoice: ref('accounting/invoices').nullable().default(null),
      bill: ref('accounting/bills').nullable().default(null),
      transactionDate: a.day(),
      totalAmount: a.money(),
      currency: a.currency(),
      exchangeRate: a.rate().default('1'),
      /** The bank account. */
      accountId: ref('accounting/accounts').default('acc_0001'),
      method: z.enum(['transfer', 'card', 'direct_debit', 'cash']).default('transfer'),
    },
    computed: ['paymentState'],
    complete: (input, context) => {
      const { previous } = context
      // A posted payment cannot be rewritten, only deleted and created again.
      for (const field of FIXED)
        if (previous && previous[field] !== input[field]) throw new FieldError('fixed', field)
      if (units(input.totalAmount) <= 0) throw new FieldError('invalid', 'totalAmount')
      checkSize(units(input.totalAmount), input.exchangeRate, 'totalAmount')
      return previous ? { ...input } : { ...input, ...partyOf(input, context) }
    },
  }),
}
