/** Document kinds of the books: purchase orders, bills, invoices and payments. */
import { z } from 'zod'
import { purchaseOrder } from '../../resources/accounting/purchase-order.ts'
import { units } from '../amounts.ts'
import { FieldError } from '../errors.ts'
import { checkSize, documentNumber, documentTotals, settlementOf } from '../totals.ts'
import * as a from './blocks.ts'
import { schemaOf } from './derived.ts'
import { defineKind, type RecordCompletion, ref } from './kind.ts'

const documentLine = z.object({
  text: a.line(),
  item: ref('accounting/items').nullable().default(null),
  account: ref('accounting/accounts'),
  cost_centers: a.list(ref('accounting/trackingCategories')),
  unit_price: a.money(),
  quantity: z.number().positive().max(1_000_000),
  tax_code: ref('accounting/taxRates').default('tax_0001'),
})

const document = {
  /** Default: derived from the id. */
  number: a.line().optional(),
  remark: a.multilineText(),
  company: a.company(),
  currency_code: a.currency(),
  /** Base currency for one unit of the document's currency. */
  fx_rate: a.rate().default('1'),
  cost_centers: a.list(ref('accounting/trackingCategories')),
  lines: z.array(documentLine).min(1).max(100),
}

const billingFields = {
  ...document,
  issued_on: a.day(),
  due_on: a.day(),
  discount_percent: a.percent().default('0'),
  purchase_orders: a.list(ref('accounting/purchaseOrders')),
}

const FIXED = ['amount', 'currency_code', 'fx_rate', 'account', 'invoice', 'bill'] as const

interface PaymentInput {
  readonly invoice: string | null
  readonly bill: string | null
  readonly client: string | null
  readonly vendor: string | null
  readonly currency_code: string
}

/** The other party of a payment: the document's, or that of a payment on account. */
const partiesOf = (input: PaymentInput, { previous, lookUp }: RecordCompletion) => {
  const { invoice, bill } = input
  const paid = invoice ? lookUp('invoices', invoice) : bill ? lookUp('bills', bill) : undefined
  if (paid && paid.currency_code !== input.currency_code)
    throw new FieldError('invalid', 'currency_code')
  for (const name of ['client', 'vendor'] as const) {
    const known = paid ? (paid[name] ?? null) : input[name]
    const isNewReference = input[name] !== null && input[name] !== previous?.[name]
    if (isNewReference && input[name] !== known) throw new FieldError('invalid', name)
    if (!paid && previous && previous[name] !== known) throw new FieldError('fixed', name)
  }
  // Safe casts: the document's party was validated as a reference.
  return paid
    ? {
        client: (paid.client ?? null) as string | null,
        vendor: (paid.vendor ?? null) as string | null,
      }
    : { client: input.client, vendor: input.vendor }
}

/** The document kinds, by collection. */
export const documentKinds = {
  /** Orders to vendors. */
  purchase_orders: defineKind({
    topic: 'accounting/purchaseOrders',
    prefix: 'po',
    fields: z.strictObject({
      ...document,
      state: z.enum(['draft', 'sent', 'received', 'cancelled']).default('draft'),
      vendor: ref('accounting/vendors'),
      /** Budget account of the whole order. */
      account: ref('accounting/accounts').nullable().default(null),
      ordered_on: a.day(),
      expected_on: a.day().nullable().default(null),
      deliver_to: schemaOf(purchaseOrder.fields.deliveryAddress),
    }),
    complete: (input, context) => {
      const { discount_total, ...totals } = documentTotals(
        { ...input, discount_percent: '0' },
        context,
      )
      return { ...totals, number: documentNumber('PO', input.number, context.id) }
    },
  }),
  /** Bills from vendors. */
  bills: defineKind({
    topic: 'accounting/bills',
    prefix: 'bil',
    fields: z.strictObject({
      ...billingFields,
      vendor: ref('accounting/vendors'),
      /** False while approval is pending; the bill is not in the books yet. */
      approved: z.boolean().default(true),
    }),
    complete: (input, context) => {
      const totals = documentTotals(input, context)
      const settlement = settlementOf(totals.total, input.approved, context)
      return { ...totals, ...settlement, number: documentNumber('B', input.number, context.id) }
    },
  }),
  /** Invoices to clients. */
  invoices: defineKind({
    topic: 'accounting/invoices',
    prefix: 'inv',
    fields: z.strictObject({
      ...billingFields,
      client: ref('accounting/customers'),
      project_code: a.lineOrNull(),
      approved_on: a.day().nullable().default(null),
      /** False for a draft, which is not in the books yet. */
      sent: z.boolean().default(true),
    }),
    complete: (input, context) => {
      const totals = documentTotals(input, context)
      const settlement = settlementOf(totals.total, input.sent, context)
      return { ...totals, ...settlement, number: documentNumber('INV', input.number, context.id) }
    },
  }),
  /** Incoming and outgoing payments, for an invoice or a bill, or on account of a client or vendor. */
  payments: defineKind({
    topic: 'accounting/payments',
    prefix: 'pay',
    fields: z.strictObject({
      /** The paid document: an invoice or a bill, not both. */
      invoice: ref('accounting/invoices').nullable().default(null),
      bill: ref('accounting/bills').nullable().default(null),
      /** The document's party, if the payment has a document. */
      client: ref('accounting/customers').nullable().default(null),
      vendor: ref('accounting/vendors').nullable().default(null),
      paid_on: a.day(),
      amount: a.money(),
      currency_code: a.currency(),
      fx_rate: a.rate().default('1'),
      /** The bank account. */
      account: ref('accounting/accounts').default('acc_0001'),
      method: z.enum(['transfer', 'card', 'direct_debit', 'cash']).default('transfer'),
      reference: a.lineOrNull(),
      cost_centers: a.list(ref('accounting/trackingCategories')),
      company: a.company(),
    }),
    complete: (input, context) => {
      const isOnAccount = input.invoice === null && input.bill === null
      const incoming = isOnAccount ? input.client : input.invoice
      const outgoing = isOnAccount ? input.vendor : input.bill
      if ((incoming === null) === (outgoing === null)) throw new FieldError('required', 'invoice')
      if (units(input.amount) <= 0) throw new FieldError('invalid', 'amount')
      checkSize(units(input.amount), input.fx_rate, 'amount')
      // A posted payment cannot be rewritten, only deleted and created again.
      const { previous } = context
      for (const field of FIXED)
        if (previous && previous[field] !== input[field]) throw new FieldError('fixed', field)
      return {
        direction: incoming === null ? 'outgoing' : 'incoming',
        ...partiesOf(input, context),
      }
    },
  }),
}
