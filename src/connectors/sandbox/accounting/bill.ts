import { notNull, readOnly } from '../../../definition/mapping/converters.ts'
import { bill } from '../../../resources/accounting/bill.ts'
import { collection } from '../collection.ts'
import { accountsOfLines } from '../side-effects.ts'
import { billing } from './documents.ts'

const rules = {
  ...billing,
  vendorId: notNull('vendor'),
  billNumber: notNull('number'),
  billStatus: readOnly('state'),
}

/** `/v1/bills` */
export default collection('bills', bill, rules, accountsOfLines)
