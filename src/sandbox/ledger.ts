/** Double-entry bookkeeping: what a document posts to which accounts. Postings in base currency are balanced. */
import { times, units } from './amounts.ts'
import type { FieldsOf, SandboxRecord } from './kinds/kinds.ts'

/** The currency in which the company keeps its books. */
const BASE_CURRENCY = 'EUR'

/** Accounts that documents post to automatically. They cannot be deleted. */
const controlAccounts = {
  receivable: 'acc_0004',
  payable: 'acc_0013',
  inputTax: 'acc_0006',
  outputTax: 'acc_0015',
} as const

const control: ReadonlySet<string> = new Set(Object.values(controlAccounts))

/** Whether documents post to the account automatically. */
export const isControlAccount = (id: string): boolean => control.has(id)

/** Ten-thousandths of the company's currency by account id; debits are positive. */
export type Postings = ReadonlyMap<string, number>

const none: Postings = new Map()

/** Postings of a bill or an invoice from the seller's side; `sign` -1 gives the buyer's side. */
const documentPostings = (
  { lines, fx_rate }: FieldsOf<'invoices'> | FieldsOf<'bills'>,
  accounts: { readonly party: string; readonly tax: string },
  sign: 1 | -1,
): Postings => {
  const postings = new Map<string, number>()
  const post = (account: string, value: number): void => {
    postings.set(account, (postings.get(account) ?? 0) + sign * value)
  }
  for (const line of lines) {
    const net = times(units(line.net) - units(line.discount), fx_rate, BASE_CURRENCY)
    const tax = times(units(line.tax), fx_rate, BASE_CURRENCY)
    post(line.account, -net)
    post(accounts.tax, -tax)
    post(accounts.party, net + tax)
  }
  return postings
}

const paymentPostings = (fields: FieldsOf<'payments'>): Postings => {
  const value = times(units(fields.amount), fields.fx_rate, BASE_CURRENCY)
  return fields.direction === 'incoming'
    ? new Map([
        [fields.account, value],
        [controlAccounts.receivable, -value],
      ])
    : new Map([
        [fields.account, -value],
        [controlAccounts.payable, value],
      ])
}

/** Postings of a record; none if it is missing, deleted or not in the books. */
const postingsOf = (record: SandboxRecord | undefined): Postings => {
  if (record === undefined || record.deleted) return none
  const { receivable, payable, inputTax, outputTax } = controlAccounts
  if (record.kind === 'payments') return paymentPostings(record.fields)
  if (record.kind === 'invoices' && record.fields.sent)
    return documentPostings(record.fields, { party: receivable, tax: outputTax }, 1)
  if (record.kind === 'bills' && record.fields.approved)
    return documentPostings(record.fields, { party: payable, tax: inputTax }, -1)
  return none
}

/** Postings of a change of a record, without accounts whose balance stays the same. */
export const ledgerChange = (
  before: SandboxRecord | undefined,
  after: SandboxRecord | undefined,
): Postings => {
  const change = new Map(postingsOf(after))
  for (const [account, value] of postingsOf(before))
    change.set(account, (change.get(account) ?? 0) - value)
  return new Map([...change].filter(([, value]) => value !== 0))
}

/** Factor from a debit-positive amount to the balance of an account with the classification. */
export const balanceSign = (
  classification: FieldsOf<'ledger_accounts'>['classification'],
): 1 | -1 => (classification === 'ASSET' || classification === 'EXPENSE' ? 1 : -1)
