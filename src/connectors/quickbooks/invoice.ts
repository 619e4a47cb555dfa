/** Invoices. */
import { required } from '../../definition/mapping/converters.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { entriesOf, type Values } from '../../definition/raw-values.ts'
import { invoice } from '../../resources/accounting/invoice.ts'
import type { Entity } from './entity.ts'
import { text } from './fields.ts'
import { saleLines } from './lines.ts'
import { CLASS, DEPARTMENT, trackingOf } from './tracking.ts'
import { billing, documentState, statusOf } from './transaction.ts'
import { collection } from './writer.ts'

/** The amount of the line of a kind that an invoice has at most once. */
const amountOfLine =
  (type: string) =>
  ({ Line }: Values): unknown =>
    entriesOf(Line).find(({ DetailType }) => DetailType === type)?.Amount ?? null

export const INVOICE: Entity = { name: 'Invoice', requires: ['CustomerRef'] }

export const invoices = collection(
  defineMapping<typeof invoice, Values>(invoice, {
    ...billing,
    customerId: required('CustomerRef.value'),
    invoiceNumber: text('DocNumber'),
    invoiceStatus: (raw) => raw.invoiceStatus ?? statusOf(raw),
    invoiceState: documentState,
    subTotal: amountOfLine('SubTotalLineDetail'),
    totalDiscount: amountOfLine('DiscountLineDetail'),
    trackingCategoryIds: trackingOf(CLASS, DEPARTMENT),
    lineItems: saleLines,
    purchaseOrderIds: null, // QuickBooks has only a number of the customer's
  }),
  INVOICE,
)
