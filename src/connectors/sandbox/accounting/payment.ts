import { defineMapping } from '../../../definition/mapping.ts'
import { payment } from '../../../resources/accounting/payment.ts'
import { collection } from '../collection.ts'
import { currency, filled, listed, money, rate } from '../conversion.ts'
import { as, once } from '../inverse.ts'
import { history } from '../shared.ts'
import { settledByPayment } from '../touched.ts'

const mapping = defineMapping(payment, {
  ...history,
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
    transactionDate: as('paid_on', filled()),
    // Of a payment on account. One for an invoice or a bill (`remoteFields`) has the document's party.
    customerId: once('client'),
    vendorId: once('vendor'),
    accountId: once('account', filled()),
    currency: once('currency_code', currency),
    exchangeRate: once('fx_rate', rate),
    companyId: as('company', filled()),
    totalAmount: once('amount', filled(money)),
    trackingCategoryIds: as('cost_centers', listed),
  },
  settledByPayment,
)
