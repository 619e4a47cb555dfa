/** What the sandbox's records have in common, and its words in ours. */

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

/** An address of the books. */
export const postalAddress = (raw: RawAddress) => ({
  addressType: raw.kind === 'delivery' ? 'SHIPPING' : raw.kind,
  street1: raw.line1,
  street2: raw.line2,
  city: raw.city,
  state: raw.region,
  countrySubdivision: raw.region_code,
  country: raw.country,
  zipCode: raw.postcode,
})

/** A place of the CRM as the sandbox sends it. */
export interface RawLocation {
  readonly label: string
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

/** A telephone number as the sandbox sends it. */
export interface RawPhone {
  readonly use: string
  readonly number: string
}

const uses: Readonly<Record<string, string>> = {
  work: 'PRIMARY',
  mobile: 'MOBILE',
  fax: 'FAX',
  home: 'OTHER',
}

/** A telephone number. */
export const phoneNumber = (raw: RawPhone) => ({
  phoneNumberType: uses[raw.use] ?? 'OTHER',
  phoneNumber: raw.number,
})

/** An e-mail address as the sandbox sends it. */
export interface RawMailbox {
  readonly use: string
  readonly address: string
}

/** An e-mail address. */
export const emailAddress = (raw: RawMailbox) => ({
  emailAddressType: raw.use,
  emailAddress: raw.address,
})
