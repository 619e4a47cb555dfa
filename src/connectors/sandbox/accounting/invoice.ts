import { notNull, readOnly } from '../../../definition/mapping/converters.ts'
import { invoice } from '../../../resources/accounting/invoice.ts'
import { collection } from '../collection.ts'
import { accountsOfLines } from '../side-effects.ts'
import { billing } from './documents.ts'

const rules = {
  ...billing,
  customerId: notNull('client'),
  invoiceNumber: notNull('number'),
  invoiceStatus: readOnly('state'),
}

/** `/v1/invoices` */
export default collection('invoices', invoice, rules, accountsOfLines)
