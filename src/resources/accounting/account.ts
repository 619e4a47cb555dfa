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
      {
        ASSET: 'What the company owns.',
        EQUITY: "What the company's owners have invested or retained.",
        EXPENSE: 'What the company spends.',
        LIABILITY: 'What the company owes.',
        REVENUE: 'What the company earns.',
      },
    ),
    accountType: enumeration('Type of the account within its classification.', {
      BANK: 'Money in a bank or in cash.',
      OTHER_CURRENT_ASSET: 'An asset that is used or turned into money within a year.',
      FIXED_ASSET: 'Property and equipment for long-term use.',
      OTHER_ASSET: 'Any other asset.',
      ACCOUNTS_RECEIVABLE: 'What customers owe.',
      EQUITY: "The owners' share of the company.",
      EXPENSE: 'The costs of running the company.',
      OTHER_EXPENSE: 'Costs outside the normal business.',
      COST_OF_GOODS_SOLD: 'The direct costs of what was sold.',
      ACCOUNTS_PAYABLE: 'What is owed to vendors.',
      CREDIT_CARD: 'What is owed on a credit card.',
      LONG_TERM_LIABILITY: 'A debt that is due after a year or later.',
      OTHER_CURRENT_LIABILITY: 'A debt that is due within a year.',
      INCOME: 'What the normal business earns.',
      OTHER_INCOME: 'What is earned outside the normal business.',
    }),
    accountStatus: enumeration('Whether the account is in use.', {
      ACTIVE: 'It is in use.',
      INACTIVE: 'It is not in use.',
    }),
    currentBalance: number("Balance of the account, in the account's currency."),
    currency: currency('Currency of the account.'),
    accountNumber: text('Number of the account in the chart of accounts.'),
    parentAccountId: reference('accounting/accounts', 'Parent of this account.'),
    companyId: reference('accounting/companyInfo', 'Company the account belongs to.'),
  },
})
