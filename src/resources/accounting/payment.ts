import { date, enumeration, number, reference, references } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { paymentStates } from '../states.ts'

// The contract defines which fields of payments can be filtered.
export const payment = defineResource({
  name: 'payment',
  plural: 'payments',
  category: 'accounting',
  doc: 'A payment received from a customer or made to a vendor.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    transactionDate: date('Date of the payment.', { filters: ['equals'] }),
    customerId: reference('accounting/customers', 'Customer who paid.', { filters: ['equals'] }),
    vendorId: reference('accounting/vendors', 'Vendor who was paid.', { filters: ['equals'] }),
    accountId: reference(
      'accounting/accounts',
      'Account from which or to which the payment was made.',
      {
        filters: ['equals'],
      },
    ),
    currency: currency('Currency of the payment.', { filters: ['equals'] }),
    exchangeRate: number("Exchange rate from the payment's currency to the company's.", {
      filters: ['equals'],
    }),
    companyId: reference('accounting/companyInfo', 'Company the payment belongs to.', {
      filters: ['equals'],
    }),
    totalAmount: number('Amount of the payment.'),
    paymentState: enumeration(
      'Status of the payment, the same words for every app.',
      paymentStates,
    ),
    trackingCategoryIds: references(
      'accounting/trackingCategories',
      'Tracking categories the payment is assigned to.',
    ),
  },
})
