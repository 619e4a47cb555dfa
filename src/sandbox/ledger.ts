/** Double-entry bookkeeping: what a document posts to which accounts. Postings in base currency are balanced. */
import { times, units } from './amounts.ts'
import type { FieldsOf, SandboxRecord } from './kinds/kinds.ts'

/** The currency in which the company keeps its books. */
const BASE_CURRENCY = 'EUR'

/** Accounts that documents post to automatically. They cannot be deleted. */
const RECEIVABLE = 'acc_0004'
const PAYABLE = 'acc_0013'
const INPUT_TAX = 'acc_0006'
const OUTPUT_TAX = 'acc_0015'

/** Whether documents post to the account automatically. */
export const isControlAccount = (id: string): boolean =>
  [RECEIVABLE, PAYABLE, INPUT_TAX, OUTPUT_TAX].includes(id)

/** An account and ten-thousandths of the company's currency; debits are positive. */
type Posting = readonly [account: string, value: number]

/** Postings of an invoice; a bill's are the same with the opposite sign. */
const documentPostings = (
  { lineItems, exchangeRate }: FieldsOf<'invoices'> | FieldsOf<'bills'>,
  partyAccount: string,
  taxAccount: string,
): readonly Posting[] =>
  lineItems.flatMap((line): readonly Posting[] => {
    const net = units(line.totalAmount) - units(line.discount)
    const revenue = times(net, exchangeRate, BASE_CURRENCY)
    const tax = times(units(line.taxAmount), exchangeRate, BASE_CURRENCY)
    return [
      [line.accountId, -revenue],
      [taxAccount, -tax],
      [partyAccount, revenue + tax],
    ]
  })

/** Postings of a record; none if it is missing, deleted or not in the books. */
const postingsOf = (record: SandboxRecord | undefined): readonly Posting[] => {
  if (record === undefined || record.deleted) return []
  const { kind, fields } = record
  if (kind === 'payments') {
    const value = times(units(fields.totalAmount), fields.exchangeRate, BASE_CURRENCY)
    const [partyAccount, received] = fields.vendorId ? [PAYABLE, -value] : [RECEIVABLE, value]
    return [
      [fields.accountId, received],
      [partyAccount, -received],
    ]
  }
  if (kind === 'invoices' && fields.sent) return documentPostings(fields, RECEIVABLE, OUTPUT_TAX)
  if (kind === 'bills' && fields.approved)
    return documentPostings(fields, PAYABLE, INPUT_TAX).map(([id, value]) => [id, -value])
  return []
}

/** The change of balances by account when a record changes, without accounts whose balance stays the same. */
export const ledgerChange = (
  before: SandboxRecord | undefined,
  after: SandboxRecord | undefined,
): ReadonlyMap<string, number> => {
  const reversed = postingsOf(before).map(([account, value]): Posting => [account, -value])
  const change = new Map<string, number>()
  for (const [account, value] of [...postingsOf(after), ...reversed])
    change.set(account, (change.get(account) ?? 0) + value)
  return new Map([...change].filter(([, value]) => value !== 0))
}

/** Factor from a debit-positive amount to the balance of an account with the classification. */
export const balanceSign = (
  classification: FieldsOf<'ledger_accounts'>['classification'],
): 1 | -1 => (classification === 'ASSET' || classification === 'EXPENSE' ? 1 : -1)
