import { defineMapping } from '../../../definition/mapping.ts'
import { vendor } from '../../../resources/accounting/vendor.ts'
import { history } from '../shared.ts'
import { party, partyStatus, type RawParty } from './party.ts'

/** `/v1/vendors` */
export default defineMapping<typeof vendor, RawParty>(vendor, {
  ...history,
  ...party,
  vendorName: 'display_name',
  vendorStatus: partyStatus,
})
