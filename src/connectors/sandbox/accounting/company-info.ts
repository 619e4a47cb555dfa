import { listOf } from '../../../definition/mapping/converters.ts'
import { companyInfo } from '../../../resources/accounting/company-info.ts'
import { collection } from '../collection.ts'
import { phoneNumbers, postalAddress } from '../shared.ts'

interface Raw {
  /** Month and day: `12-31`. */
  readonly fiscal_year_end: string
}

/** `/v1/companies`, read-only in the sandbox. */
export default collection('companies', companyInfo, {
  companyName: 'trading_name',
  companyLegalName: 'legal_name',
  taxNumber: 'vat_id',
  fiscalYearEndMonth: (raw: Raw) => Number(raw.fiscal_year_end.slice(0, 2)),
  fiscalYearEndDay: (raw: Raw) => Number(raw.fiscal_year_end.slice(3)),
  currency: 'base_currency',
  companyUrls: 'websites',
  companyAddresses: listOf('addresses', postalAddress),
  companyPhoneNumbers: phoneNumbers,
})
