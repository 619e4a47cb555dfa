/** Other records that a write changes in the sandbox (NOTES "A write changes other records too"). */
import type { RecordName } from '../../definition/connector.ts'
import { objectsIn } from '../../definition/mapping/match-entries.ts'

/**
 * The paid document and the bank account of a payment, the accounts of a document's lines, and the order of a
 * shipment.
 */
export const sideEffects = (fields: Readonly<Record<string, unknown>>): readonly RecordName[] =>
  [
    ['commerce/orders', fields.orderId] as const,
    ['accounting/invoices', fields.invoice] as const,
    ['accounting/bills', fields.bill] as const,
    ...[fields, ...objectsIn(fields.lineItems)].map(
      ({ accountId }) => ['accounting/accounts', accountId] as const,
    ),
  ].flatMap(([topic, remoteId]) => (typeof remoteId === 'string' ? [{ topic, remoteId }] : []))
