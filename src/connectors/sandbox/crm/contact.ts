import { defineMapping } from '../../../definition/mapping.ts'
import { contact } from '../../../resources/crm/contact.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { idOrName } from '../look-up.ts'
import { list } from '../nested.ts'
import {
  emailAddress,
  emailAddressesInverse,
  location,
  locationParts,
  phoneNumber,
  phoneNumbersInverse,
  type RawLocation,
  type RawMailbox,
  type RawPhone,
  recordFields,
} from '../shared.ts'

interface Raw {
  readonly locations: readonly (RawLocation & {
    readonly street2: string | null
    readonly region_code: string | null
  })[]
  readonly emails: readonly RawMailbox[]
  readonly phones: readonly RawPhone[]
}

const mapping = defineMapping<typeof contact, Raw>(contact, {
  ...recordFields,
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

/** `/v1/people` */
export default collection('people', mapping, {
  firstName: 'given_name',
  lastName: as('family_name', required()),
  account: idOrName('organizations', 'name', 'organization'),
  addresses: as(
    'locations',
    list({ ...locationParts, street2: 'street2', countrySubdivision: 'region_code' }),
  ),
  emailAddresses: as('emails', emailAddressesInverse),
  phoneNumbers: as('phones', phoneNumbersInverse),
  lastActivityAt: 'last_touch',
})
