import {
  createOnly,
  enumeration,
  flag,
  notNull,
  readOnly,
} from '../../../definition/mapping/converters.ts'
import { account } from '../../../resources/accounting/account.ts'
import { collection } from '../collection.ts'

const section = enumeration('section', {
  assets: 'ASSET',
  equity: 'EQUITY',
  expenses: 'EXPENSE',
  liabilities: 'LIABILITY',
  revenue: 'REVENUE',
})

const type = enumeration('type', {
  bank: 'BANK',
  receivable: 'ACCOUNTS_RECEIVABLE',
  current_asset: 'OTHER_CURRENT_ASSET',
  fixed_asset: 'FIXED_ASSET',
  other_asset: 'OTHER_ASSET',
  payable: 'ACCOUNTS_PAYABLE',
  credit_card: 'CREDIT_CARD',
  current_liability: 'OTHER_CURRENT_LIABILITY',
  long_term_liability: 'LONG_TERM_LIABILITY',
  equity: 'EQUITY',
  income: 'INCOME',
  other_income: 'OTHER_INCOME',
  cost_of_sales: 'COST_OF_GOODS_SOLD',
  expense: 'EXPENSE',
  other_expense: 'OTHER_EXPENSE',
})

/** `/v1/ledger_accounts` */
export default collection('ledger_accounts', account, {
  accountName: notNull('title'),
  accountDescription: 'purpose',
  classification: readOnly(section),
  accountType: createOnly(notNull(type)),
  accountStatus: notNull(flag('in_use', 'ACTIVE', 'INACTIVE')),
  currentBalance: readOnly('balance'),
  currency: notNull('currency_code'),
  accountNumber: 'code',
  parentAccountId: 'parent',
  companyId: notNull('company'),
})
