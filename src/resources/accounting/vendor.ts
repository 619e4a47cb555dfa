import { enumeration, list, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { phoneNumber } from '../shapes/phone-number.ts'
import { postalAddress } from '../shapes/postal-address.ts'

export const vendor = defineResource({
  name: 'vendor',
  plural: 'vendors',
  category: 'accounting',
  doc: 'A person or company that the company buys from.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    vendorName: text('Full name of the vendor.', { required: true }),
    email: text('Primary e-mail address of the vendor.'),
    taxNumber: text('Tax number used for billing, such as a VAT number.'),
    vendorStatus: enumeration('Status of the vendor.', {
      ACTIVE: 'It is in use.',
      ARCHIVED: 'It is not in use; its history remains.',
    }),
    currency: currency('Currency in which the vendor is paid.'),
    companyId: reference('accounting/companyInfo', 'Company the vendor belongs to.'),
    addresses: list(postalAddress, 'Postal addresses of the vendor.'),
    phoneNumbers: list(phoneNumber, 'Telephone numbers of the vendor.'),
  },
})
