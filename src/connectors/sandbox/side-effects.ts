/** Other records that a write changes in the sandbox (NOTES "A write changes other records too"). */
import type { RecordName } from '../../definition/connector.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'

type RemoteFields = Readonly<Record<string, unknown>>

/** The record that a field references, if any. */
const referenced = (topic: string, remoteId: unknown): readonly RecordName[] =>
  typeof remoteId === 'string' ? [{ topic, remoteId }] : []

/** A shipment changes the fulfillment status of its order. */
export const orderOfShipment = ({ orderId }: RemoteFields): readonly RecordName[] =>
  referenced('commerce/orders', orderId)

/** A payment changes its document and the balance of its account. */
export const settledByPayment = ({
  invoice,
  bill,
  accountId,
}: RemoteFields): readonly RecordName[] => [
  ...referenced('accounting/invoices', invoice),
  ...referenced('accounting/bills', bill),
  ...referenced('accounting/accounts', accountId),
]

/** The lines of a document change the balances of their accounts. */
export const accountsOfLines = ({ lineItems }: RemoteFields): readonly RecordName[] =>
  objectsIn(lineItems).flatMap(({ accountId }) => referenced('accounting/accounts', accountId))
