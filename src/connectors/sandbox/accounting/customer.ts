import { defineMapping } from '../../../definition/mapping.ts'
import { customer } from '../../../resources/accounting/customer.ts'
import { history } from '../shared.ts'
import { party, partyStatus, type RawParty } from './party.ts'

/** `/v1/clients` */
export default defineMapping<typeof customer, RawParty>(customer, {
  ...history,
  ...party,
  customerName: 'display_name',
  customerStatus: partyStatus,
})
