/** Accounting kinds: the company, its chart of accounts, parties, items and tax codes. */
import { z } from 'zod'
import * as a from './blocks.ts'
import { defineKind, FieldError, ref } from './kind.ts'

const party = {
  display_name: a.line(),
  contact_email: a.email().nullable().default(null),
  vat_id: a.lineOrNull(),
  state: z.enum(['active', 'archived']).default('active'),
  currency_code: a.currency().default('EUR'),
  company: ref('companies').default('com_0001'),
  addresses: a.list(a.address),
  phones: a.list(a.phone),
}

/** The company of the tenant. */
export const companies = defineKind({
  topic: 'accounting/companyInfo',
  prefix: 'com',
  fields: z.strictObject({
    trading_name: a.line(),
    legal_name: a.line(),
    vat_id: a.line(),
    /** Month and day: `12-31`. */
    fiscal_year_end: z.string().regex(/^\d\d-\d\d$/),
    base_currency: a.currency(),
    websites: a.list(a.webAddress()),
    addresses: a.list(a.address),
    phones: a.list(a.phone),
  }),
})

/** Section of the books for each type of ledger account. */
const ledgerSections = {
  bank: 'assets',
  receivable: 'assets',
  current_asset: 'assets',
  fixed_asset: 'assets',
  other_asset: 'assets',
  payable: 'liabilities',
  credit_card: 'liabilities',
  current_liability: 'liabilities',
  long_term_liability: 'liabilities',
  equity: 'equity',
  income: 'revenue',
  other_income: 'revenue',
  cost_of_sales: 'expenses',
  expense: 'expenses',
  other_expense: 'expenses',
} as const

const ledgerTypes = [
  'bank',
  'receivable',
  'current_asset',
  'fixed_asset',
  'other_asset',
  'payable',
  'credit_card',
  'current_liability',
  'long_term_liability',
  'equity',
  'income',
  'other_income',
  'cost_of_sales',
  'expense',
  'other_expense',
] as const satisfies readonly (keyof typeof ledgerSections)[]

/** The chart of accounts. A balance is positive on the normal side of its section. */
export const ledgerAccounts = defineKind({
  topic: 'accounting/accounts',
  prefix: 'acc',
  fields: z.strictObject({
    code: a.lineOrNull(),
    title: a.line(),
    purpose: a.lineOrNull(),
    type: z.enum(ledgerTypes),
    in_use: z.boolean().default(true),
    currency_code: a.currency().default('EUR'),
    parent: ref('ledger_accounts').nullable().default(null),
    company: ref('companies').default('com_0001'),
  }),
  complete: ({ type }, { previous }) => {
    // Another type could move the balance to the other side.
    if (previous && previous.type !== type) throw new FieldError('fixed', 'type')
    return { section: ledgerSections[type], balance: String(previous?.balance ?? '0.00') }
  },
})

/** Vendors. */
export const vendors = defineKind({
  topic: 'accounting/vendors',
  prefix: 'ven',
  fields: z.strictObject({ ...party, payment_terms_days: z.int().min(0).max(365).default(30) }),
})

/** Clients, i.e. customers in the books. */
export const clients = defineKind({
  topic: 'accounting/customers',
  prefix: 'cli',
  fields: z.strictObject({ ...party, credit_limit: a.money().nullable().default(null) }),
})

/** Tax codes of sales and purchases. */
export const taxCodes = defineKind({
  topic: 'accounting/taxRates',
  prefix: 'tax',
  fields: z.strictObject({
    label: a.line(),
    components: z.array(z.object({ label: a.line(), percent: a.percent() })),
    /** Percentage that is actually charged on a net amount. */
    effective_percent: a.percent(),
    company: ref('companies').default('com_0001'),
  }),
  complete: ({ components }) => ({
    percent: components.reduce((total, { percent }) => total + Number(percent), 0).toFixed(2),
  }),
})

/** Cost centers, the dimensions of reports. */
export const costCenters = defineKind({
  topic: 'accounting/trackingCategories',
  prefix: 'cc',
  fields: z.strictObject({
    name: a.line(),
    dimension: z.enum(['department', 'location']),
    state: z.enum(['active', 'archived']).default('active'),
    parent: ref('cost_centers').nullable().default(null),
    company: ref('companies').default('com_0001'),
  }),
})

/** Items that the company buys and sells. */
export const catalogItems = defineKind({
  topic: 'accounting/items',
  prefix: 'itm',
  fields: z.strictObject({
    name: a.line(),
    sku: a.lineOrNull(),
    state: z.enum(['active', 'archived']).default('active'),
    nature: z.enum(['service', 'goods', 'stocked_goods']).default('goods'),
    sale_price: a.money().nullable().default(null),
    purchase_price: a.money().nullable().default(null),
    /** Units in stock; null for items without inventory. */
    stock: z.number().min(0).max(1_000_000).nullable().default(null),
    purchase_account: ref('ledger_accounts').nullable().default(null),
    sales_account: ref('ledger_accounts').nullable().default(null),
    stock_account: ref('ledger_accounts').nullable().default(null),
    tax_code: ref('tax_codes').default('tax_0001'),
    company: ref('companies').default('com_0001'),
  }),
})
