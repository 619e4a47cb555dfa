import { act } from './act.ts'
import type { Vendure } from './start.ts'
import { FULFILLMENT_FIELDS, type Fulfillment, ORDER_FIELDS, type Order } from './state.ts'

// A merchant's actions on orders, through the Admin API. Amounts are minor units.

/** Ships lines, all by default; `Pending` leaves them packed, not shipped. @throws VendureError */
export async function fulfillOrder(
  vendure: Vendure,
  order: Order,
  shipment: {
    readonly trackingCode: string
    readonly method: string
    readonly lines?: readonly { readonly orderLineId: string; readonly quantity: number }[]
    readonly state?: 'Pending' | 'Shipped'
  },
): Promise<Fulfillment> {
  const { trackingCode, method, state = 'Shipped' } = shipment
  const all = order.lines.map(({ id, quantity }) => ({ orderLineId: id, quantity }))
  const handler = {
    code: 'manual-fulfillment',
    arguments: Object.entries({ method, trackingCode }).map(([name, value]) => ({ name, value })),
  }
  const fulfillment = await act<Fulfillment>(
    vendure,
    `mutation ($input: FulfillOrderInput!) {
      addFulfillmentToOrder(input: $input) {
        ... on Fulfillment { ${FULFILLMENT_FIELDS} } ... on ErrorResult { errorCode message }
      }
    }`,
    { input: { lines: shipment.lines ?? all, handler } },
  )
  return state === 'Pending' ? fulfillment : setFulfillmentState(vendure, fulfillment.id, state)
}

/** @throws VendureError */
export async function setFulfillmentState(
  vendure: Vendure,
  id: string,
  state: 'Shipped' | 'Delivered' | 'Cancelled',
): Promise<Fulfillment> {
  return act(
    vendure,
    `mutation ($id: ID!, $state: String!) {
      transitionFulfillmentToState(id: $id, state: $state) {
        ... on Fulfillment { ${FULFILLMENT_FIELDS} } ... on ErrorResult { errorCode message }
      }
    }`,
    { id, state },
  )
}

/** Cancels lines of an order, by default all of it. @throws VendureError */
export async function cancelOrder(
  vendure: Vendure,
  orderId: string,
  lines?: readonly { readonly orderLineId: string; readonly quantity: number }[],
): Promise<Order> {
  return act(
    vendure,
    `mutation ($input: CancelOrderInput!) {
      cancelOrder(input: $input) {
        ... on Order { ${ORDER_FIELDS} } ... on ErrorResult { errorCode message }
      }
    }`,
    { input: { orderId, lines, cancelShipping: !lines, reason: 'Asked by the customer' } },
  )
}

/** Settles an authorized payment. @throws VendureError */
export async function settlePayment(vendure: Vendure, paymentId: string): Promise<void> {
  await act(
    vendure,
    `mutation ($id: ID!) {
      settlePayment(id: $id) { ... on Payment { id } ... on ErrorResult { errorCode message } }
    }`,
    { id: paymentId },
  )
}

/** @throws VendureError */
export async function refundPayment(
  vendure: Vendure,
  paymentId: string,
  amount: number,
): Promise<void> {
  await act(
    vendure,
    `mutation ($input: RefundOrderInput!) {
      refundOrder(input: $input) { ... on Refund { id } ... on ErrorResult { errorCode message } }
    }`,
    // Fails without the deprecated parts: NOT NULL constraint on refund.shipping.
    { input: { paymentId, amount, reason: 'Damaged', lines: [], shipping: 0, adjustment: 0 } },
  )
}

/** @throws VendureError */
export async function addNote(vendure: Vendure, orderId: string, note: string): Promise<void> {
  await act(
    vendure,
    'mutation ($input: AddNoteToOrderInput!) { addNoteToOrder(input: $input) { id } }',
    { input: { id: orderId, note, isPublic: false } },
  )
}

/** A coupon for a percentage off the whole order. @throws VendureError */
export async function createCoupon(
  vendure: Vendure,
  couponCode: string,
  percentage: number,
): Promise<void> {
  const discount = { name: 'discount', value: String(percentage) }
  await act(
    vendure,
    `mutation ($input: CreatePromotionInput!) {
      createPromotion(input: $input) {
        ... on Promotion { id } ... on ErrorResult { errorCode message }
      }
    }`,
    {
      input: {
        enabled: true,
        couponCode,
        conditions: [],
        actions: [{ code: 'order_percentage_discount', arguments: [discount] }],
        translations: [{ languageCode: 'en', name: `${percentage} % off` }],
      },
    },
  )
}
