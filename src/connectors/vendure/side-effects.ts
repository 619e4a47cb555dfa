/**
 * Records that Vendure changes along with a written record (NOTES "an order's state follows its
 * fulfillments").
 */
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

/** Cancelled, changed and new lines of an order change the stock of their products. */
export const sideEffectsOfOrder = ({ lines }: RemoteFields): readonly RecordName[] =>
  productsOf(entriesOf(lines))

/** A fulfillment changes the state of its order and the stock of its products. */
export const sideEffectsOfFulfillment = ({
  orderId,
  lines,
}: RemoteFields): readonly RecordName[] => [
  ...(typeof orderId === 'string' ? [{ topic: 'commerce/orders', remoteId: orderId }] : []),
  ...productsOf(entriesOf(lines).map(({ orderLine }) => valuesOf(orderLine))),
]
