import { defineMapping } from '../../../definition/mapping.ts'
import { invoice } from '../../../resources/accounting/invoice.ts'
import { collection } from '../collection.ts'
import { filled } from '../conversion.ts'
import { as } from '../inverse.ts'
import { history } from '../shared.ts'
import { accountsOfLines } from '../touched.ts'
import { demand, demandInverse, type RawDocument } from './documents.ts'

const mapping = defineMapping<typeof invoice, RawDocument>(invoice, {
  ...history,
  ...demand,
  customerId: 'client',
  invoiceNumber: 'number',
  invoiceStatus: 'state',
})

/** `/v1/invoices` */
export default collection(
  'invoices',
  mapping,
  {
    ...demandInverse,
    customerId: as('client', filled()),
    invoiceNumber: as('number', filled()),
  },
  accountsOfLines,
)
