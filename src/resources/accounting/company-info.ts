import { integer, list, text, texts } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'
import { currency } from '../currency.ts'
import { phoneNumber } from '../shapes/phone-number.ts'
import { postalAddress } from '../shapes/postal-address.ts'

export const companyInfo = defineResource({
  name: 'companyInfo',
  plural: 'companyInfo',
  category: 'accounting',
  doc: 'A company whose accounts are kept in the app.',
  verbs: ['list', 'get'],
  fields: {
    companyName: text('Trading name of the company.'),
    companyLegalName: text('Registered name of the company.'),
    taxNumber: text('Tax number of the company, such as a VAT number.'),
    fiscalYearEndMonth: integer('Last month of the fiscal year, 1 to 12.'),
    fiscalYearEndDay: integer('Last day of the fiscal year within that month, 1 to 31.'),
    currency: currency('Base currency of the company.'),
    companyUrls: texts('URLs of the company.'),
    companyAddresses: list(postalAddress, 'Postal addresses of the company.'),
    companyPhoneNumbers: list(phoneNumber, 'Telephone numbers of the company.'),
  },
})
