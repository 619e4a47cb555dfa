/** Batches of reads and writes of up to 100 records. */
import { type JsonObject, listOf } from '../engine/json.ts'
import type { Reply } from '../engine/profile.ts'
import { batchError, type ErrorContent, validationError } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import { formatTime, type Portal } from './portal.ts'
import { findRecord, isArchived } from './record-lookup.ts'
import { assertSelection, showRecord, showWritten } from './record-view.ts'
import { archiveRecord, type ChangeSource, createRecord, updateRecord } from './records.ts'

const SOURCE: ChangeSource = 'INTEGRATION'

/** The envelope of a batch. With errors the status is 207, whatever the status of the rest is. */
export const batchReply = (
  { clock }: Portal,
  results: readonly JsonObject[],
  { status = 200, errors = [] }: { status?: number; errors?: readonly ErrorContent[] } = {},
): Reply => {
  const time = formatTime(clock.nowMs())
  return {
    status: errors.length > 0 ? 207 : status,
    body: {
      status: 'COMPLETE',
      results,
      startedAt: time,
      completedAt: time,
      ...(errors.length > 0 && { numErrors: errors.length, errors: errors.map(batchError) }),
    },
  }
}

const missingErrors = (
  { singular }: ObjectType,
  ids: readonly string[],
): readonly ErrorContent[] =>
  ids.length === 0
    ? []
    : [
        {
          category: 'OBJECT_NOT_FOUND',
          message: `Could not get some ${singular.toUpperCase()} objects, they may be deleted or not exist. Check that ids are valid.`,
          context: { ids },
        },
      ]

/** @throws ApiError if an id is sent twice */
const assertDistinct = (ids: readonly string[]): void => {
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (repeated.length > 0)
    throw validationError(`Duplicate IDs found in batch input: [${repeated.join(', ')}]`, {
      ids: repeated,
    })
}

export const readBatch = (
  portal: Portal,
  type: ObjectType,
  body: JsonObject,
  archived: boolean,
): Reply => {
  const ids = listOf(body.inputs).map(({ id }) => String(id))
  assertDistinct(ids)
  const idProperty = body.idProperty === undefined ? undefined : String(body.idProperty)
  const found = ids.map((id) => findRecord(portal, type, id, idProperty))
  const isFound = found.map((record) => record !== undefined && isArchived(record) === archived)
  const properties = Array.isArray(body.properties) ? body.properties.map(String) : []
  assertSelection(portal, type, { properties })
  const results = found.flatMap((record, index) =>
    record && isFound[index] ? [showRecord(portal, type, record, { properties })] : [],
  )
  const lost = ids.filter((_id, index) => !isFound[index])
  return batchReply(portal, results, { errors: missingErrors(type, lost) })
}

/** All or nothing: one record that is rejected rejects the batch. */
export const createBatch = (portal: Portal, type: ObjectType, body: JsonObject): Reply => {
  const created = portal.store.transaction(() =>
    listOf(body.inputs).map((input) => createRecord(portal, type, input, SOURCE)),
  )
  const results = created.map((record) => showWritten(portal, type, record))
  return batchReply(portal, results, { status: 201 })
}

/** Records that do not exist are errors of their own; values that are rejected reject the batch. */
export const updateBatch = (portal: Portal, type: ObjectType, body: JsonObject): Reply => {
  const inputs = listOf(body.inputs)
  assertDistinct(inputs.map(({ id }) => String(id)))
  const lost: string[] = []
  const updated = portal.store.transaction(() =>
    inputs.flatMap(({ id, idProperty, properties }) => {
      const name = idProperty === undefined ? undefined : String(idProperty)
      const record = findRecord(portal, type, String(id), name)
      if (record && !isArchived(record))
        return [updateRecord(portal, type, record, Object(properties), SOURCE)]
      lost.push(String(id))
      return []
    }),
  )
  const results = updated.map((record) => showWritten(portal, type, record))
  return batchReply(portal, results, { errors: missingErrors(type, lost) })
}

/** Finds each record by a property with unique values, which a new record gets. All or nothing. */
export const upsertBatch = (portal: Portal, type: ObjectType, body: JsonObject): Reply => {
  const inputs = listOf(body.inputs)
  assertDistinct(inputs.map(({ id }) => String(id)))
  const results = portal.store.transaction(() =>
    inputs.map(({ id, idProperty, properties }) => {
      if (idProperty === undefined) throw validationError('An upsert needs idProperty')
      const record = findRecord(portal, type, String(id), String(idProperty))
      const sent: JsonObject = Object(properties)
      const named = { [String(idProperty)]: String(id), ...sent }
      const written = record
        ? updateRecord(portal, type, record, sent, SOURCE)
        : createRecord(portal, type, { properties: named }, SOURCE)
      return { ...showWritten(portal, type, written), new: record === undefined }
    }),
  )
  return batchReply(portal, results)
}

/** Unknown ids are ignored. */
export const archiveBatch = (portal: Portal, type: ObjectType, body: JsonObject): Reply => {
  portal.store.transaction(() => {
    for (const { id } of listOf(body.inputs)) {
      const record = findRecord(portal, type, String(id))
      if (record) archiveRecord(portal, type, record, SOURCE)
    }
  })
  return { status: 204, body: '' }
}
