/** Double entry: what a paper of the books adds to which accounts. The sum is always nothing. */
import { cents, times } from './amounts.ts'
import type { FieldsOf, Stored } from './kinds/kinds.ts'

/** The accounts that papers post to by themselves. They cannot be deleted. */
const controlAccounts = {
  receivable: 'acc_0004',
  payable: 'acc_0013',
  inputTax: 'acc_0006',
  outputTax: 'acc_0015',
} as const

const control: ReadonlySet<string> = new Set(Object.values(controlAccounts))

/** Whether papers post to the account by themselves. */
export const isControlAccount = (id: string): boolean => control.has(id)

/** Cents by account: debit positive, in the company's currency. */
export type Postings = ReadonlyMap<string, number>

const none: Postings = new Map()

/** The postings of a demand seen from the one who makes it; `sign` turns them round. */
const demandPostings = (
  { lines, fx_rate }: FieldsOf<'invoices'> | FieldsOf<'bills'>,
  accounts: { readonly party: string; readonly tax: string },
  sign: 1 | -1,
): Postings => {
  const postings = new Map<string, number>()
  const post = (account: string, value: number): void => {
    postings.set(account, (postings.get(account) ?? 0) + sign * value)
  }
  for (const line of lines) {
    const net = times(cents(line.net) - cents(line.discount), fx_rate)
    const tax = times(cents(line.tax), fx_rate)
    post(line.account, -net)
    post(accounts.tax, -tax)
    post(accounts.party, net + tax)
  }
  return postings
}

const paymentPostings = (fields: FieldsOf<'payments'>): Postings => {
  const value = times(cents(fields.amount), fields.fx_rate)
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

/** What a record adds to the ledger as it is now; nothing if it is not there or not in the books. */
const postingsOf = (record: Stored | undefined): Postings => {
  if (record === undefined || record.deleted) return none
  // A record's fields are those of its kind.
  switch (record.kind) {
    case 'payments':
      return paymentPostings(record.fields as FieldsOf<'payments'>)
    case 'invoices': {
      const fields = record.fields as FieldsOf<'invoices'>
      const { receivable, outputTax } = controlAccounts
      if (!fields.sent) return none
      return demandPostings(fields, { party: receivable, tax: outputTax }, 1)
    }
    case 'bills': {
      const fields = record.fields as FieldsOf<'bills'>
      const { payable, inputTax } = controlAccounts
      if (!fields.approved) return none
      return demandPostings(fields, { party: payable, tax: inputTax }, -1)
    }
    default:
      return none
  }
}

/** What a change of a record changes in the ledger; accounts that stay as they are are left out. */
export const ledgerChange = (before: Stored | undefined, after: Stored | undefined): Postings => {
  const change = new Map(postingsOf(after))
  for (const [account, value] of postingsOf(before))
    change.set(account, (change.get(account) ?? 0) - value)
  return new Map([...change].filter(([, value]) => value !== 0))
}

/** Debit-positive cents as a balance of that section, or a balance as debit-positive cents. */
export const balanceSign = (section: FieldsOf<'ledger_accounts'>['section']): 1 | -1 =>
  section === 'assets' || section === 'expenses' ? 1 : -1
