/** The writes of records: create, update, archive, restore, purge. */
import { type JsonObject, listOf } from '../engine/json.ts'
import type { StoredRecord } from '../engine/store.ts'
import {
  associate,
  associationTypeOf,
  associationTypes,
  isLive,
  type RecordKey,
} from './associations.ts'
import { validationError } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import { formatTime, type Portal, pipelinesOf, propertiesOf, stagesOf } from './portal.ts'
import { claimUniqueValues, isArchived } from './record-lookup.ts'
import { acceptValues } from './values.ts'

/** The source of a write, which the events of the change name. */
export type ChangeSource = 'INTEGRATION' | 'CRM_UI'

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
        hs_task_status: 'NOT_STARTED',
        hs_task_priority: 'NONE',
        hs_task_type: 'TODO',
        ...sent,
      }
    default:
      return sent
  }
}

/** The properties, including the completion time of a task, which the vendor sets itself. */
const withCompletion = (
  { clock }: Portal,
  type: ObjectType,
  properties: JsonObject,
): JsonObject => {
  if (type.name !== 'tasks') return properties
  const { hs_task_completion_date: completedAt, ...others } = properties
  return others.hs_task_status === 'COMPLETED'
    ? { ...others, hs_task_completion_date: completedAt ?? formatTime(clock.nowMs()) }
    : others
}

const assertRequired = (type: ObjectType, properties: JsonObject): void => {
  const missing = type.required.filter(
    (group) => !group.some((name) => properties[name] !== undefined),
  )
  if (missing.length === 0) return
  throw validationError(
    `Error creating ${type.singular.toUpperCase()}. Some required properties were not set.`,
    {
      properties: missing.flat(),
    },
  )
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
        throw validationError(`${target.to} ${key.id} does not exist`, { id: [key.id] })
      return { to: key, spec }
    }),
  )

const assertAssociated = ({ name }: ObjectType, associations: readonly NewAssociation[]): void => {
  if (name !== 'leads' || associations.some(({ to }) => to.type === 'contacts')) return
  throw validationError('Error creating LEAD. A lead must be associated with a contact.', {
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
    const sent = withDefaults(portal, type, Object(input.properties))
    const properties = withCompletion(portal, type, acceptValues(portal, type, sent))
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
const changedProperties = (before: JsonObject, accepted: JsonObject): JsonObject | undefined =>
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
  const written = changedProperties(before, acceptValues(portal, type, sent, before))
  if (written === undefined) return record
  const properties = withCompletion(portal, type, written)
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
