import { date, number, reference, references } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'

// Fields may be filtered as the API promises for its list of payments, and no others.
export const payment = defineResource({
  name: 'payment',
  plural: 'payments',
  category: 'accounting',
  doc: 'Money received from a customer or paid to a vendor.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    transactionDate: date('Day of the payment.', { filters: ['equals'] }),
    customerId: reference('accounting/customers', 'Customer who paid.', { filters: ['equals'] }),
    vendorId: reference('accounting/vendors', 'Vendor who was paid.', { filters: ['equals'] }),
    accountId: reference('accounting/accounts', 'Account the money went through.', {
      filters: ['equals'],
    }),
    currency: currency('Currency of the payment.', { filters: ['equals'] }),
    exchangeRate: number("Rate from the payment's currency to the company's.", {
      filters: ['equals'],
    }),
    companyId: reference('accounting/companyInfo', 'Company the payment belongs to.', {
      filters: ['equals'],
    }),
    totalAmount: number('Amount of the payment.'),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the payment is assigned to.',
    ),
  },
})
