/** Addresses and telephone numbers of customers, vendors and the company. */
import { orElse } from '../../definition/mapping/converters.ts'
import { listByType } from '../../definition/mapping/list-by-type.ts'
import type { Converter, Rule } from '../../definition/mapping/rule.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import { countryCode } from './countries.ts'
import { text } from './fields.ts'

/** The rules of the address at a path; further lines of the street are in `remoteFields`. */
export const addressAt = (path: string): Readonly<Record<string, Rule<Values>>> => ({
  street1: text(`${path}.Line1`),
  street2: text(`${path}.Line2`),
  city: text(`${path}.City`),
  state: text(`${path}.CountrySubDivisionCode`),
  // The same value, so only one of the two is written.
  countrySubdivision: (raw) => valuesOf(raw[path]).CountrySubDivisionCode || null,
  country: orElse({ from: `${path}.Country`, read: countryCode }, ''),
  zipCode: text(`${path}.PostalCode`),
})

/** Addresses, by the type and the name in QuickBooks: `{ BILLING: 'BillAddr' }`. */
export const addresses = (names: Readonly<Record<string, string>>): Converter =>
  listByType<Values>(
    'addressType',
    Object.fromEntries(Object.entries(names).map(([type, name]) => [type, addressAt(name)])),
  )

const numberAt = (name: string): Readonly<Record<string, Converter>> => ({
  phoneNumber: text(`${name}.FreeFormNumber`),
})

/** The telephone numbers of customers and vendors. */
export const phoneNumbers = listByType('phoneNumberType', {
  PRIMARY: numberAt('PrimaryPhone'),
  OTHER: numberAt('AlternatePhone'),
  MOBILE: numberAt('Mobile'),
  FAX: numberAt('Fax'),
})
