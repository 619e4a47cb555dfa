/** What vendors and clients of the sandbox have in common. */
import {
  oneOf,
  phoneNumber,
  postalAddress,
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
