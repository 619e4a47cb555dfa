import { listOf, notNull } from '../../../definition/mapping/converters.ts'
import { contact } from '../../../resources/crm/contact.ts'
import { collection } from '../collection.ts'
import { idOrName } from '../look-up.ts'
import { emailAddresses, location, phoneNumbers } from '../shared.ts'

/** `/v1/people` */
export default collection('people', contact, {
  firstName: 'given_name',
  lastName: notNull('family_name'),
  account: idOrName('organizations', 'name', 'organization'),
  addresses: listOf('locations', {
    ...location,
    street2: 'street2',
    countrySubdivision: 'region_code',
    postalCode: 'postcode',
  }),
  emailAddresses,
  phoneNumbers,
  lastActivityAt: 'last_touch',
})
