/** A collection of the sandbox, as the engines see it. */
import type { ResourceConnector, ResourceWriter } from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'
import type { Inverse } from './inverse.ts'
import { listingPath, readList } from './listing.ts'
import { createWriter } from './writer.ts'

/**
 * The collection `kind`, read by a mapping; written by its inverse, where the sandbox lets it be. `touches`:
 * what else the sandbox changes then.
 */
export const collection = (
  kind: string,
  mapping: Mapping,
  inverse?: Inverse,
  touches?: ResourceWriter['touches'],
): ResourceConnector => ({
  mapping,
  ...(inverse && { write: createWriter(kind, mapping.resource, inverse, touches) }),
  listRequest: (position) => ({ method: 'GET', path: listingPath(kind, position) }),
  readList,
  // NOTES 3: instants only grow, so no overlap is needed; a second costs nothing.
  sync: { incremental: true, deletions: 'reported', overlapMs: 1000 },
})
