import { defineMapping } from '../../../definition/mapping.ts'
import { lead } from '../../../resources/crm/lead.ts'
import { collection } from '../collection.ts'
import { as } from '../inverse.ts'
import { list } from '../nested.ts'
import {
  emailAddress,
  emailAddressesInverse,
  location,
  locationParts,
  owner,
  phoneNumber,
  phoneNumbersInverse,
  type RawLocation,
  type RawMailbox,
  type RawPhone,
  recordFields,
} from '../shared.ts'

interface Raw {
  readonly locations: readonly RawLocation[]
  readonly emails: readonly RawMailbox[]
  readonly phones: readonly RawPhone[]
}

const mapping = defineMapping<typeof lead, Raw>(lead, {
  ...recordFields,
  leadOwner: 'owner_name',
  leadSource: 'source',
  leadTitle: 'job_title',
  company: 'company_name',
  firstName: 'given_name',
  lastName: 'family_name',
  addresses: ({ locations }) => locations.map(location),
  emailAddresses: ({ emails }) => emails.map(emailAddress),
  phoneNumbers: ({ phones }) => phones.map(phoneNumber),
})

/** `/v1/leads` */
export default collection('leads', mapping, {
  leadOwner: owner,
  leadSource: 'source',
  leadTitle: 'job_title',
  company: 'company_name',
  firstName: 'given_name',
  lastName: 'family_name',
  // Addresses of leads have no postal code in the common model: a matched location keeps its own.
  addresses: as('locations', list(locationParts, { in: 'locations', by: [['label', 'street']] })),
  emailAddresses: as('emails', emailAddressesInverse),
  phoneNumbers: as('phones', phoneNumbersInverse),
})
