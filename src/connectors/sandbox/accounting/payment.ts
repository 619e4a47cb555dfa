import { defineMapping } from '../../../definition/mapping.ts'
import { payment } from '../../../resources/accounting/payment.ts'
import { collection } from '../collection.ts'
import { currency, money, rate, required, sameList } from '../conversion.ts'
import { as, once } from '../inverse.ts'
import { recordFields } from '../shared.ts'
import { settledByPayment } from '../side-effects.ts'

const mapping = defineMapping(payment, {
  ...recordFields,
  transactionDate: 'paid_on',
  customerId: 'client',
  vendorId: 'vendor',
  accountId: 'account',
  currency: 'currency_code',
  exchangeRate: 'fx_rate',
  companyId: 'company',
  totalAmount: 'amount',
  trackingCategoryIds: 'cost_centers',
})

/** `/v1/payments` */
export default collection(
  'payments',
  mapping,
  {
    transactionDate: as('paid_on', required()),
    // For payments on account. A payment of an invoice or bill (`remoteFields`) has the document's party.
    customerId: once('client'),
    vendorId: once('vendor'),
    accountId: once('account', required()),
    currency: once('currency_code', currency),
    exchangeRate: once('fx_rate', rate),
    companyId: as('company', required()),
    totalAmount: once('amount', required(money)),
    trackingCategoryIds: as('cost_centers', sameList),
  },
  settledByPayment,
)
