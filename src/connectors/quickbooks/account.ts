/** Accounts of the general ledger. */
import { flag, notNull, readOnly, required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { account } from '../../resources/accounting/account.ts'
import type { Entity } from './entity.ts'
import { common, currency, parent, text, words } from './fields.ts'
import { collection } from './writer.ts'

const CLASSIFICATIONS = {
  Asset: 'ASSET',
  Equity: 'EQUITY',
  Expense: 'EXPENSE',
  Liability: 'LIABILITY',
  Revenue: 'REVENUE',
}

/** The account types (AccountTypeEnum). The unified model has none for `Non-Posting`. */
const TYPES = {
  Bank: 'BANK',
  'Accounts Receivable': 'ACCOUNTS_RECEIVABLE',
  'Other Current Asset': 'OTHER_CURRENT_ASSET',
  'Fixed Asset': 'FIXED_ASSET',
  'Other Asset': 'OTHER_ASSET',
  'Accounts Payable': 'ACCOUNTS_PAYABLE',
  'Credit Card': 'CREDIT_CARD',
  'Other Current Liability': 'OTHER_CURRENT_LIABILITY',
  'Long Term Liability': 'LONG_TERM_LIABILITY',
  Equity: 'EQUITY',
  Income: 'INCOME',
  'Cost of Goods Sold': 'COST_OF_GOODS_SOLD',
  Expense: 'EXPENSE',
  'Other Income': 'OTHER_INCOME',
  'Other Expense': 'OTHER_EXPENSE',
}

export const ACCOUNT: Entity = { name: 'Account', hasActive: true, requires: ['Name'] }

export const accounts = collection(
  defineMapping(account, {
    ...common,
    accountName: required('Name'),
    accountDescription: text('Description'),
    // QuickBooks derives it from the type.
    classification: readOnly(words('Classification', CLASSIFICATIONS)),
    accountType: notNull(words('AccountType', TYPES)),
    accountStatus: flag('Active', 'ACTIVE', 'INACTIVE'),
    currentBalance: readOnly('CurrentBalance'),
    currency,
    accountNumber: text('AcctNum'),
    parentAccountId: parent('SubAccount'),
  }),
  ACCOUNT,
)
