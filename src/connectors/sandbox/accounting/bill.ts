import { defineMapping } from '../../../definition/mapping.ts'
import { bill } from '../../../resources/accounting/bill.ts'
import { history } from '../shared.ts'
import { demand, type RawDocument } from './documents.ts'

/** `/v1/bills` */
export default defineMapping<typeof bill, RawDocument>(bill, {
  ...history,
  ...demand,
  vendorId: 'vendor',
  billNumber: 'number',
  billStatus: 'state',
})
