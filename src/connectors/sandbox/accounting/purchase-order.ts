import { defineMapping } from '../../../definition/mapping.ts'
import { purchaseOrder } from '../../../resources/accounting/purchase-order.ts'
import { history, postalAddress, type RawAddress } from '../shared.ts'
import type { RawDocument } from './documents.ts'

interface Raw extends RawDocument {
  readonly deliver_to: RawAddress | null
}

/** `/v1/purchase_orders` */
export default defineMapping<typeof purchaseOrder, Raw>(purchaseOrder, {
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
