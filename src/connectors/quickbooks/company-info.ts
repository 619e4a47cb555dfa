/** The company itself. */
import type { ResourceConnector } from '../../definition/connector.ts'
import { listByType } from '../../definition/mapping/list-by-type.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { singlePage } from '../../definition/paging/pager.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import { companyInfo } from '../../resources/accounting/company-info.ts'
import { company, companyInfoIn, selectCompanyInfo } from './company.ts'
import { addresses } from './contact.ts'
import { type Entity, readManyOf, sync } from './entity.ts'
import { common } from './fields.ts'

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The last month of the fiscal year, 1 to 12; QuickBooks has the name of the first one. */
const endMonthOf = ({ FiscalYearStartMonth }: Values): number | null => {
  const start = MONTHS.indexOf(String(FiscalYearStartMonth))
  if (start < 0) return null
  return start === 0 ? MONTHS.length : start
}

const { companyId: _, ...rules } = common

const mapping = defineMapping<typeof companyInfo, Values>(companyInfo, {
  ...rules,
  companyName: 'CompanyName',
  companyLegalName: 'LegalName',
  taxNumber: 'EmployerId', // of companies in the US
  fiscalYearEndMonth: endMonthOf,
  fiscalYearEndDay: (raw) => LAST_DAYS[(endMonthOf(raw) ?? 0) - 1] ?? null,
  currency: (_, __, context) => company.of(context).currency,
  companyUrls: ({ WebAddr, CompanyURL }) =>
    [WebAddr, CompanyURL].flatMap((address) => valuesOf(address).URI || []),
  companyAddresses: addresses({ BILLING: 'CompanyAddr' }),
  companyPhoneNumbers: listByType('phoneNumberType', {
    PRIMARY: { phoneNumber: 'PrimaryPhone.FreeFormNumber' },
  }),
})

export const COMPANY: Entity = { name: 'CompanyInfo' }

export const companies: ResourceConnector = {
  mapping,
  ...singlePage({
    request: () => selectCompanyInfo,
    records: (response) => ({ records: [companyInfoIn(response)] }),
  }),
  readMany: readManyOf(COMPANY),
  // The feed reports its changes.
  sync: { ...sync, changes: { by: 'full-listing' } },
}
