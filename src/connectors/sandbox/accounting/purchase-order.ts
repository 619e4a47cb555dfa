import { defineMapping } from '../../../definition/mapping.ts'
import { purchaseOrder } from '../../../resources/accounting/purchase-order.ts'
import { collection } from '../collection.ts'
import { currency, enumeration, rate, required, sameList } from '../conversion.ts'
import { as } from '../inverse.ts'
import { list } from '../nested.ts'
import { postalAddress, postalAddressInverse, type RawAddress, recordFields } from '../shared.ts'
import { lineMatching, lineParts, type RawDocument } from './documents.ts'

interface Raw extends RawDocument {
  readonly deliver_to: RawAddress | null
}

const mapping = defineMapping<typeof purchaseOrder, Raw>(purchaseOrder, {
  ...recordFields,
  purchaseOrderStatus: 'state',
  purchaseOrderNumber: 'number',
  issueDate: 'ordered_on',
  deliveryDate: 'expected_on',
  deliveryAddress: ({ deliver_to }) => deliver_to && postalAddress(deliver_to),
  vendorId: 'vendor',
  accountId: 'account',
  memo: 'remark',
  companyId: 'company',
  totalAmount: 'total',
  currency: 'currency_code',
  exchangeRate: 'fx_rate',
  trackingCategoryIds: 'cost_centers',
  lineItems: (raw) =>
    raw.lines.map((line) => ({
      description: line.text,
      unitPrice: line.unit_price,
      quantity: line.quantity,
      accountingItemId: line.item,
      accountId: line.account,
      trackingCategoryIds: line.cost_centers,
      taxAmount: line.tax,
      // Includes tax: the order has no subtotal, so its lines add up to the total.
      totalLineAmount: line.gross,
      currency: raw.currency_code,
    })),
})

/** `/v1/purchase_orders` */
export default collection('purchase_orders', mapping, {
  purchaseOrderStatus: as(
    'state',
    required(enumeration(['draft', 'sent', 'received', 'cancelled'])),
  ),
  purchaseOrderNumber: as('number', required()),
  issueDate: as('ordered_on', required()),
  deliveryDate: 'expected_on',
  deliveryAddress: as('deliver_to', postalAddressInverse),
  vendorId: as('vendor', required()),
  accountId: 'account',
  memo: 'remark',
  companyId: as('company', required()),
  currency: as('currency_code', currency),
  exchangeRate: as('fx_rate', rate),
  trackingCategoryIds: as('cost_centers', sameList),
  lineItems: as('lines', required(list(lineParts, lineMatching))),
})
