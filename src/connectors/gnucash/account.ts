import { defineMapping } from '../../definition/mapping.ts'
import { isObject } from '../../definition/value.ts'
import { account } from '../../resources/accounting/account.ts'
import { collection } from './listing.ts'

/** An account of the tree, with the guid of its parent, which the response shows only by nesting. */
interface ListedAccount {
  readonly name: string
  readonly type_id: number
  readonly description: string
  readonly guid: string
  readonly currency: string
  readonly balance: number
  readonly placeholder: boolean
  readonly parent: string | null
}

/** The unified type and classification of GnuCash's account types (`GNCAccountType`), by number. */
const TYPES: Readonly<Record<number, readonly [type: string, classification: string]>> = {
  0: ['BANK', 'ASSET'],
  1: ['OTHER_CURRENT_ASSET', 'ASSET'], // cash
  2: ['OTHER_ASSET', 'ASSET'],
  3: ['CREDIT_CARD', 'LIABILITY'],
  4: ['OTHER_CURRENT_LIABILITY', 'LIABILITY'],
  5: ['OTHER_ASSET', 'ASSET'], // shares
  6: ['OTHER_ASSET', 'ASSET'], // a fund
  8: ['INCOME', 'REVENUE'],
  9: ['EXPENSE', 'EXPENSE'],
  10: ['EQUITY', 'EQUITY'],
  11: ['ACCOUNTS_RECEIVABLE', 'ASSET'],
  12: ['ACCOUNTS_PAYABLE', 'LIABILITY'],
  14: ['EQUITY', 'EQUITY'], // trading
}

/** All accounts below one of the tree, parents first. The root is not an account (NOTES "accounts are a tree"). */
const accountsBelow = (parent: unknown, guid: string | null = null): readonly unknown[] => {
  if (!isObject(parent) || !Array.isArray(parent.subaccounts))
    throw new Error('The response is not a tree of accounts.')
  return parent.subaccounts.flatMap((entry) => {
    const { subaccounts: _, ...listed } = Object(entry)
    return [{ ...listed, parent: guid }, ...accountsBelow(entry, listed.guid)]
  })
}

const mapping = defineMapping<typeof account, ListedAccount>(account, {
  remoteId: 'guid',
  accountName: 'name',
  accountDescription: 'description',
  classification: ({ type_id: type }) => TYPES[type]?.[1],
  accountType: ({ type_id: type }) => TYPES[type]?.[0],
  accountStatus: null, // GnuCash hides accounts in its window only
  currentBalance: 'balance', // NOTES "a balance is positive on the debit side"
  currency: ({ currency }) => currency || null,
  accountNumber: null, // the server does not return the account code
  parentAccountId: 'parent',
  companyId: null, // a book has one company
  remoteCreatedAt: null,
  remoteUpdatedAt: null, // NOTES "no times of change"
  remoteDeleted: null,
})

export const accounts = collection(mapping, '/accounts', ({ body }) => ({
  records: accountsBelow(body),
}))
