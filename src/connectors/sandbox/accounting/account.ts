import { defineMapping } from '../../../definition/mapping.ts'
import { account } from '../../../resources/accounting/account.ts'
import { collection } from '../collection.ts'
import { currency, enumeration, required } from '../conversion.ts'
import { as, once } from '../inverse.ts'
import { readEnum, recordFields } from '../shared.ts'

interface Raw {
  readonly section: string
  readonly type: string
  readonly in_use: boolean
}

const sections = {
  assets: 'ASSET',
  equity: 'EQUITY',
  expenses: 'EXPENSE',
  liabilities: 'LIABILITY',
  revenue: 'REVENUE',
} as const

const types = {
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
} as const

const mapping = defineMapping<typeof account, Raw>(account, {
  ...recordFields,
  accountName: 'title',
  accountDescription: 'purpose',
  classification: readEnum('section', sections),
  accountType: readEnum('type', types),
  accountStatus: ({ in_use }) => (in_use ? 'ACTIVE' : 'INACTIVE'),
  currentBalance: 'balance',
  currency: 'currency_code',
  accountNumber: 'code',
  parentAccountId: 'parent',
  companyId: 'company',
})

const inUse = required({ toApp: (value) => value === 'ACTIVE' })

/** `/v1/ledger_accounts` */
export default collection('ledger_accounts', mapping, {
  accountName: as('title', required()),
  accountDescription: 'purpose',
  accountType: once('type', required(enumeration(types))),
  accountStatus: as('in_use', inUse),
  currency: as('currency_code', currency),
  accountNumber: 'code',
  parentAccountId: 'parent',
  companyId: as('company', required()),
})
