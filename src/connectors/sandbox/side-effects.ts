/** Other records that a write changes in the sandbox (NOTES "A write changes other records too"). */
import { recordsAt } from '../../definition/side-effects.ts'

/** A shipment changes the fulfillment status of its order. */
export const orderOfShipment = recordsAt({ 'commerce/orders': 'orderId' })

/** A payment changes its document and the balance of its account. */
export const settledByPayment = recordsAt({
  'accounting/invoices': 'invoice',
  'accounting/bills': 'bill',
  'accounting/accounts': 'accountId',
})

/** The lines of a document change the balances of their accounts. */
export const accountsOfLines = recordsAt({ 'accounting/accounts': 'lineItems.accountId' })
