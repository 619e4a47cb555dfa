/** Rules that vendors and customers share. */
import { currency, enumeration, required } from '../conversion.ts'
import { as, type Inverse } from '../inverse.ts'
import {
  phoneNumber,
  phoneNumbersInverse,
  postalAddress,
  postalAddressesInverse,
  type RawAddress,
  type RawPhone,
  readEnum,
  statuses,
} from '../shared.ts'

/** The fields of a response that the rules read. */
export interface RawParty {
  readonly state: string
  readonly addresses: readonly RawAddress[]
  readonly phones: readonly RawPhone[]
}

/** Reads the status of a party. */
export const partyStatus = readEnum('state', statuses)

/** Read rules that vendors and customers share. */
export const party = {
  email: 'contact_email',
  taxNumber: 'vat_id',
  currency: 'currency_code',
  companyId: 'company',
  addresses: ({ addresses }: RawParty) => addresses.map(postalAddress),
  phoneNumbers: ({ phones }: RawParty) => phones.map(phoneNumber),
} as const

/** Writes the status of a party. */
export const statusInverse = as('state', required(enumeration(statuses)))

/** Write rules that vendors and customers share. */
export const partyInverse: Inverse = {
  email: 'contact_email',
  taxNumber: 'vat_id',
  currency: as('currency_code', currency),
  companyId: as('company', required()),
  addresses: as('addresses', postalAddressesInverse),
  phoneNumbers: as('phones', phoneNumbersInverse),
}
