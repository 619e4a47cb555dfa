/**
 * The unified words for statuses, which every app has in words of its own. A record has both: the app's word in
 * `…Status`, and the unified one in `…State`, which is null for a word of the app without a unified one.
 */

/** States of an invoice or a bill. One that is overdue is still `OPEN` or `PARTIALLY_PAID`: compare `dueDate`. */
export const documentStates = ['DRAFT', 'OPEN', 'PARTIALLY_PAID', 'PAID', 'VOID'] as const

/** States of a payment. A void one stays in the books without an amount. */
export const paymentStates = ['COMPLETED', 'VOID'] as const

/** States of an order. */
export const orderStates = ['OPEN', 'COMPLETED', 'CANCELLED'] as const

/** How much of an order has reached the last step of its fulfillment so far. */
export const orderFulfillmentStates = ['UNFULFILLED', 'PARTIALLY_FULFILLED', 'FULFILLED'] as const

/** How much of an order is paid. */
export const orderPaymentStates = [
  'UNPAID',
  'AUTHORIZED',
  'PARTIALLY_PAID',
  'PAID',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'VOID',
] as const

/** States of a fulfillment. */
export const shipmentStates = ['PENDING', 'SHIPPED', 'DELIVERED', 'FAILED', 'CANCELLED'] as const

/** States of an opportunity. */
export const opportunityStates = ['OPEN', 'WON', 'LOST'] as const
