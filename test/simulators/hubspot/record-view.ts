/** The form of records in responses. */
import type { JsonObject } from '../engine/json.ts'
import type { StoredRecord } from '../engine/store.ts'
import { associatesOf, type RecordKey } from './associations.ts'
import { validationError } from './errors.ts'
import { type ObjectType, objectTypes } from './object-types.ts'
import { definitionNamed, definitionsOf, formatTime, type Portal } from './portal.ts'
import { propertyValue } from './property-values.ts'
import { isArchived } from './record-lookup.ts'

/** The properties and associations of a record that a response includes. */
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
      if (!type) throw validationError(`Unable to infer object type from: ${name}`)
      return type
    })
