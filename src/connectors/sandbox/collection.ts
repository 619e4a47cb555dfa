/** Resource connectors for the collections of the sandbox. */
import type { ResourceConnector, ResourceWriter } from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'
import type { Inverse } from './inverse.ts'
import { listingPath, readList } from './listing.ts'
import { createWriter } from './writer.ts'

/**
 * Creates the connector of the collection `kind`. Without `inverse`, the collection is read-only. `sideEffects`
 * names the other records that a write changes.
 */
export const collection = (
  kind: string,
  mapping: Mapping,
  inverse?: Inverse,
  sideEffects?: ResourceWriter['sideEffects'],
): ResourceConnector => ({
  mapping,
  ...(inverse && { write: createWriter(kind, mapping.resource, inverse, sideEffects) }),
  listRequest: (position) => ({ method: 'GET', path: listingPath(kind, position) }),
  readList,
  // NOTES "`modified` only grows": no overlap is needed, but one second costs nothing.
  sync: { incremental: true, deletions: 'reported', overlapMs: 1000 },
})
