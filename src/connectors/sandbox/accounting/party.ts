/** What vendors and clients of the sandbox have in common. */
import { currency, filled, word } from '../conversion.ts'
import { as, type Inverse } from '../inverse.ts'
import {
  oneOf,
  phoneNumber,
  phoneNumbersInverse,
  postalAddress,
  postalAddressesInverse,
  type RawAddress,
  type RawPhone,
  standing,
} from '../shared.ts'

/** What the rules of a party read. */
export interface RawParty {
  readonly state: string
  readonly addresses: readonly RawAddress[]
  readonly phones: readonly RawPhone[]
}

/** The standing of a party. */
export const partyStatus = oneOf('state', standing)

/** The rules that vendors and customers share. */
export const party = {
  email: 'contact_email',
  taxNumber: 'vat_id',
  currency: 'currency_code',
  companyId: 'company',
  addresses: ({ addresses }: RawParty) => addresses.map(postalAddress),
  phoneNumbers: ({ phones }: RawParty) => phones.map(phoneNumber),
} as const

/** The standing of a party, as it is written. */
export const statusInverse = as('state', filled(word(standing)))

/** The fields that vendors and customers share, as they are written. */
export const partyInverse: Inverse = {
  email: 'contact_email',
  taxNumber: 'vat_id',
  currency: as('currency_code', currency),
  companyId: as('company', filled()),
  addresses: as('addresses', postalAddressesInverse),
  phoneNumbers: as('phones', phoneNumbersInverse),
}
