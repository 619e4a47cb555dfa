import { defineMapping } from '../../../definition/mapping.ts'
import { bill } from '../../../resources/accounting/bill.ts'
import { collection } from '../collection.ts'
import { filled } from '../conversion.ts'
import { as } from '../inverse.ts'
import { history } from '../shared.ts'
import { accountsOfLines } from '../touched.ts'
import { demand, demandInverse, type RawDocument } from './documents.ts'

const mapping = defineMapping<typeof bill, RawDocument>(bill, {
  ...history,
  ...demand,
  vendorId: 'vendor',
  billNumber: 'number',
  billStatus: 'state',
})

/** `/v1/bills` */
export default collection(
  'bills',
  mapping,
  {
    ...demandInverse,
    vendorId: as('vendor', filled()),
    billNumber: as('number', filled()),
  },
  accountsOfLines,
)
