import { defineMapping } from '../../../definition/mapping.ts'
import { invoice } from '../../../resources/accounting/invoice.ts'
import { history } from '../shared.ts'
import { demand, type RawDocument } from './documents.ts'

/** `/v1/invoices` */
export default defineMapping<typeof invoice, RawDocument>(invoice, {
  ...history,
  ...demand,
  customerId: 'client',
  invoiceNumber: 'number',
  invoiceStatus: 'state',
})
