/** What the sandbox's records have in common, and its words in ours: as they are read and as they are written. */
import { word } from './conversion.ts'
import { found } from './look-up.ts'
import { list, object, type Parts, told } from './nested.ts'

/** The rules for the fields that every record of the sandbox has. */
export const history = {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'modified',
  remoteDeleted: 'deleted',
} as const

/** Reads one of the sandbox's words as ours. An unknown word is passed on, so that it is reported. */
export const oneOf =
  <Name extends string>(name: Name, words: Readonly<Record<string, string>>) =>
  (raw: { readonly [Key in Name]: string }): string =>
    words[raw[name]] ?? raw[name]

/** Standing of a party or an item. */
export const standing = { active: 'ACTIVE', archived: 'ARCHIVED' } as const

/** An address of the books as the sandbox sends it. */
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

/** An address of the books. */
export const postalAddress = (raw: RawAddress) => ({
  addressType: oneOf('kind', addressKinds)(raw),
  street1: raw.line1,
  street2: raw.line2,
  city: raw.city,
  state: raw.region,
  countrySubdivision: raw.region_code,
  country: raw.country,
  zipCode: raw.postcode,
})

const postalAddressParts: Parts = {
  addressType: told('kind', word(addressKinds)),
  street1: 'line1',
  street2: 'line2',
  city: 'city',
  state: 'region',
  countrySubdivision: 'region_code',
  country: 'country',
  zipCode: 'postcode',
}

/** An address of the books, as it is written. */
export const postalAddressInverse = object(postalAddressParts)

/** The addresses of a party, as they are written. */
export const postalAddressesInverse = list(postalAddressParts)

/** A place of the CRM as the sandbox sends it. */
export interface RawLocation {
  readonly label: string | null
  readonly street: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postcode: string | null
  readonly country: string | null
}

/** A place of the CRM. */
export const location = (raw: RawLocation) => ({
  addressType: raw.label,
  street1: raw.street,
  city: raw.city,
  state: raw.region,
  country: raw.country,
  postalCode: raw.postcode,
})

/** A place of the CRM, as it is written. */
export const locationParts: Parts = {
  addressType: 'label',
  street1: 'street',
  city: 'city',
  state: 'region',
  country: 'country',
  postalCode: 'postcode',
}

/** A telephone number as the sandbox sends it. */
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

/** A telephone number. */
export const phoneNumber = (raw: RawPhone) => ({
  phoneNumberType: oneOf('use', uses)(raw),
  phoneNumber: raw.number,
})

/** Telephone numbers, as they are written. */
export const phoneNumbersInverse = list({
  phoneNumberType: told('use', word(uses)),
  phoneNumber: 'number',
})

/** An e-mail address as the sandbox sends it. */
export interface RawMailbox {
  readonly use: string | null
  readonly address: string
}

/** An e-mail address. */
export const emailAddress = (raw: RawMailbox) => ({
  emailAddressType: raw.use,
  emailAddress: raw.address,
})

/** E-mail addresses, as they are written. */
export const emailAddressesInverse = list({
  emailAddressType: 'use',
  emailAddress: 'address',
})

/** The owner, who is named by name and written by id (NOTES 10). */
export const owner = found('members', 'full_name', 'owner')
