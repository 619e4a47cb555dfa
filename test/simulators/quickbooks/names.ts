/** The fields that the vendor computes for list entries: customers, vendors, accounts, items, classes, departments. */
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import { type Company, referenceId } from './company.ts'
import { duplicateName, missingParameter } from './faults.ts'
import { currencyOf } from './references.ts'

/** By account type: its classification, and the subtype when none is sent. */
const ACCOUNT_TYPES: Readonly<Record<string, readonly [classification: string, subType: string]>> =
  {
    Bank: ['Asset', 'CashOnHand'],
    'Accounts Receivable': ['Asset', 'AccountsReceivable'],
    'Other Current Asset': ['Asset', 'EmployeeCashAdvances'],
    'Fixed Asset': ['Asset', 'FurnitureAndFixtures'],
    'Other Asset': ['Asset', 'Licenses'],
    'Accounts Payable': ['Liability', 'AccountsPayable'],
    'Credit Card': ['Liability', 'CreditCard'],
    'Other Current Liability': ['Liability', 'OtherCurrentLiabilities'],
    'Long Term Liability': ['Liability', 'NotesPayable'],
    Equity: ['Equity', 'RetainedEarnings'],
    Income: ['Revenue', 'SalesOfProductIncome'],
    'Other Income': ['Revenue', 'OtherMiscellaneousIncome'],
    Expense: ['Expense', 'Travel'],
    'Other Expense': ['Expense', 'OtherMiscellaneousExpense'],
    'Cost of Goods Sold': ['Expense', 'SuppliesMaterialsCogs'],
  }

const DELETED_SUFFIX = ' (deleted)'

/** Names of inactive entries end in `(deleted)`, so that they can be given to new ones. */
const nameWhile = (active: boolean, name: string): string => {
  const plain = name.endsWith(DELETED_SUFFIX) ? name.slice(0, -DELETED_SUFFIX.length) : name
  return active ? plain : plain + DELETED_SUFFIX
}

const qualifiedName = (
  company: Company,
  entity: string,
  name: string,
  value: JsonObject,
): string => {
  const parent = company.store.find(entity, referenceId(value.ParentRef))
  return parent ? `${String(parent.value.FullyQualifiedName)}:${name}` : name
}

/** @throws FaultException 6240 if another entry of this entity has the name */
const assertUnique = ({ names }: Company, entity: string, name: string, id: string): void => {
  const owner = names.ownerOf(entity, name)
  if (owner !== undefined && owner !== id) throw duplicateName()
}

const displayNameOf = (value: JsonObject): string => {
  const { DisplayName, Title, GivenName, MiddleName, FamilyName, Suffix } = value
  if (typeof DisplayName === 'string' && DisplayName !== '') return DisplayName
  const parts = [Title, GivenName, MiddleName, FamilyName, Suffix]
  const name = parts.filter((part) => typeof part === 'string' && part !== '').join(' ')
  if (name === '') throw missingParameter('DisplayName')
  return name
}

/** Addresses get ids of their own. */
const withAddressIds = ({ store }: Company, value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([field, part]) =>
      ['BillAddr', 'ShipAddr'].includes(field) && isJsonObject(part)
        ? [field, { Id: store.nextId('address'), ...part }]
        : [field, part],
    ),
  )

const computePerson = (
  company: Company,
  entity: string,
  id: string,
  value: JsonObject,
): JsonObject => {
  const { Active = true, CompanyName, PrintOnCheckName } = value
  const DisplayName = nameWhile(Active !== false, displayNameOf(value))
  // Customers, vendors and employees share one list of names.
  for (const scope of ['Customer', 'Vendor'])
    assertUnique(company, scope, DisplayName, scope === entity ? id : '')
  return {
    ...withAddressIds(company, value),
    Active,
    DisplayName,
    PrintOnCheckName: PrintOnCheckName ?? CompanyName ?? DisplayName,
    CurrencyRef: currencyOf(company, value),
  }
}

const computeListed = (
  company: Company,
  entity: string,
  id: string,
  value: JsonObject,
): JsonObject => {
  const { Active = true } = value
  const name = nameWhile(Active !== false, String(value.Name ?? ''))
  if (name === '') throw missingParameter('Name')
  const FullyQualifiedName = qualifiedName(company, entity, name, value)
  assertUnique(company, entity, FullyQualifiedName, id)
  return { ...value, Active, Name: name, FullyQualifiedName }
}

const computeAccount = (company: Company, value: JsonObject): JsonObject => {
  const found = Object.entries(ACCOUNT_TYPES).find(([, [, sub]]) => sub === value.AccountSubType)
  const AccountType = String(value.AccountType ?? found?.[0] ?? '')
  const [Classification, subType] = ACCOUNT_TYPES[AccountType] ?? []
  if (Classification === undefined) throw missingParameter('AccountType')
  const { AccountSubType = subType, OpeningBalance = 0, CurrentBalance = OpeningBalance } = value
  return {
    ...value,
    AccountType,
    AccountSubType,
    Classification,
    CurrentBalance,
    CurrentBalanceWithSubAccounts: CurrentBalance,
    SubAccount: isJsonObject(value.ParentRef),
    CurrencyRef: currencyOf(company, value),
  }
}

const computeItem = (value: JsonObject): JsonObject => {
  const isInventory = value.Type === 'Inventory'
  for (const field of [
    'AssetAccountRef',
    'ExpenseAccountRef',
    'IncomeAccountRef',
    'InvStartDate',
    'QtyOnHand',
  ])
    if (isInventory && value[field] === undefined) throw missingParameter(field)
  if (value.Type === 'Service' && !value.IncomeAccountRef && !value.ExpenseAccountRef)
    throw missingParameter('IncomeAccountRef')
  const defaults = { Taxable: false, UnitPrice: 0, PurchaseCost: 0 }
  return { ...defaults, ...value, TrackQtyOnHand: isInventory }
}

/** The record with the fields that the vendor computes. @throws FaultException */
export const computeName = (
  company: Company,
  entity: string,
  id: string,
  value: JsonObject,
): JsonObject => {
  switch (entity) {
    case 'Customer': {
      const person = computePerson(company, entity, id, value)
      const isJob = isJsonObject(person.ParentRef)
      const FullyQualifiedName = qualifiedName(company, entity, String(person.DisplayName), person)
      const defaults = { Taxable: true, BillWithParent: false, PreferredDeliveryMethod: 'None' }
      return { ...defaults, ...person, Job: isJob, FullyQualifiedName }
    }
    case 'Vendor':
      return { Vendor1099: false, ...computePerson(company, entity, id, value) }
    case 'Account':
      return computeAccount(company, computeListed(company, entity, id, value))
    case 'Item':
      return computeItem(computeListed(company, entity, id, value))
    case 'Class':
    case 'Department':
      return {
        ...computeListed(company, entity, id, value),
        [`Sub${entity}`]: isJsonObject(value.ParentRef),
      }
    default:
      return value
  }
}
