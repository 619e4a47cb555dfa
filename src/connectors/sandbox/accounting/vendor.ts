import { defineMapping } from '../../../definition/mapping.ts'
import { vendor } from '../../../resources/accounting/vendor.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { recordFields } from '../shared.ts'
import { party, partyInverse, partyStatus, type RawParty, statusInverse } from './party.ts'

const mapping = defineMapping<typeof vendor, RawParty>(vendor, {
  ...recordFields,
  ...party,
  vendorName: 'display_name',
  vendorStatus: partyStatus,
})

/** `/v1/vendors` */
export default collection('vendors', mapping, {
  ...partyInverse,
  vendorName: as('display_name', required()),
  vendorStatus: statusInverse,
})
