import { integer, list, text, texts } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { phoneNumber } from '../shapes/phone-number.ts'
import { postalAddress } from '../shapes/postal-address.ts'

export const companyInfo = defineResource({
  name: 'companyInfo',
  plural: 'companyInfo',
  category: 'accounting',
  doc: 'A company whose books are kept in the app.',
  verbs: ['list', 'get'],
  fields: {
    companyName: text('Name the company goes by.'),
    companyLegalName: text('Registered name of the company.'),
    taxNumber: text('Identifier used for tax, such as a VAT number.'),
    fiscalYearEndMonth: integer('Month the fiscal year ends in, 1 to 12.'),
    fiscalYearEndDay: integer('Day of the month the fiscal year ends on, 1 to 31.'),
    currency: currency('Currency the books are kept in.'),
    companyUrls: texts('Web addresses of the company.'),
    companyAddresses: list(postalAddress, 'Postal addresses of the company.'),
    companyPhoneNumbers: list(phoneNumber, 'Telephone numbers of the company.'),
  },
})
