import { enumeration, number, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'

export const account = defineResource({
  name: 'account',
  plural: 'accounts',
  category: 'accounting',
  doc: "An account in the company's general ledger.",
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    accountName: text('Name of the account.', { required: true }),
    accountDescription: text('What the account is used for.'),
    classification: enumeration(
      'Classification of the account in the balance sheet or income statement.',
      ['ASSET', 'EQUITY', 'EXPENSE', 'LIABILITY', 'REVENUE'],
    ),
    accountType: enumeration('Type of the account within its classification.', [
      'BANK',
      'OTHER_CURRENT_ASSET',
      'FIXED_ASSET',
      'OTHER_ASSET',
      'ACCOUNTS_RECEIVABLE',
      'EQUITY',
      'EXPENSE',
      'OTHER_EXPENSE',
      'COST_OF_GOODS_SOLD',
      'ACCOUNTS_PAYABLE',
      'CREDIT_CARD',
      'LONG_TERM_LIABILITY',
      'OTHER_CURRENT_LIABILITY',
      'INCOME',
      'OTHER_INCOME',
    ]),
    accountStatus: enumeration('Whether the account is in use.', ['ACTIVE', 'INACTIVE']),
    currentBalance: number("Balance of the account, in the account's currency."),
    currency: currency('Currency of the account.'),
    accountNumber: text('Number of the account in the chart of accounts.'),
    parentAccountId: reference('accounting/accounts', 'Parent of this account.'),
    companyId: reference('accounting/companyInfo', 'Company the account belongs to.'),
  },
})
