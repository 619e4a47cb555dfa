import { defineMapping } from '../../../definition/mapping.ts'
import { bill } from '../../../resources/accounting/bill.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { recordFields } from '../shared.ts'
import { accountsOfLines } from '../side-effects.ts'
import { billingInverse, billingRules, type RawDocument } from './documents.ts'

const mapping = defineMapping<typeof bill, RawDocument>(bill, {
  ...recordFields,
  ...billingRules,
  vendorId: 'vendor',
  billNumber: 'number',
  billStatus: 'state',
})

/** `/v1/bills` */
export default collection(
  'bills',
  mapping,
  {
    ...billingInverse,
    vendorId: as('vendor', required()),
    billNumber: as('number', required()),
  },
  accountsOfLines,
)
