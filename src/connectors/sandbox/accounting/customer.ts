import { notNull } from '../../../definition/mapping/converters.ts'
import { customer } from '../../../resources/accounting/customer.ts'
import { collection } from '../collection.ts'
import { status } from '../shared.ts'
import { party } from './party.ts'

/** `/v1/clients` */
export default collection('clients', customer, {
  ...party,
  customerName: notNull('display_name'),
  customerStatus: notNull(status),
})
