import { defineMapping } from '../../../definition/mapping.ts'
import { contact } from '../../../resources/crm/contact.ts'
import {
  emailAddress,
  history,
  location,
  phoneNumber,
  type RawLocation,
  type RawMailbox,
  type RawPhone,
} from '../shared.ts'

interface Raw {
  readonly locations: readonly (RawLocation & {
    readonly street2: string | null
    readonly region_code: string | null
  })[]
  readonly emails: readonly RawMailbox[]
  readonly phones: readonly RawPhone[]
}

/** `/v1/people` */
export default defineMapping<typeof contact, Raw>(contact, {
  ...history,
  firstName: 'given_name',
  lastName: 'family_name',
  account: 'organization',
  addresses: ({ locations }) =>
    locations.map((raw) => ({
      ...location(raw),
      street2: raw.street2,
      countrySubdivision: raw.region_code,
    })),
  emailAddresses: ({ emails }) => emails.map(emailAddress),
  phoneNumbers: ({ phones }) => phones.map(phoneNumber),
  lastActivityAt: 'last_touch',
})
