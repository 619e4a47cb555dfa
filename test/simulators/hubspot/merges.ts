/** Merges of two records. */
import type { StoredRecord } from '../engine/store.ts'
import { moveAssociations } from './associations.ts'
import { validationError } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import { type Portal, propertiesOf } from './portal.ts'
import { claimUniqueValues } from './record-lookup.ts'
import type { ChangeSource } from './records.ts'

/**
 * Merges a record into the primary one: a new record replaces both, with the values of the primary one first.
 * @throws ApiError if the type does not allow it, or both are one record
 */
export const mergeRecords = (
  portal: Portal,
  type: ObjectType,
  primary: StoredRecord,
  other: StoredRecord,
  source: ChangeSource,
): StoredRecord => {
  if (!type.canMerge)
    throw validationError(`${type.singular.toUpperCase()} records cannot be merged`)
  if (primary.id === other.id) throw validationError('A record cannot be merged into itself')
  const { store } = portal
  return store.transaction(() => {
    const id = store.nextId('record')
    const [kept, lost] = [propertiesOf(primary), propertiesOf(other)]
    const moved = Object.keys(lost).filter((name) => kept[name] === undefined)
    const ids = [primary, other].flatMap((record) => [
      record.id,
      ...String(propertiesOf(record).hs_merged_object_ids ?? '').split(';'),
    ])
    const merged = { ...lost, ...kept, hs_merged_object_ids: ids.filter(Boolean).join(';') }
    for (const record of [other, primary]) {
      claimUniqueValues(portal, type, record.id, propertiesOf(record), {})
      store.remove(type.name, record.id, 'absorbed')
    }
    for (const before of ids.filter(Boolean)) {
      const key = `${type.name}/${before}`
      if (store.find('merge', key)) store.replace('merge', key, { into: id })
      else store.insert('merge', key, { into: id })
    }
    claimUniqueValues(portal, type, id, {}, merged)
    const about = { primaryId: primary.id, mergedId: other.id, movedCount: moved.length }
    const record = store.insert(type.name, id, { properties: merged, source, about }, 'merged')
    const into = { type: type.name, id }
    for (const { id: before } of [other, primary])
      moveAssociations(portal, { type: type.name, id: before }, into)
    return record
  })
}
