/** The current state in Vendure's own API, in the form that the unified API must return. */
import { type Order, readCustomer, readOrder, readProduct } from '../../apps/vendure/state.ts'
import type { Connection } from './connection.ts'
import {
  type Expected,
  expectedCustomer,
  expectedFulfillment,
  expectedOrder,
  expectedProduct,
  type OrderStatuses,
} from './expected.ts'

interface Timed {
  readonly updatedAt: string
}

interface OrderTimes extends Timed {
  readonly orderPlacedAt: string
  readonly payments: readonly (Timed & { readonly refunds: readonly Timed[] })[]
  readonly fulfillments: readonly Timed[]
  readonly modifications: readonly Timed[]
  readonly history: { readonly items: readonly { readonly createdAt: string }[] }
}

const requireRecord = <Value>(value: Value | null, what: string): Value => {
  if (value === null) throw new Error(`Vendure has no ${what}`)
  return value
}

/**
 * The records that listings return. `orderStatuses`: the statuses of orders by id, which Vendure's API does not
 * return.
 */
export const createVendureState = (
  { vendure, credentialId }: Connection,
  orderStatuses: ReadonlyMap<string, OrderStatuses>,
) => {
  const listIds = async (list: string, filter = ''): Promise<readonly string[]> => {
    const query = `{ list: ${list}(options: { filter: { ${filter} } }) { items { id } } }`
    const result = await vendure.admin<{ list: { items: { id: string }[] } }>(query)
    return result.list.items.map(({ id }) => id)
  }
  const readPlacedOrder = async (id: string): Promise<Order> =>
    requireRecord(await readOrder(vendure, id), 'order')

  const order = async (id: string): Promise<Expected> => {
    const { order: times } = await vendure.admin<{ order: OrderTimes }>(
      `query ($id: ID!) { order(id: $id) {
        updatedAt orderPlacedAt payments { updatedAt refunds { updatedAt } }
        fulfillments { updatedAt } modifications { updatedAt } history { items { createdAt } }
      } }`,
      { id },
    )
    const parts = [...times.payments, ...times.payments.flatMap(({ refunds }) => refunds)]
    const all = [times, ...parts, ...times.fulfillments, ...times.modifications]
    const instants = [times.orderPlacedAt, ...times.history.items.map(({ createdAt }) => createdAt)]
    return expectedOrder(
      credentialId,
      await readPlacedOrder(id),
      [...instants, ...all.map(({ updatedAt }) => updatedAt)],
      orderStatuses.get(id),
    )
  }

  const readExpectedProduct = async (id: string): Promise<Expected> => {
    const remote = requireRecord(await readProduct(vendure, id), 'product')
    const { product: stock } = await vendure.admin<{
      product: { variants: { stockLevels: Timed[] }[] }
    }>('query ($id: ID!) { product(id: $id) { variants { stockLevels { updatedAt } } } }', { id })
    const levels = stock.variants.flatMap(({ stockLevels }) => stockLevels)
    return expectedProduct(
      credentialId,
      remote,
      levels.map(({ updatedAt }) => updatedAt),
    )
  }

  const readExpectedCustomer = async (id: string): Promise<Expected> =>
    expectedCustomer(credentialId, requireRecord(await readCustomer(vendure, id), 'customer'))

  const fulfillmentsOf = async (orderId: string): Promise<readonly Expected[]> => {
    const remote = await readPlacedOrder(orderId)
    return remote.fulfillments.map((fulfillment) =>
      expectedFulfillment(credentialId, remote, fulfillment),
    )
  }

  const orderIds = () => listIds('orders', 'orderPlacedAt: { isNull: false }')
  return {
    order,
    product: readExpectedProduct,
    customer: readExpectedCustomer,
    fulfillmentsOf,
    /** Every expected record, by topic. */
    all: async (): Promise<Readonly<Record<string, readonly Expected[]>>> => ({
      'commerce/customers': await Promise.all(
        (await listIds('customers')).map(readExpectedCustomer),
      ),
      'commerce/fulfillments': (await Promise.all((await orderIds()).map(fulfillmentsOf))).flat(),
      'commerce/orders': await Promise.all((await orderIds()).map(order)),
      'commerce/products': await Promise.all((await listIds('products')).map(readExpectedProduct)),
    }),
  }
}
