import { resultOf, sendOperation, type Variables, VendureError } from './operation.ts'
import { ACCOUNT_PASSWORD } from './shop.ts'
import type { Vendure } from './start.ts'
import { type Address, type CustomerDetails, type Order, readOrder } from './state.ts'

// A customer's actions, through the Shop API.

export interface CartLine {
  readonly variantId: string
  readonly quantity: number
}

export interface Purchase {
  /** Logs in; without an account the customer is a guest, for whom Vendure creates a customer. */
  readonly customer: CustomerDetails
  readonly lines: readonly CartLine[]
  readonly shippingAddress?: Address
  /** Default: the shipping address. */
  readonly billingAddress?: Address
  readonly couponCode?: string
  /** `prepaid`, the default, settles immediately; `invoice` waits for settlePayment. */
  readonly payment?: 'prepaid' | 'invoice'
}

const DEFAULT_ADDRESS: Address = {
  fullName: 'Grete Hermann',
  streetLine1: 'Am Wall 1',
  city: 'Bremen',
  postalCode: '28195',
  countryCode: 'DE',
}

/** A cart that is not ordered; Vendure lists it among the orders nevertheless. @throws VendureError */
export async function fillCart(vendure: Vendure, lines: readonly CartLine[]): Promise<Order> {
  return addToCart(vendure, enterShop(vendure), lines)
}

/** A checkout, from the empty cart to the payment. @throws VendureError */
export async function placeOrder(vendure: Vendure, purchase: Purchase): Promise<Order> {
  const { customer, shippingAddress = DEFAULT_ADDRESS, couponCode } = purchase
  const billingAddress = purchase.billingAddress ?? shippingAddress
  const visitor = enterShop(vendure)
  const hasAccount = await logIn(visitor, customer.emailAddress)
  const { id } = await addToCart(vendure, visitor, purchase.lines)
  const step = (mutation: string, variables?: Variables) =>
    visitor.mutate(`${mutation} { ... on Order { id } ${OR_ERROR} }`, variables)

  if (!hasAccount) await step('setCustomerForOrder(input: $customer)', { customer })
  await step('setOrderShippingAddress(input: $address)', { address: shippingAddress })
  await step('setOrderBillingAddress(input: $address)', { address: billingAddress })
  if (couponCode) await step('applyCouponCode(couponCode: $couponCode)', { couponCode })
  await step('setOrderShippingMethod(shippingMethodId: [1])') // the shop has only one
  await step('transitionOrderToState(state: "ArrangingPayment")')
  const payment = { method: purchase.payment ?? 'prepaid', metadata: {} }
  await step('addPaymentToOrder(input: $payment)', { payment })
  return readTaken(vendure, id)
}

async function logIn(visitor: Visitor, emailAddress: string): Promise<boolean> {
  const login = `login(username: $emailAddress, password: $password) {
    ... on CurrentUser { id } ${OR_ERROR}
  }`
  try {
    await visitor.mutate(login, { emailAddress, password: ACCOUNT_PASSWORD })
    return true
  } catch (error) {
    const isRefused = error instanceof VendureError && error.code === 'INVALID_CREDENTIALS_ERROR'
    if (isRefused) return false
    throw error
  }
}

async function addToCart(vendure: Vendure, visitor: Visitor, lines: readonly CartLine[]) {
  let id = ''
  for (const { variantId, quantity } of lines) {
    const add = `addItemToOrder(productVariantId: $variantId, quantity: $quantity) {
      ... on Order { id } ${OR_ERROR}
    }`
    id = (await visitor.mutate(add, { variantId, quantity })).id
  }
  return readTaken(vendure, id)
}

async function readTaken(vendure: Vendure, id: string): Promise<Order> {
  const order = await readOrder(vendure, id)
  if (!order) throw new Error(`Vendure does not know order "${id}", which was just placed`)
  return order
}

const OR_ERROR = '... on ErrorResult { errorCode message }'
const VARIABLE_TYPES: Readonly<Record<string, string>> = {
  emailAddress: 'String!',
  password: 'String!',
  variantId: 'ID!',
  quantity: 'Int!',
  customer: 'CreateCustomerInput!',
  address: 'CreateAddressInput!',
  couponCode: 'String!',
  payment: 'PaymentInput!',
}

type Visitor = ReturnType<typeof enterShop>

/** One session of the storefront, anonymous until a login. */
function enterShop(vendure: Vendure) {
  let headers: Record<string, string> = {}
  return {
    async mutate(mutation: string, variables: Variables = {}): Promise<{ readonly id: string }> {
      const types = Object.keys(variables).map((name) => `$${name}: ${VARIABLE_TYPES[name]}`)
      const query = `mutation ${types.length ? `(${types.join()})` : ''} { ${mutation} }`
      const response = await sendOperation({
        url: `${vendure.url}/shop-api`,
        query,
        variables,
        headers,
      })
      if (response.token) headers = { authorization: `Bearer ${response.token}` }
      return resultOf(response.data)
    },
  }
}
