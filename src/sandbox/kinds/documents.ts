/** Document kinds of the books: purchase orders, bills, invoices and payments. */
import { z } from 'zod'
import { date, decimal, reference, text } from '../../definition/field.ts'
import { bill } from '../../resources/accounting/bill.ts'
import { invoice } from '../../resources/accounting/invoice.ts'
import { payment } from '../../resources/accounting/payment.ts'
import { purchaseOrder } from '../../resources/accounting/purchase-order.ts'
import { amount, sum, units } from '../amounts.ts'
import { FieldError } from '../errors.ts'
import { checkSize, documentTotals } from '../totals.ts'
import * as a from './blocks.ts'
import { resourceKind } from './derived.ts'
import { ref, type SandboxFields } from './kind.ts'

const documentLine = z.object({
  description: a.line(),
  accountingItemId: ref().nullable().default(null),
  accountId: ref(),
  trackingCategoryIds: a.list(ref()),
  unitPrice: a.money(),
  quantity: z.number().positive().max(1_000_000),
})

const document = {
  /** Base currency for one unit of the document's currency. */
  exchangeRate: a.rate().default('1'),
  discount_percent: a.percent().default('0'),
  tax_percent: a.percent().default('23'),
  lineItems: z.array(documentLine).min(1).max(100),
}

const totals = ['subTotal', 'totalDiscount', 'totalTaxAmount', 'totalAmount'] as const

/** Totals of a bill or an invoice, and its payment state, which follows from its payments. */
const completeBilling = (
  input: Parameters<typeof documentTotals<z.output<typeof documentLine>>>[0],
  isPosted: boolean,
  payments: readonly SandboxFields[],
) => {
  const totals = documentTotals(input)
  const total = units(totals.totalAmount)
  const paid = sum(payments.map(({ totalAmount }) => units(String(totalAmount))))
  const isPaid = isPosted && total > 0 && paid >= total
  const days = payments.map(({ transactionDate }) => String(transactionDate)).sort()
  return {
    ...totals,
    state: !isPosted ? 'draft' : isPaid ? 'paid' : paid > 0 ? 'part_paid' : 'open',
    balance: amount(total - paid),
    paidOnDate: isPaid ? (days.at(-1) ?? null) : null,
  } as const
}

/** The document kinds, by collection. */
export const documentKinds = {
  /** Orders to vendors. */
  purchase_orders: resourceKind(purchaseOrder, 'po', {
    required: ['issueDate', 'vendorId'],
    computed: ['totalAmount'],
    own: {
      ...document,
      /** Default: derived from the id, as on bills and invoices. */
      purchaseOrderNumber: a.line().optional(),
      purchaseOrderStatus: a.line().default('draft'),
    },
    complete: (input, { number }) => ({
      ...documentTotals(input),
      purchaseOrderNumber: input.purchaseOrderNumber ?? number,
    }),
  }),
  /** Bills from vendors. Their status is `state`. */
  bills: resourceKind(bill, 'bil', {
    required: ['issueDate', 'dueDate', 'vendorId'],
    computed: [...totals, 'balance', 'paidOnDate', 'billStatus', 'billState'],
    own: {
      ...document,
      billNumber: a.line().optional(),
      /** False while approval is pending; the bill is not in the books yet. */
      approved: z.boolean().default(true),
    },
    parts: { kind: 'payments', reference: 'bill' },
    complete: (input, { number, parts }) => ({
      ...completeBilling(input, input.approved, parts),
      billNumber: input.billNumber ?? number,
    }),
  }),
  /** Invoices to clients. Their status is `state`. */
  invoices: resourceKind(invoice, 'inv', {
    required: ['issueDate', 'dueDate', 'customerId'],
    computed: [...totals, 'balance', 'paidOnDate', 'invoiceStatus', 'invoiceState'],
    more: {
      project_code: text('Project code'),
      approved_on: date('Approved on'),
      discount_percent: decimal('Discount in percent'),
    },
    own: {
      ...document,
      invoiceNumber: a.line().optional(),
      /** False for a draft, which is not in the books yet. */
      sent: z.boolean().default(true),
    },
    parts: { kind: 'payments', reference: 'invoice' },
    complete: (input, { number, parts }) => ({
      ...completeBilling(input, input.sent, parts),
      invoiceNumber: input.invoiceNumber ?? number,
    }),
  }),
  /** Incoming and outgoing payments, for an invoice or a bill, or on account of a client or vendor. */
  payments: resourceKind(payment, 'pay', {
    required: ['transactionDate'],
    computed: ['paymentState'],
    more: {
      invoice: reference('accounting/invoices', 'Paid invoice'),
      bill: reference('accounting/bills', 'Paid bill'),
    },
    own: {
      totalAmount: a.money(),
      exchangeRate: a.rate().default('1'),
      /** The bank account. */
      accountId: ref().default('acc_0001'),
    },
    /** The other party is that of the paid document, or of a payment on account. */
    complete: (input, { lookUp }) => {
      const { invoice, bill, customerId, vendorId, currency, totalAmount, exchangeRate } = input
      if (units(totalAmount) <= 0) throw new FieldError('invalid', 'totalAmount')
      checkSize(units(totalAmount), exchangeRate, 'totalAmount')
      const paid = invoice ? lookUp('invoices', invoice) : bill && lookUp('bills', bill)
      const [incoming, outgoing] = paid ? [invoice, bill] : [customerId, vendorId]
      if ((incoming === null) === (outgoing === null))
        throw new FieldError('required', 'customerId')
      if (!paid) return { customerId, vendorId }
      if (paid.currency !== currency) throw new FieldError('invalid', 'currency')
      // Safe cast: a document references its party.
      const party = (paid[invoice ? 'customerId' : 'vendorId'] ?? null) as string | null
      const parties = { customerId: invoice ? party : null, vendorId: invoice ? null : party }
      if (![null, parties.customerId].includes(customerId))
        throw new FieldError('invalid', 'customerId')
      if (![null, parties.vendorId].includes(vendorId)) throw new FieldError('invalid', 'vendorId')
      return parties
    },
  }),
}
