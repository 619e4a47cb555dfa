import { defineMapping } from '../../../definition/mapping.ts'
import { customer } from '../../../resources/accounting/customer.ts'
import { collection } from '../collection.ts'
import { filled } from '../conversion.ts'
import { as } from '../inverse.ts'
import { history } from '../shared.ts'
import { party, partyInverse, partyStatus, type RawParty, statusInverse } from './party.ts'

const mapping = defineMapping<typeof customer, RawParty>(customer, {
  ...history,
  ...party,
  customerName: 'display_name',
  customerStatus: partyStatus,
})

/** `/v1/clients` */
export default collection('clients', mapping, {
  ...partyInverse,
  customerName: as('display_name', filled()),
  customerStatus: statusInverse,
})
