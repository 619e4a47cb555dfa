/** Addresses and telephone numbers of customers, vendors and the company. */
import { orElse } from '../../definition/mapping/converters.ts'
import { listByType } from '../../definition/mapping/list-by-type.ts'
import type { Converter, Rule } from '../../definition/mapping/rule.ts'
import { textsAt, type Values } from '../../definition/raw-values.ts'
import { countryCode } from './countries.ts'
import { text } from './fields.ts'

/**
 * The rules of an address; further lines of the street are in `remoteFields`.
 * @param prefix what their paths start with: `BillAddr.`, or nothing
 */
export const addressRules = (prefix: string): Readonly<Record<string, Rule<Values>>> => ({
  street1: text(`${prefix}Line1`),
  street2: text(`${prefix}Line2`),
  city: text(`${prefix}City`),
  state: text(`${prefix}CountrySubDivisionCode`),
  // The same value, so only one of the two is written.
  countrySubdivision: (raw) => textsAt(raw, `${prefix}CountrySubDivisionCode`)[0] || null,
  country: orElse({ from: `${prefix}Country`, read: countryCode }, ''),
  zipCode: text(`${prefix}PostalCode`),
})

/** Addresses, by the type and the name in QuickBooks: `{ BILLING: 'BillAddr' }`. */
export const addresses = (names: Readonly<Record<string, string>>): Converter =>
  listByType<Values>(
    'addressType',
    Object.fromEntries(
      Object.entries(names).map(([type, name]) => [type, addressRules(`${name}.`)]),
    ),
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
