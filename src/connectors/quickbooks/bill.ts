/** Bills. */
import { required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { entriesOf, type Values } from '../../definition/raw-values.ts'
import { bill } from '../../resources/accounting/bill.ts'
import type { Entity } from './entity.ts'
import { text } from './fields.ts'
import { billLines } from './lines.ts'
import { DEPARTMENT, trackingOf } from './tracking.ts'
import { billing, difference, documentState, linkedTo, statusOf, taxOf } from './transaction.ts'
import { collection } from './writer.ts'

/** The purchase orders to which a bill or its lines are linked. */
const purchaseOrdersOf = ({ LinkedTxn, Line }: Values): readonly unknown[] => {
  const links = [LinkedTxn, ...entriesOf(Line).map((line) => line.LinkedTxn)].flatMap(entriesOf)
  const ids = links.filter(({ TxnType }) => TxnType === 'PurchaseOrder').map(({ TxnId }) => TxnId)
  return [...new Set(ids)]
}

export const BILL: Entity = { name: 'Bill', requires: ['VendorRef'] }

export const bills = collection(
  defineMapping<typeof bill, Values>(bill, {
    ...billing,
    vendorId: required('VendorRef.value'),
    billNumber: text('DocNumber'),
    billStatus: statusOf,
    billState: documentState,
    subTotal: (raw) => difference(raw.TotalAmt, taxOf(raw)),
    totalDiscount: null, // QuickBooks has no discounts on bills
    trackingCategoryIds: trackingOf(DEPARTMENT),
    lineItems: billLines,
    purchaseOrderIds: purchaseOrdersOf,
  }),
  BILL,
  linkedTo({ PurchaseOrder: 'accounting/purchaseOrders' }),
)
