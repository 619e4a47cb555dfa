/** Resource connectors for the collections of the sandbox. */
import type { ResourceConnector, ResourceWriter } from '../../definition/connector.ts'
import { defineMapping, type FieldRules, type RecordRules } from '../../definition/mapping.ts'
import type { Resource } from '../../definition/resource.ts'
import { listingPath, readList } from './listing.ts'
import { createWriter } from './writer.ts'

/** Rules for the fields of every record. */
const recordRules: RecordRules<unknown> = {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'modified',
  remoteDeleted: 'deleted',
}

/**
 * Creates the connector of the collection `kind`. It writes if the resource can be written. `sideEffects` names
 * the other records that a write changes.
 */
export const collection = <R extends Resource, Raw = never>(
  kind: string,
  resource: R,
  rules: FieldRules<R, Raw>,
  sideEffects?: ResourceWriter['sideEffects'],
): ResourceConnector => {
  const mapping = defineMapping<R, Raw>(resource, { ...rules, ...recordRules })
  return {
    mapping,
    ...(resource.verbs.includes('update') && { write: createWriter(kind, mapping, sideEffects) }),
    listRequest: (position) => ({ method: 'GET', path: listingPath(kind, position) }),
    readList,
    // NOTES "`modified` only grows": no overlap is needed, but one second costs nothing.
    sync: { incremental: true, deletions: 'reported', overlapMs: 1000 },
  }
}
