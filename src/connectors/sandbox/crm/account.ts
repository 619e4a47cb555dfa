import { defineMapping } from '../../../definition/mapping.ts'
import { account } from '../../../resources/crm/account.ts'
import { history, location, phoneNumber, type RawLocation, type RawPhone } from '../shared.ts'

interface Raw {
  readonly locations: readonly RawLocation[]
  readonly phones: readonly RawPhone[]
}

/** `/v1/organizations` */
export default defineMapping<typeof account, Raw>(account, {
  ...history,
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
