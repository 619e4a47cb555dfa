/** Rules that invoices, bills and purchase orders share. */
import type { ResourceWriter } from '../../definition/connector.ts'
import {
  compareDecimals,
  formatDecimal,
  parseDecimal,
  subtractDecimals,
} from '../../definition/decimal.ts'
import { notNull, readOnly, states } from '../../definition/mapping/converters.ts'
import { entriesOf, type Values, valuesAt, valuesOf } from '../../definition/raw-values.ts'
import { common, currency, exchangeRate, text } from './fields.ts'

/** The rules of every transaction with lines. */
export const transaction = {
  ...common,
  issueDate: notNull('TxnDate'),
  memo: text('PrivateNote'),
  currency,
  exchangeRate,
  totalAmount: readOnly('TotalAmt'),
} as const

/**
 * The side effects of a write: the transactions linked to its lines; it changes their balance or status.
 * @param topics by the type in `LinkedTxn`
 */
export const linkedTo =
  (topics: Readonly<Record<string, string>>): NonNullable<ResourceWriter['sideEffects']> =>
  (remoteFields) =>
    ['LinkedTxn', 'Line.LinkedTxn']
      .flatMap((path) => entriesOf(valuesAt(remoteFields, path)))
      .flatMap(({ TxnId, TxnType }) => {
        const topic = topics[String(TxnType)]
        return topic === undefined ? [] : [{ topic, remoteId: String(TxnId) }]
      })

const decimalOf = (value: unknown) => parseDecimal(String(value))

/** The difference of two amounts, exactly; null without the first one. */
export const difference = (total: unknown, part: unknown): string | null => {
  const [a, b] = [decimalOf(total), decimalOf(part ?? 0)]
  return a && b ? formatDecimal(subtractDecimals(a, b)) : null
}

/** The tax of a transaction; null without one. */
export const taxOf = ({ TxnTaxDetail }: Values): unknown => valuesOf(TxnTaxDetail).TotalTax ?? null

const ZERO = { unscaled: 0n, scale: 0 }

/** Whether a transaction is voided: it has no amount, and a note that starts with the word (NOTES "statuses"). */
const isVoided = ({ TotalAmt, PrivateNote }: Values): boolean => {
  const total = decimalOf(TotalAmt)
  return (
    total !== undefined &&
    compareDecimals(total, ZERO) === 0 &&
    String(PrivateNote ?? '').startsWith('Voided')
  )
}

/** The status, which QuickBooks shows but does not return: it follows from the balance (NOTES "statuses"). */
export const statusOf = (raw: Values): string | null => {
  const [total, balance] = [decimalOf(raw.TotalAmt), decimalOf(raw.Balance)]
  if (!total || !balance) return null
  if (isVoided(raw)) return 'Voided'
  if (compareDecimals(balance, ZERO) === 0) return 'Paid'
  return compareDecimals(balance, total) === 0 ? 'Open' : 'Partially paid'
}

/** The state of an invoice or a bill. */
export const documentState = states(statusOf, {
  Open: 'OPEN',
  'Partially paid': 'PARTIALLY_PAID',
  Paid: 'PAID',
  Voided: 'VOID',
})

/** The rules of invoices and bills. */
export const billing = {
  ...transaction,
  dueDate: notNull('DueDate'),
  paidOnDate: null, // NOTES "statuses": it is the date of a payment
  totalTaxAmount: taxOf,
  balance: readOnly('Balance'),
} as const

/** The state of a payment. */
export const paymentState = (raw: Values): string => (isVoided(raw) ? 'VOID' : 'COMPLETED')
