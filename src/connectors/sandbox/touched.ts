/** What the sandbox changes along with a written record (NOTES 25). */
import type { RecordName } from '../../definition/connector.ts'
import { objectsIn } from './conversion.ts'

type RemoteFields = Readonly<Record<string, unknown>>

/** The record that a field names, if it names one. */
const named = (topic: string, remoteId: unknown): readonly RecordName[] =>
  typeof remoteId === 'string' ? [{ topic, remoteId }] : []

/** An order is as shipped as its shipments say. */
export const orderOfShipment = ({ order }: RemoteFields): readonly RecordName[] =>
  named('commerce/orders', order)

/** A payment settles its document and moves the balance of its account. */
export const settledByPayment = ({
  invoice,
  bill,
  account,
}: RemoteFields): readonly RecordName[] => [
  ...named('accounting/invoices', invoice),
  ...named('accounting/bills', bill),
  ...named('accounting/accounts', account),
]

/** A document's lines move the balances of their accounts. */
export const accountsOfLines = ({ lines }: RemoteFields): readonly RecordName[] =>
  objectsIn(lines).flatMap(({ account }) => named('accounting/accounts', account))
