import { defineMapping } from '../../../definition/mapping.ts'
import { customer } from '../../../resources/accounting/customer.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { recordFields } from '../shared.ts'
import { party, partyInverse, partyStatus, type RawParty, statusInverse } from './party.ts'

const mapping = defineMapping<typeof customer, RawParty>(customer, {
  ...recordFields,
  ...party,
  customerName: 'display_name',
  customerStatus: partyStatus,
})

/** `/v1/clients` */
export default collection('clients', mapping, {
  ...partyInverse,
  customerName: as('display_name', required()),
  customerStatus: statusInverse,
})
