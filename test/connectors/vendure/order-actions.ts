/** Rare actions of a merchant on orders, used by the connector's test only. */
import { act } from '../../apps/vendure/act.ts'
import type { Variables } from '../../apps/vendure/operation.ts'
import type { Vendure } from '../../apps/vendure/start.ts'
import { type Order, readOrder } from '../../apps/vendure/state.ts'

const OR_ERROR = '... on ErrorResult { errorCode message }'

/** A mutation of an order. */
const runOrderMutation = (
  vendure: Vendure,
  mutation: string,
  variables: Variables,
): Promise<unknown> => act(vendure, `${mutation} { ... on Order { id } ${OR_ERROR} } }`, variables)

/** An order created by the merchant that waits for its payment. */
export const draftOrder = async (
  vendure: Vendure,
  { customerId, variantId }: { readonly customerId: string; readonly variantId: string },
): Promise<string> => {
  const { id } = await act<Order>(vendure, 'mutation { createDraftOrder { id } }', {})
  await runOrderMutation(
    vendure,
    `mutation ($id: ID!, $variantId: ID!) { addItemToDraftOrder(
      orderId: $id, input: { productVariantId: $variantId, quantity: 1 })`,
    { id, variantId },
  )
  await runOrderMutation(
    vendure,
    'mutation ($id: ID!, $customerId: ID!) { setCustomerForDraftOrder(orderId: $id, customerId: $customerId)',
    { id, customerId },
  )
  await act(
    vendure,
    `mutation ($id: ID!) { setDraftOrderShippingAddress(
      orderId: $id, input: { fullName: "Emmy Noether", streetLine1: "Am Wall 2", countryCode: "DE" }) { id } }`,
    { id },
  )
  await runOrderMutation(
    vendure,
    'mutation ($id: ID!) { setDraftOrderShippingMethod(orderId: $id, shippingMethodId: "1")',
    { id },
  )
  await transitionOrder(vendure, id, 'ArrangingPayment')
  return id
}

/** Adds the payment that an order waited for. */
export const payOrder = (vendure: Vendure, id: string): Promise<unknown> =>
  runOrderMutation(
    vendure,
    `mutation ($id: ID!) { addManualPaymentToOrder(
      input: { orderId: $id, method: "prepaid", transactionId: "bank", metadata: {} })`,
    { id },
  )

export const transitionOrder = (vendure: Vendure, id: string, state: string): Promise<unknown> =>
  runOrderMutation(
    vendure,
    'mutation ($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state)',
    { id, state },
  )

/** Corrects the shipping address with the three required requests. */
export const correctAddress = async (
  vendure: Vendure,
  id: string,
  street: string,
): Promise<void> => {
  const before = await readOrder(vendure, id)
  await transitionOrder(vendure, id, 'Modifying')
  await runOrderMutation(
    vendure,
    `mutation ($id: ID!, $street: String!) { modifyOrder(
      input: { dryRun: false, orderId: $id, updateShippingAddress: { streetLine1: $street } })`,
    { id, street },
  )
  await transitionOrder(vendure, id, before?.state ?? '')
}

/** Settles a refund. */
export const settleRefund = (vendure: Vendure, id: string): Promise<unknown> =>
  act(
    vendure,
    `mutation ($id: ID!) {
      settleRefund(input: { id: $id, transactionId: "back" }) { ... on Refund { id } ${OR_ERROR} }
    }`,
    { id },
  )
