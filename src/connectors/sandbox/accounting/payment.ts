import { createOnly, notNull } from '../../../definition/mapping/converters.ts'
import { payment } from '../../../resources/accounting/payment.ts'
import { collection } from '../collection.ts'
import { money, rate } from '../formats.ts'
import { settledByPayment } from '../side-effects.ts'

const rules = {
  transactionDate: notNull('paid_on'),
  // For payments on account. A payment of an invoice or bill (`remoteFields`) has the document's party.
  customerId: createOnly('client'),
  vendorId: createOnly('vendor'),
  accountId: createOnly(notNull('account')),
  currency: createOnly(notNull('currency_code')),
  exchangeRate: createOnly(rate('fx_rate')),
  companyId: notNull('company'),
  totalAmount: createOnly(notNull(money('amount'))),
  trackingCategoryIds: 'cost_centers',
}

/** `/v1/payments` */
export default collection('payments', payment, rules, settledByPayment)
