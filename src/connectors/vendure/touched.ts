/** What Vendure changes along with a written record (NOTES 42). */
import type { RecordName } from '../../definition/connector.ts'
import { entriesOf, type Values, valuesOf } from './graphql.ts'

type RemoteFields = Readonly<Record<string, unknown>>

const productsOf = (orderLines: readonly Values[]): readonly RecordName[] =>
  orderLines.flatMap(({ productVariant }) => {
    const { productId } = valuesOf(productVariant)
    return typeof productId === 'string'
      ? [{ topic: 'commerce/products', remoteId: productId }]
      : []
  })

/** Lines of an order that are cancelled, changed or new move the stock of their products. */
export const touchedByOrder = ({ lines }: RemoteFields): readonly RecordName[] =>
  productsOf(entriesOf(lines))

/** A fulfillment moves the state of its order, and the stock of what it ships. */
export const touchedByFulfillment = ({ orderId, lines }: RemoteFields): readonly RecordName[] => [
  ...(typeof orderId === 'string' ? [{ topic: 'commerce/orders', remoteId: orderId }] : []),
  ...productsOf(entriesOf(lines).map(({ orderLine }) => valuesOf(orderLine))),
]
