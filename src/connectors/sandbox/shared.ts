/** Rules that several resources share. */
import { enumeration, listOf } from '../../definition/mapping/converters.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { idOrName } from './look-up.ts'

/** The status of a party or an item. */
export const status = enumeration('state', { active: 'ACTIVE', archived: 'ARCHIVED' })

/** A postal address. */
export const postalAddress = {
  addressType: enumeration('kind', { billing: 'BILLING', delivery: 'SHIPPING' }),
  street1: 'line1',
  street2: 'line2',
  city: 'city',
  state: 'region',
  countrySubdivision: 'region_code',
  country: 'country',
  zipCode: 'postcode',
} as const

/** A CRM location. Some resources add a postal code. */
export const location = {
  addressType: 'label',
  street1: 'street',
  city: 'city',
  state: 'region',
  country: 'country',
} as const

/** Telephone numbers. */
export const phoneNumbers: Converter = listOf('phones', {
  phoneNumberType: enumeration('use', {
    work: 'PRIMARY',
    mobile: 'MOBILE',
    fax: 'FAX',
    home: 'OTHER',
  }),
  phoneNumber: 'number',
})

/** E-mail addresses. */
export const emailAddresses: Converter = listOf('emails', {
  emailAddressType: 'use',
  emailAddress: 'address',
})

/** The owner's name; written also by id (NOTES "`owner` is an id and `owner_name` the name"). */
export const owner = idOrName('members', 'full_name', 'owner_name', 'owner')
