/** Purchase orders. */
import { enumeration, notNull, objectOf, required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import type { Values } from '../../definition/raw-values.ts'
import { purchaseOrder } from '../../resources/accounting/purchase-order.ts'
import { addressRules } from './contact.ts'
import type { Entity } from './entity.ts'
import { referenceTo, text } from './fields.ts'
import { orderLines } from './lines.ts'
import { CLASS, DEPARTMENT, trackingOf } from './tracking.ts'
import { transaction } from './transaction.ts'
import { collection } from './writer.ts'

const deliveryAddress = notNull(
  objectOf<Values>('ShipAddr', {
    addressType: () => 'SHIPPING',
    ...addressRules(''),
  }),
)

export const PURCHASE_ORDER: Entity = {
  name: 'PurchaseOrder',
  requires: ['VendorRef', 'APAccountRef'],
}

export const purchaseOrders = collection(
  defineMapping<typeof purchaseOrder, Values>(purchaseOrder, {
    ...transaction,
    purchaseOrderStatus: notNull(enumeration('POStatus', ['Open', 'Closed'])),
    purchaseOrderNumber: text('DocNumber'),
    deliveryDate: notNull('ExpectedDate'),
    deliveryAddress,
    vendorId: required('VendorRef.value'),
    accountId: referenceTo('APAccountRef'),
    trackingCategoryIds: trackingOf(CLASS, DEPARTMENT),
    lineItems: orderLines,
  }),
  PURCHASE_ORDER,
)
