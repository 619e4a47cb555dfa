/** Resource connectors for the collections of the sandbox. */
import type { ResourceConnector, ResourceWriter } from '../../definition/connector.ts'
import {
  defineMapping,
  type FieldRules,
  type MappingRules,
  type RecordRules,
} from '../../definition/mapping.ts'
import type { Resource } from '../../definition/resource.ts'
import { derivedRules } from './derived.ts'
import { describeFields } from './describe-fields.ts'
import { pagesOf } from './listing.ts'
import { createWriter } from './writer.ts'

/** Rules for the fields of every record. */
const recordRules: RecordRules<unknown> = {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'modified',
  remoteDeleted: 'deleted',
}

/**
 * Creates the connector of the collection `kind`. It writes if the resource can be written. `rules` are those
 * of fields that the sandbox has in another form. `sideEffects` names the other records that a write changes.
 */
export const collection = <R extends Resource>(
  kind: string,
  resource: R,
  rules: Partial<FieldRules<R, never>> = {},
  sideEffects?: ResourceWriter['sideEffects'],
): ResourceConnector => {
  const all = { ...derivedRules(resource.fields), ...rules, ...recordRules }
  // Safe cast: the derived rules cover every field.
  const mapping = defineMapping(resource, all as unknown as MappingRules<R, never>)
  return {
    mapping,
    ...(resource.verbs.includes('update') && { write: createWriter(kind, mapping, sideEffects) }),
    ...pagesOf(kind),
    describeFields: describeFields(kind),
    // NOTES "`modified` only grows"
    sync: { changes: { by: 'time', overlapMs: 60_000 }, deletions: 'reported' },
  }
}
