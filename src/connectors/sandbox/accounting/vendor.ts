import { notNull } from '../../../definition/mapping/converters.ts'
import { vendor } from '../../../resources/accounting/vendor.ts'
import { collection } from '../collection.ts'
import { status } from '../shared.ts'
import { party } from './party.ts'

/** `/v1/vendors` */
export default collection('vendors', vendor, {
  ...party,
  vendorName: notNull('display_name'),
  vendorStatus: notNull(status),
})
