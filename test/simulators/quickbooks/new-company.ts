/** The initial data of a new company: accounts, tax codes and its own address. */
import type { JsonObject } from '../engine/json.ts'
import type { Company } from './company.ts'
import { formatTime } from './times.ts'
import { write } from './writes.ts'

const ACCOUNTS: readonly (readonly [name: string, type: string, subType: string])[] = [
  ['Checking', 'Bank', 'Checking'],
  ['Accounts Receivable (A/R)', 'Accounts Receivable', 'AccountsReceivable'],
  ['Accounts Payable (A/P)', 'Accounts Payable', 'AccountsPayable'],
  ['Undeposited Funds', 'Other Current Asset', 'UndepositedFunds'],
  ['Inventory Asset', 'Other Current Asset', 'Inventory'],
  ['Mastercard', 'Credit Card', 'CreditCard'],
  ['Services', 'Income', 'ServiceFeeIncome'],
  ['Cost of Goods Sold', 'Cost of Goods Sold', 'SuppliesMaterialsCogs'],
  ['Office Expenses', 'Expense', 'OfficeGeneralAdministrativeExpenses'],
]

const record = (company: Company, id: string, value: JsonObject): JsonObject => {
  const time = formatTime(company.clock.nowMs())
  const MetaData = { CreateTime: time, LastUpdatedTime: time }
  return { ...value, domain: 'QBO', sparse: false, Id: id, SyncToken: '0', MetaData }
}

const taxCode = (name: string, taxable: boolean): JsonObject => ({
  Name: name,
  Description: name,
  Active: true,
  Hidden: false,
  Taxable: taxable,
  TaxGroup: taxable,
})

const rateOf = (id: string, name: string): JsonObject => ({
  TaxRateDetail: [
    { TaxRateRef: { value: id, name }, TaxTypeApplicable: 'TaxOnAmount', TaxOrder: 0 },
  ],
})

/** Tax codes and rates, which the API can only read. */
const settings: readonly (readonly [entity: string, id: string, value: JsonObject])[] = [
  [
    'TaxRate',
    '1',
    {
      Name: 'California',
      Description: 'Sales tax',
      Active: true,
      RateValue: 8,
      AgencyRef: { value: '1' },
      SpecialTaxType: 'NONE',
      DisplayType: 'ReadOnly',
    },
  ],
  ['TaxCode', 'TAX', taxCode('TAX', true)],
  ['TaxCode', 'NON', taxCode('NON', false)],
  ['TaxCode', '2', { ...taxCode('California', true), SalesTaxRateList: rateOf('1', 'California') }],
]

/** Adds the initial data to a company. */
export const fillNewCompany = (company: Company): void => {
  const { store, account } = company
  for (const [entity, id, value] of settings) store.insert(entity, id, record(company, id, value))
  store.insert(
    'CompanyInfo',
    '1',
    record(company, '1', {
      CompanyName: account.name,
      LegalName: account.name,
      CompanyAddr: {
        Id: '1',
        Line1: '123 Sierra Way',
        City: 'San Pablo',
        CountrySubDivisionCode: 'CA',
        PostalCode: '87999',
        Country: 'USA',
      },
      Country: 'USA',
      Email: { Address: 'owner@example.com' },
      FiscalYearStartMonth: 'January',
      CompanyStartDate: '2020-01-01',
      SupportedLanguages: 'en',
      DefaultTimeZone: 'America/Los_Angeles',
      NameValue: [{ Name: 'NeoEnabled', Value: 'true' }],
    }),
  )
  for (const [Name, AccountType, AccountSubType] of ACCOUNTS)
    write(company, 'create', 'Account', { Name, AccountType, AccountSubType })
}
