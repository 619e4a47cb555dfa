import { listOf, notNull } from '../../../definition/mapping/converters.ts'
import { account } from '../../../resources/crm/account.ts'
import { collection } from '../collection.ts'
import { location, owner, phoneNumbers } from '../shared.ts'

/** `/v1/organizations` */
export default collection('organizations', account, {
  accountName: notNull('name'),
  accountOwner: owner,
  description: 'about',
  industry: 'sector',
  website: 'website',
  numberOfEmployees: 'headcount',
  lastActivityAt: 'last_touch',
  addresses: listOf('locations', { ...location, postalCode: 'postcode' }),
  phoneNumbers,
})
