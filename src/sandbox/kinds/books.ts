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

/** Classification of a type of ledger account, such as `OTHER_CURRENT_ASSET`. */
const classify = (accountType: string) => {
  if (/ASSET|BANK|RECEIVABLE/.test(accountType)) return 'ASSET'
  if (/LIABILITY|PAYABLE|CREDIT_CARD/.test(accountType)) return 'LIABILITY'
  if (accountType.endsWith('INCOME')) return 'REVENUE'
  return accountType === 'EQUITY' ? 'EQUITY' : 'EXPENSE'
}

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
    required: ['accountType'],
    computed: ['classification', 'currentBalance'],
    complete: ({ accountType }, { previous }) => {
      // Another type could move the balance to the other side.
      if (previous && previous.accountType !== accountType)
        throw new FieldError('fixed', 'accountType')
      const currentBalance = String(previous?.currentBalance ?? '0.00')
      return { classification: classify(accountType), currentBalance }
    },
  }),
  /** Vendors. */
  vendors: resourceKind(vendor, 'ven', {
    own: { payment_terms_days: z.int().min(0).max(365).default(30) },
  }),
  /** Clients, i.e. customers in the books. */
  clients: resourceKind(customer, 'cli'),
  /** Items that the company buys and sells. */
  catalog_items: resourceKind(item, 'itm', {
    required: ['itemName'],
    own: { unitPrice: a.moneyOrNull(), purchasePrice: a.moneyOrNull() },
  }),
}
