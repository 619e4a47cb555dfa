import { defineMapping } from '../../../definition/mapping.ts'
import { payment } from '../../../resources/accounting/payment.ts'
import { history } from '../shared.ts'

/** `/v1/payments` */
export default defineMapping(payment, {
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
