import { defineMapping } from '../../../definition/mapping.ts'
import { account } from '../../../resources/crm/account.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { list } from '../nested.ts'
import {
  location,
  locationParts,
  owner,
  phoneNumber,
  phoneNumbersInverse,
  type RawLocation,
  type RawPhone,
  recordFields,
} from '../shared.ts'

interface Raw {
  readonly locations: readonly RawLocation[]
  readonly phones: readonly RawPhone[]
}

const mapping = defineMapping<typeof account, Raw>(account, {
  ...recordFields,
  accountName: 'name',
  accountOwner: 'owner_name',
  description: 'about',
  industry: 'sector',
  website: 'website',
  numberOfEmployees: 'headcount',
  lastActivityAt: 'last_touch',
  addresses: ({ locations }) => locations.map(location),
  phoneNumbers: ({ phones }) => phones.map(phoneNumber),
})

/** `/v1/organizations` */
export default collection('organizations', mapping, {
  accountName: as('name', required()),
  accountOwner: owner,
  description: 'about',
  industry: 'sector',
  website: 'website',
  numberOfEmployees: 'headcount',
  lastActivityAt: 'last_touch',
  addresses: as('locations', list(locationParts)),
  phoneNumbers: as('phones', phoneNumbersInverse),
})
