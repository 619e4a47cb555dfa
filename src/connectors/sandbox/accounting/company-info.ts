import { defineMapping } from '../../../definition/mapping.ts'
import { companyInfo } from '../../../resources/accounting/company-info.ts'
import { collection } from '../collection.ts'
import {
  phoneNumber,
  postalAddress,
  type RawAddress,
  type RawPhone,
  recordFields,
} from '../shared.ts'

interface Raw {
  /** Month and day: `12-31`. */
  readonly fiscal_year_end: string
  readonly addresses: readonly RawAddress[]
  readonly phones: readonly RawPhone[]
}

const mapping = defineMapping<typeof companyInfo, Raw>(companyInfo, {
  ...recordFields,
  companyName: 'trading_name',
  companyLegalName: 'legal_name',
  taxNumber: 'vat_id',
  fiscalYearEndMonth: (raw) => Number(raw.fiscal_year_end.slice(0, 2)),
  fiscalYearEndDay: (raw) => Number(raw.fiscal_year_end.slice(3)),
  currency: 'base_currency',
  companyUrls: 'websites',
  companyAddresses: ({ addresses }) => addresses.map(postalAddress),
  companyPhoneNumbers: ({ phones }) => phones.map(phoneNumber),
})

/** `/v1/companies`, read-only in the sandbox. */
export default collection('companies', mapping)
