import { defineMapping } from '../../../definition/mapping.ts'
import { invoice } from '../../../resources/accounting/invoice.ts'
import { collection } from '../collection.ts'
import { required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { recordFields } from '../shared.ts'
import { accountsOfLines } from '../side-effects.ts'
import { billingInverse, billingRules, type RawDocument } from './documents.ts'

const mapping = defineMapping<typeof invoice, RawDocument>(invoice, {
  ...recordFields,
  ...billingRules,
  customerId: 'client',
  invoiceNumber: 'number',
  invoiceStatus: 'state',
})

/** `/v1/invoices` */
export default collection(
  'invoices',
  mapping,
  {
    ...billingInverse,
    customerId: as('client', required()),
    invoiceNumber: as('number', required()),
  },
  accountsOfLines,
)
