/** Accounting kinds: the company, its chart of accounts, parties, items and tax codes. */
import { z } from 'zod'
import { account } from '../../resources/accounting/account.ts'
import { companyInfo } from '../../resources/accounting/company-info.ts'
import { customer } from '../../resources/accounting/customer.ts'
import { item } from '../../resources/accounting/item.ts'
import { taxRate } from '../../resources/accounting/tax-rate.ts'
import { trackingCategory } from '../../resources/accounting/tracking-category.ts'
import { vendor } from '../../resources/accounting/vendor.ts'
import { FieldError } from '../errors.ts'
import * as a from './blocks.ts'
import { resourceKind } from './derived.ts'
import { ref } from './kind.ts'

/** Classification of each type of ledger account. */
const classifications = {
  BANK: 'ASSET',
  ACCOUNTS_RECEIVABLE: 'ASSET',
  OTHER_CURRENT_ASSET: 'ASSET',
  FIXED_ASSET: 'ASSET',
  OTHER_ASSET: 'ASSET',
  ACCOUNTS_PAYABLE: 'LIABILITY',
  CREDIT_CARD: 'LIABILITY',
  OTHER_CURRENT_LIABILITY: 'LIABILITY',
  LONG_TERM_LIABILITY: 'LIABILITY',
  EQUITY: 'EQUITY',
  INCOME: 'REVENUE',
  OTHER_INCOME: 'REVENUE',
  COST_OF_GOODS_SOLD: 'EXPENSE',
  EXPENSE: 'EXPENSE',
  OTHER_EXPENSE: 'EXPENSE',
} as const

/** The accounting kinds without documents, by collection. */
export const bookKinds = {
  /** The company of the tenant. */
  companies: resourceKind(companyInfo, 'com'),
  /** Tax codes of sales and purchases. */
  tax_codes: resourceKind(taxRate, 'tax'),
  /** Cost centers, the dimensions of reports. */
  cost_centers: resourceKind(trackingCategory, 'cc'),
  /** The chart of accounts. A balance is positive on the normal side of its classification. */
  ledger_accounts: resourceKind(account, 'acc', {
    // Safe cast: the keys are the types.
    own: { accountType: z.enum(Object.keys(classifications) as (keyof typeof classifications)[]) },
    computed: ['classification', 'currentBalance'],
    complete: ({ accountType }, { previous }) => {
      // Another type could move the balance to the other side.
      if (previous && previous.accountType !== accountType)
        throw new FieldError('fixed', 'accountType')
      const currentBalance = String(previous?.currentBalance ?? '0.00')
      return { classification: classifications[accountType], currentBalance }
    },
  }),
  /** Vendors. */
  vendors: resourceKind(vendor, 'ven', {
    own: {
      vendorName: a.line(),
      currency: a.currency(),
      payment_terms_days: z.int().min(0).max(365).default(30),
    },
  }),
  /** Clients, i.e. customers in the books. */
  clients: resourceKind(customer, 'cli', { own: { currency: a.currency() } }),
  /** Items that the company buys and sells. */
  catalog_items: resourceKind(item, 'itm', {
    own: {
      itemName: a.line(),
      itemType: z.enum(['SERVICE', 'NON_INVENTORY', 'INVENTORY']).default('NON_INVENTORY'),
      unitPrice: a.money().nullable().default(null),
      purchasePrice: a.money().nullable().default(null),
      /** Units in stock; null for items without inventory. */
      qtyOnHand: z.number().min(0).max(1_000_000).nullable().default(null),
      tax_code: ref('accounting/taxRates').default('tax_0001'),
    },
  }),
}
