import { defineMapping } from '../../../definition/mapping.ts'
import { purchaseOrder } from '../../../resources/accounting/purchase-order.ts'
import { collection } from '../collection.ts'
import { currency, filled, listed, rate, word } from '../conversion.ts'
import { as } from '../inverse.ts'
import { list } from '../nested.ts'
import { history, postalAddress, postalAddressInverse, type RawAddress } from '../shared.ts'
import { lineParts, type RawDocument, recognisedLines } from './documents.ts'

interface Raw extends RawDocument {
  readonly deliver_to: RawAddress | null
}

const mapping = defineMapping<typeof purchaseOrder, Raw>(purchaseOrder, {
  ...history,
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
      // With tax: the order has no subtotal that lines without it would add up to.
      totalLineAmount: line.gross,
      currency: raw.currency_code,
    })),
})

/** `/v1/purchase_orders` */
export default collection('purchase_orders', mapping, {
  purchaseOrderStatus: as('state', filled(word(['draft', 'sent', 'received', 'cancelled']))),
  purchaseOrderNumber: as('number', filled()),
  issueDate: as('ordered_on', filled()),
  deliveryDate: 'expected_on',
  deliveryAddress: as('deliver_to', postalAddressInverse),
  vendorId: as('vendor', filled()),
  accountId: 'account',
  memo: 'remark',
  companyId: as('company', filled()),
  currency: as('currency_code', currency),
  exchangeRate: as('fx_rate', rate),
  trackingCategoryIds: as('cost_centers', listed),
  lineItems: as('lines', filled(list(lineParts, recognisedLines))),
})
