import { defineMapping } from '../../../definition/mapping.ts'
import { lead } from '../../../resources/crm/lead.ts'
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
  readonly locations: readonly RawLocation[]
  readonly emails: readonly RawMailbox[]
  readonly phones: readonly RawPhone[]
}

/** `/v1/leads` */
export default defineMapping<typeof lead, Raw>(lead, {
  ...history,
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
