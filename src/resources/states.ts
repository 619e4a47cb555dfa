/**
 * The unified words for statuses, which every app has in words of its own. A record has both: the app's word in
 * `…Status`, and the unified one in `…State`, which is null for a word of the app without a unified one.
 */

/** States of an invoice or a bill. One that is overdue is still `OPEN` or `PARTIALLY_PAID`: compare `dueDate`. */
export const documentStates = {
  DRAFT: 'It is not issued yet.',
  OPEN: 'It is issued, and nothing is paid.',
  PARTIALLY_PAID: 'A part is paid.',
  PAID: 'It is paid in full.',
  VOID: 'It is cancelled and stays in the books.',
} as const

/** States of a payment. */
export const paymentStates = {
  COMPLETED: 'The money has moved.',
  VOID: 'It is cancelled and stays in the books without an amount.',
} as const

/** States of an order. */
export const orderStates = {
  OPEN: 'It is placed and not finished.',
  COMPLETED: 'It is finished.',
  CANCELLED: 'It is cancelled.',
} as const

/** How much of an order has reached the last step of its fulfillment so far. */
export const orderFulfillmentStates = {
  UNFULFILLED: 'No line.',
  PARTIALLY_FULFILLED: 'Some lines, or a part of a line.',
  FULFILLED: 'All lines.',
} as const

/** How much of an order is paid. */
export const orderPaymentStates = {
  UNPAID: 'Nothing is paid.',
  AUTHORIZED: 'The payment is authorized and not captured yet.',
  PARTIALLY_PAID: 'A part is paid.',
  PAID: 'It is paid in full.',
  PARTIALLY_REFUNDED: 'A part of what was paid is refunded.',
  REFUNDED: 'All that was paid is refunded.',
  VOID: 'The payment is cancelled.',
} as const

/** States of a fulfillment. */
export const shipmentStates = {
  PENDING: 'It has not left yet.',
  SHIPPED: 'It is on its way.',
  DELIVERED: 'It has arrived.',
  FAILED: 'It could not be delivered.',
  CANCELLED: 'It is cancelled.',
} as const

/** States of an opportunity. */
export const opportunityStates = {
  OPEN: 'It is not decided.',
  WON: 'The sale was made.',
  LOST: 'The sale was not made.',
} as const
