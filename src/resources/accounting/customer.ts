import { enumeration, list, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { phoneNumber } from '../shapes/phone-number.ts'
import { postalAddress } from '../shapes/postal-address.ts'

export const customer = defineResource({
  name: 'customer',
  plural: 'customers',
  category: 'accounting',
  doc: 'A person or company that the company sells to.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    customerName: text('Full name of the customer.', { required: true }),
    email: text('Primary e-mail address of the customer.'),
    taxNumber: text('Tax number used for billing, such as a VAT number.'),
    customerStatus: enumeration('Status of the customer.', {
      ACTIVE: 'It is in use.',
      ARCHIVED: 'It is not in use; its history remains.',
    }),
    currency: currency('Billing currency of the customer.'),
    companyId: reference('accounting/companyInfo', 'Company the customer belongs to.'),
    addresses: list(postalAddress, 'Postal addresses of the customer.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the customer.'),
  },
})
