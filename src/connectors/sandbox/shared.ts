/** Rules that several resources share, for reads and for writes. */
import { enumeration } from './conversion.ts'
import { idOrName } from './look-up.ts'
import { list, object, type Parts, part } from './nested.ts'

/** Rules for the fields of every record. */
export const recordFields = {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'modified',
  remoteDeleted: 'deleted',
} as const

/** Reads an enumeration. An unknown value passes through unchanged, so that it is reported. */
export const readEnum =
  <Name extends string>(name: Name, words: Readonly<Record<string, string>>) =>
  (raw: { readonly [Key in Name]: string }): string =>
    words[raw[name]] ?? raw[name]

/** Status of a party or an item. */
export const statuses = { active: 'ACTIVE', archived: 'ARCHIVED' } as const

/** A postal address in a response. */
export interface RawAddress {
  readonly kind: string
  readonly line1: string
  readonly line2: string | null
  readonly city: string | null
  readonly region: string | null
  readonly region_code: string | null
  readonly postcode: string | null
  readonly country: string | null
}

const addressKinds = { billing: 'BILLING', delivery: 'SHIPPING' } as const

/** Reads a postal address. */
export const postalAddress = (raw: RawAddress) => ({
  addressType: readEnum('kind', addressKinds)(raw),
  street1: raw.line1,
  street2: raw.line2,
  city: raw.city,
  state: raw.region,
  countrySubdivision: raw.region_code,
  country: raw.country,
  zipCode: raw.postcode,
})

const postalAddressParts: Parts = {
  addressType: part('kind', enumeration(addressKinds)),
  street1: 'line1',
  street2: 'line2',
  city: 'city',
  state: 'region',
  countrySubdivision: 'region_code',
  country: 'country',
  zipCode: 'postcode',
}

/** Writes a postal address. */
export const postalAddressInverse = object(postalAddressParts)

/** Writes the postal addresses of a party. */
export const postalAddressesInverse = list(postalAddressParts)

/** A CRM location in a response. */
export interface RawLocation {
  readonly label: string | null
  readonly street: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postcode: string | null
  readonly country: string | null
}

/** Reads a CRM location. */
export const location = (raw: RawLocation) => ({
  addressType: raw.label,
  street1: raw.street,
  city: raw.city,
  state: raw.region,
  country: raw.country,
  postalCode: raw.postcode,
})

/** The parts of a CRM location to write. */
export const locationParts: Parts = {
  addressType: 'label',
  street1: 'street',
  city: 'city',
  state: 'region',
  country: 'country',
  postalCode: 'postcode',
}

/** A telephone number in a response. */
export interface RawPhone {
  readonly use: string
  readonly number: string
}

const uses = {
  work: 'PRIMARY',
  mobile: 'MOBILE',
  fax: 'FAX',
  home: 'OTHER',
} as const

/** Reads a telephone number. */
export const phoneNumber = (raw: RawPhone) => ({
  phoneNumberType: readEnum('use', uses)(raw),
  phoneNumber: raw.number,
})

/** Writes telephone numbers. */
export const phoneNumbersInverse = list({
  phoneNumberType: part('use', enumeration(uses)),
  phoneNumber: 'number',
})

/** An e-mail address in a response. */
export interface RawMailbox {
  readonly use: string | null
  readonly address: string
}

/** Reads an e-mail address. */
export const emailAddress = (raw: RawMailbox) => ({
  emailAddressType: raw.use,
  emailAddress: raw.address,
})

/** Writes e-mail addresses. */
export const emailAddressesInverse = list({
  emailAddressType: 'use',
  emailAddress: 'address',
})

/** Writes the owner by id; the contract uses the name (NOTES "`owner` is an id and `owner_name` the name"). */
export const owner = idOrName('members', 'full_name', 'owner')
