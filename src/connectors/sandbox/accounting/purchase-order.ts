import {
  enumeration,
  listOf,
  notNull,
  objectOf,
  readOnly,
} from '../../../definition/mapping/converters.ts'
import { purchaseOrder } from '../../../resources/accounting/purchase-order.ts'
import { collection } from '../collection.ts'
import { rate } from '../formats.ts'
import { postalAddress } from '../shared.ts'
import { line, lineMatching } from './documents.ts'

const orderLine = {
  ...line,
  taxAmount: readOnly('tax'),
  // Includes tax: the order has no subtotal, so its lines add up to the total.
  totalLineAmount: readOnly('gross'),
}

/** `/v1/purchase_orders` */
export default collection('purchase_orders', purchaseOrder, {
  purchaseOrderStatus: notNull(enumeration('state', ['draft', 'sent', 'received', 'cancelled'])),
  purchaseOrderNumber: notNull('number'),
  issueDate: notNull('ordered_on'),
  deliveryDate: 'expected_on',
  deliveryAddress: objectOf('deliver_to', postalAddress),
  vendorId: notNull('vendor'),
  accountId: 'account',
  memo: 'remark',
  companyId: notNull('company'),
  totalAmount: readOnly('total'),
  currency: notNull('currency_code'),
  exchangeRate: rate('fx_rate'),
  trackingCategoryIds: 'cost_centers',
  lineItems: notNull(listOf('lines', orderLine, lineMatching)),
})
