/** The records that the cases write and expect. */
import type { Traffic } from '../field-mutations.ts'
import { type Harness, referenceTo } from './harness.ts'

export interface QuickBooksCase {
  readonly name: string
  run(harness: Harness, traffic: Traffic): Promise<unknown>
  readonly expected: unknown
}

const TIME = '2026-11-23T17:00:00.000Z'
export const EUR = { CurrencyRef: { value: 'EUR' } }
export const EURO_RATE = { currency: 'EUR', exchangeRate: '1.25' }

export const companyId = referenceTo('companyInfo', '1')
export const times = { remoteCreatedAt: TIME, remoteUpdatedAt: TIME }
export const common = { companyId, ...times }

export const sent = {
  street1: 'Main 1',
  street2: 'Yard',
  city: 'Rome',
  state: 'RM',
  country: 'IT',
  zipCode: '00100',
}
export const shownAddress = { ...sent, countrySubdivision: 'RM' }
export const numbers = [
  { phoneNumberType: 'Primary', phoneNumber: '1' },
  { phoneNumberType: 'Other', phoneNumber: '2' },
  { phoneNumberType: 'Mobile', phoneNumber: '3' },
  { phoneNumberType: 'Fax', phoneNumber: '4' },
]

/**
 * The records that the cases refer to: a customer, a vendor, a service, two classes, a department and an
 * account.
 */
export const seed = ({ company }: Harness): void => {
  company.create('Customer', { DisplayName: 'Amy', ...EUR })
  company.create('Vendor', { DisplayName: 'Books', ...EUR })
  company.create('Item', { Name: 'Hours', Type: 'Service', IncomeAccountRef: { value: '7' } })
  company.create('Class', { Name: 'North' })
  company.create('Class', { Name: 'West', ParentRef: { value: '1' } })
  company.create('Department', { Name: 'Shop' })
}

export const [north, west, shop] = [
  referenceTo('trackingCategories', 'Class-1'),
  referenceTo('trackingCategories', 'Class-2'),
  referenceTo('trackingCategories', 'Department-1'),
]

/** A line with an item: the input of a caller, and the line that the API then shows. */
export const itemLine = {
  description: 'Work',
  unitPrice: 10.5,
  quantity: 3,
  accountingItemId: '1',
  trackingCategoryIds: ['Class-2'],
}
export const shownItemLine = {
  description: 'Work',
  unitPrice: 10.5,
  quantity: 3,
  currency: 'EUR',
  accountId: null,
  accountingItemId: referenceTo('items', '1'),
  trackingCategoryIds: [west],
}
export const shownAccountLine = {
  description: 'Trip',
  unitPrice: null,
  quantity: null,
  currency: 'EUR',
  accountingItemId: null,
  accountId: referenceTo('accounts', '9'),
  trackingCategoryIds: [],
}
export const ofLine = { exchangeRate: 1.25, companyId }
