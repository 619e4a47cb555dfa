/** What happens to records: create, update, archive, restore, merge, and their form in responses. */
import type { JsonObject } from '../engine/json.ts'
import type { StoredRecord } from '../engine/store.ts'
import {
  associate,
  associatesOf,
  associationTypeOf,
  associationTypes,
  isLive,
  moveAssociations,
  type RecordKey,
} from './associations.ts'
import { ApiError, conflict, invalid, notFound } from './errors.ts'
import { type ObjectType, objectTypes } from './object-types.ts'
import {
  definitionNamed,
  definitionsOf,
  formatTime,
  type Portal,
  pipelinesOf,
  propertiesOf,
  propertyValue,
  stagesOf,
} from './portal.ts'
import { acceptValues } from './values.ts'

/** Who writes: the events of a change name it. */
export type ChangeSource = 'INTEGRATION' | 'CRM_UI'

/** The list of a body's field; none if it is absent. */
export const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value : [])

export const isArchived = ({ value }: StoredRecord): boolean => value.archivedAt !== undefined

const upper = ({ singular }: ObjectType): string => singular.toUpperCase()

/** A record by its id, or the one that it was merged into. */
const findById = ({ store }: Portal, type: ObjectType, id: string): StoredRecord | undefined => {
  const merge = store.find('merge', `${type.name}/${id}`)
  return store.find(type.name, merge ? String(merge.value.into) : id)
}

const uniqueKey = (type: ObjectType, name: string, value: string): string =>
  `${type.name}/${name}/${value}`

const uniqueNames = (portal: Portal, type: ObjectType): readonly string[] =>
  [...definitionsOf(portal, type).values()]
    .filter(({ hasUniqueValue }) => hasUniqueValue)
    .map(({ name }) => name)

/**
 * A record by its id or by a property with unique values, archived or not.
 * @throws ApiError if the property's values are not unique
 */
export const findRecord = (
  portal: Portal,
  type: ObjectType,
  id: string,
  idProperty = 'hs_object_id',
): StoredRecord | undefined => {
  if (idProperty === 'hs_object_id') return findById(portal, type, id)
  definitionNamed(portal, type, idProperty)
  if (!uniqueNames(portal, type).includes(idProperty))
    throw invalid(`The values of ${idProperty} are not unique`, { idProperty: [idProperty] })
  const value = idProperty === 'email' ? id.toLowerCase() : id
  const claim = portal.store.find('unique', uniqueKey(type, idProperty, value))
  return claim && findById(portal, type, String(claim.value.id))
}

/** @throws ApiError 404 unless there is such a record that is not archived */
export const requireRecord = (
  portal: Portal,
  type: ObjectType,
  id: string,
  idProperty?: string,
): StoredRecord => {
  const record = findRecord(portal, type, id, idProperty)
  if (record && !isArchived(record)) return record
  throw notFound('Object not found. objectId are usually numeric.', { id: [id] })
}

/** @throws ApiError if another record has one of the unique values */
const claimUniqueValues = (
  portal: Portal,
  type: ObjectType,
  id: string,
  before: JsonObject,
  after: JsonObject,
): void => {
  const { store } = portal
  for (const name of uniqueNames(portal, type)) {
    const [old, next] = [before[name], after[name]]
    if (old === next) continue
    if (old !== undefined) store.remove('unique', uniqueKey(type, name, String(old)))
    if (next === undefined) continue
    const key = uniqueKey(type, name, String(next))
    const owner = store.find('unique', key)?.value.id
    if (owner !== undefined && name === 'email')
      throw conflict(`Contact already exists. Existing ID: ${owner}`)
    if (owner !== undefined)
      throw new ApiError({
        message: `${next} is already the value of ${name} of ${owner}`,
        errors: [
          {
            message: `${next} is already the value of ${name} of ${owner}`,
            code: 'CONFLICTING_UNIQUE_VALUE',
            context: { propertyName: [name] },
          },
        ],
      })
    store.insert('unique', key, { id })
  }
}

const withDefaults = (portal: Portal, { name }: ObjectType, sent: JsonObject): JsonObject => {
  const [pipeline] = pipelinesOf(portal, name)
  switch (name) {
    case 'deals':
      return { pipeline: pipeline?.id, ...sent }
    case 'leads': {
      const chosen = pipelinesOf(portal, name).find(({ id }) => id === sent.hs_pipeline) ?? pipeline
      const stage = chosen && stagesOf(chosen)[0]
      return { hs_pipeline: pipeline?.id, hs_pipeline_stage: stage?.id, ...sent }
    }
    case 'tasks':
      return {
        ...{ hs_task_status: 'NOT_STARTED', hs_task_priority: 'NONE', hs_task_type: 'TODO' },
        ...sent,
      }
    default:
      return sent
  }
}

const assertRequired = (type: ObjectType, properties: JsonObject): void => {
  const missing = type.required.filter(
    (group) => !group.some((name) => properties[name] !== undefined),
  )
  if (missing.length === 0) return
  throw invalid(`Error creating ${upper(type)}. Some required properties were not set.`, {
    properties: missing.flat(),
  })
}

interface NewAssociation {
  readonly to: RecordKey
  readonly spec: JsonObject
}

/** @throws ApiError if a type is not one of this type of records, or the other record does not exist */
const readAssociations = (
  portal: Portal,
  type: ObjectType,
  value: unknown,
): readonly NewAssociation[] =>
  listOf(value).flatMap(({ to, types }) =>
    listOf(types).map((spec): NewAssociation => {
      const known = associationTypes.find(
        ({ from, typeId }) => from === type.name && typeId === spec.associationTypeId,
      )
      const target = known ?? associationTypeOf(type.name, 'any type', spec)
      const key = { type: target.to, id: String(Object(to).id) }
      if (!isLive(portal, key))
        throw invalid(`${target.to} ${key.id} does not exist`, { id: [key.id] })
      return { to: key, spec }
    }),
  )

const assertAssociated = ({ name }: ObjectType, associations: readonly NewAssociation[]): void => {
  if (name !== 'leads' || associations.some(({ to }) => to.type === 'contacts')) return
  throw invalid('Error creating LEAD. A lead must be associated with a contact.', {
    associations: ['contacts'],
  })
}

/** @throws ApiError if the values or associations are not accepted */
export const createRecord = (
  portal: Portal,
  type: ObjectType,
  input: JsonObject,
  source: ChangeSource,
): StoredRecord => {
  const { store } = portal
  return store.transaction(() => {
    const properties = acceptValues(
      portal,
      type,
      withDefaults(portal, type, Object(input.properties)),
    )
    assertRequired(type, properties)
    const associations = readAssociations(portal, type, input.associations)
    assertAssociated(type, associations)
    const id = store.nextId('record')
    claimUniqueValues(portal, type, id, {}, properties)
    const record = store.insert(type.name, id, { properties, source })
    for (const { to, spec } of associations)
      associate(portal, { type: type.name, id }, to, associationTypeOf(type.name, to.type, spec))
    return record
  })
}

/** The stored values after a write; undefined: nothing changes. */
const changed = (before: JsonObject, accepted: JsonObject): JsonObject | undefined =>
  Object.entries(accepted).some(([name, value]) => before[name] !== value)
    ? { ...before, ...accepted }
    : undefined

/**
 * Changes these properties. A write that changes nothing leaves no trace.
 * @throws ApiError if the values are not accepted
 */
export const updateRecord = (
  portal: Portal,
  type: ObjectType,
  record: StoredRecord,
  sent: JsonObject,
  source: ChangeSource,
): StoredRecord => {
  const before = propertiesOf(record)
  const properties = changed(before, acceptValues(portal, type, sent, before))
  if (properties === undefined) return record
  return portal.store.transaction(() => {
    claimUniqueValues(portal, type, record.id, before, properties)
    return portal.store.replace(type.name, record.id, { ...record.value, properties, source })
  })
}

/** Puts a record into the recycle bin; one that is there already stays as it is. */
export const archiveRecord = (
  portal: Portal,
  type: ObjectType,
  record: StoredRecord,
  source: ChangeSource,
): void => {
  if (isArchived(record)) return
  const { store, clock } = portal
  store.transaction(() => {
    claimUniqueValues(portal, type, record.id, propertiesOf(record), {})
    const value = { ...record.value, archivedAt: formatTime(clock.nowMs()), source }
    store.replace(type.name, record.id, value, 'archived')
  })
}

/** Takes a record out of the recycle bin. */
export const restoreRecord = (portal: Portal, type: ObjectType, record: StoredRecord): void => {
  const { archivedAt: _archivedAt, ...value } = record.value
  portal.store.transaction(() => {
    claimUniqueValues(portal, type, record.id, {}, propertiesOf(record))
    portal.store.replace(type.name, record.id, { ...value, source: 'CRM_UI' }, 'restored')
  })
}

/** Removes a record without a trace, as a privacy deletion does. */
export const purgeRecord = (portal: Portal, type: ObjectType, record: StoredRecord): void => {
  portal.store.transaction(() => {
    if (!isArchived(record)) claimUniqueValues(portal, type, record.id, propertiesOf(record), {})
    portal.store.remove(type.name, record.id, 'purged')
  })
}

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
  if (!type.canMerge) throw invalid(`${upper(type)} records cannot be merged`)
  if (primary.id === other.id) throw invalid('A record cannot be merged into itself')
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

/** What a response has of a record. */
export interface Selection {
  /** Default: those of the type. */
  readonly properties?: readonly string[]
  readonly associations?: readonly ObjectType[]
}

/** The names of a selection that exist, with those that every response has. */
const selectedNames = (
  portal: Portal,
  type: ObjectType,
  { properties = type.defaults }: Selection,
): readonly string[] => {
  const isRefused = portal.settings.undefinedProperties === 'refused'
  const definitions = definitionsOf(portal, type)
  const known = properties.filter((name) =>
    isRefused ? definitionNamed(portal, type, name) : definitions.has(name),
  )
  const system = ['hs_object_id', type.createdProperty, type.modifiedProperty]
  return [...new Set([...known, ...system])].sort()
}

/** @throws ApiError if a property of the selection does not exist, however many records there are */
export const assertSelection = (portal: Portal, type: ObjectType, selection: Selection): void =>
  void selectedNames(portal, type, selection)

const showAssociations = (
  portal: Portal,
  from: RecordKey,
  types: readonly ObjectType[],
): JsonObject =>
  Object.fromEntries(
    types.flatMap((to) => {
      const results = associatesOf(portal, from, to).flatMap(({ id, types: found }) =>
        found.map(({ name }) => ({ id, type: name })),
      )
      return results.length === 0 ? [] : [[to.name, { results }]]
    }),
  )

/** A record as a response to a read has it: `null` for a property without a value. */
export const showRecord = (
  portal: Portal,
  type: ObjectType,
  record: StoredRecord,
  selection: Selection = {},
): JsonObject => {
  const { id, createdAtMs, updatedAtMs, value } = record
  const names = selectedNames(portal, type, selection)
  const associations = showAssociations(
    portal,
    { type: type.name, id },
    selection.associations ?? [],
  )
  return {
    id,
    properties: Object.fromEntries(
      names.map((name) => [name, propertyValue(portal, type, record, name) ?? null]),
    ),
    createdAt: formatTime(createdAtMs),
    updatedAt: formatTime(updatedAtMs),
    archived: isArchived(record),
    ...(typeof value.archivedAt === 'string' && { archivedAt: value.archivedAt }),
    ...(Object.keys(associations).length > 0 && { associations }),
  }
}

/** A record as a response to a write has it: every property with a value. */
export const showWritten = (portal: Portal, type: ObjectType, record: StoredRecord): JsonObject => {
  const names = [...definitionsOf(portal, type).keys()].filter(
    (name) => propertyValue(portal, type, record, name) !== undefined,
  )
  return showRecord(portal, type, record, { properties: names })
}

/** The types that a comma-separated list names. @throws ApiError if one is not a type */
export const typesIn = (text: string | undefined): readonly ObjectType[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((name) => {
      const type = objectTypes.get(name)
      if (!type) throw invalid(`Unable to infer object type from: ${name}`)
      return type
    })
