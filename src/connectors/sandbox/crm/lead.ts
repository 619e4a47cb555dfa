import { listOf } from '../../../definition/mapping/converters.ts'
import { lead } from '../../../resources/crm/lead.ts'
import { collection } from '../collection.ts'
import { emailAddresses, location, owner, phoneNumbers } from '../shared.ts'

/** `/v1/leads` */
export default collection('leads', lead, {
  leadOwner: owner,
  leadSource: 'source',
  leadTitle: 'job_title',
  company: 'company_name',
  firstName: 'given_name',
  lastName: 'family_name',
  // Addresses of leads have no postal code in the common model: a matched location keeps its own.
  addresses: listOf('locations', location, [['label', 'street']]),
  emailAddresses,
  phoneNumbers,
})
