/** The paths of records. */
import { type Cursors, createCursors } from '../engine/pages.ts'
import type { Route } from '../engine/profile.ts'
import type { StoredRecord } from '../engine/store.ts'
import { archiveBatch, createBatch, readBatch, updateBatch, upsertBatch } from './batches.ts'
import {
  type Endpoint,
  FLAG,
  jsonBody,
  limitUpTo,
  NAMES,
  type PortalCall,
  type PortalOf,
  pageOf,
  parseNames,
  requireType,
  routesOf,
} from './endpoints.ts'
import { notFoundError } from './errors.ts'
import { mergeRecords } from './merges.ts'
import type { ObjectType } from './object-types.ts'
import type { Portal } from './portal.ts'
import { findRecord, isArchived, requireRecord } from './record-lookup.ts'
import { assertSelection, type Selection, showRecord, showWritten, typesIn } from './record-view.ts'
import { archiveRecord, type ChangeSource, createRecord, updateRecord } from './records.ts'
import { search } from './search.ts'

const SOURCE: ChangeSource = 'INTEGRATION'

const SELECTION = { properties: NAMES, associations: NAMES, archived: FLAG }

const selectionIn = ({ call: { query } }: PortalCall): Selection => {
  const properties = parseNames(query.properties)
  return { ...(properties && { properties }), associations: typesIn(query.associations) }
}

/** The records of a type that are archived, or that are not, in the order of their ids. */
const recordsOf = (
  { store }: Portal,
  type: ObjectType,
  archived: boolean,
): readonly StoredRecord[] =>
  store.view([type.name], archived ? 'archived' : 'live', (records) =>
    records.filter((record) => isArchived(record) === archived),
  )

const listRecords =
  (cursors: Cursors): Endpoint['respond'] =>
  (portalCall) => {
    const { portal, call } = portalCall
    const { after, limit = '10', archived = 'false' } = call.query
    const type = requireType(call, 'read')
    const scope = `${portal.account.id} ${type.name} ${archived}`
    const records = recordsOf(portal, type, archived === 'true')
    const { page, paging } = pageOf(cursors, scope, records, { after, limit: Number(limit) })
    const selection = selectionIn(portalCall)
    assertSelection(portal, type, selection)
    const results = page.map((record) => showRecord(portal, type, record, selection))
    return { status: 200, body: { results, ...paging } }
  }

const getRecord: Endpoint['respond'] = (portalCall) => {
  const { portal, call } = portalCall
  const type = requireType(call, 'read')
  const { objectId = '' } = call.path
  const record = findRecord(portal, type, objectId, call.query.idProperty)
  const isWanted = record && isArchived(record) === (call.query.archived === 'true')
  if (!isWanted)
    throw notFoundError('Object not found. objectId are usually numeric.', { id: [objectId] })
  return { status: 200, body: showRecord(portal, type, record, selectionIn(portalCall)) }
}

const create: Endpoint['respond'] = ({ portal, call }) => {
  const type = requireType(call, 'write')
  const record = createRecord(portal, type, call.body, SOURCE)
  return { status: 201, body: showWritten(portal, type, record) }
}

const update: Endpoint['respond'] = ({ portal, call }) => {
  const type = requireType(call, 'write')
  const record = requireRecord(portal, type, call.path.objectId ?? '', call.query.idProperty)
  const updated = updateRecord(portal, type, record, Object(call.body.properties), SOURCE)
  return { status: 200, body: showWritten(portal, type, updated) }
}

const archive: Endpoint['respond'] = ({ portal, call }) => {
  const type = requireType(call, 'write')
  const { objectId = '' } = call.path
  const record = findRecord(portal, type, objectId)
  if (!record)
    throw notFoundError('Object not found. objectId are usually numeric.', { id: [objectId] })
  archiveRecord(portal, type, record, SOURCE)
  return { status: 204, body: '' }
}

const merge: Endpoint['respond'] = ({ portal, call }) => {
  const type = requireType(call, 'write')
  const { primaryObjectId, objectIdToMerge } = call.body
  const primary = requireRecord(portal, type, String(primaryObjectId))
  const other = requireRecord(portal, type, String(objectIdToMerge))
  const merged = mergeRecords(portal, type, primary, other, SOURCE)
  return { status: 200, body: showWritten(portal, type, merged) }
}

const endpointsWith = (cursors: Cursors): readonly Endpoint[] => [
  {
    method: 'GET',
    path: '/{objectType}',
    parameters: { ...SELECTION, after: {}, limit: limitUpTo(100) },
    respond: listRecords(cursors),
    response: 'Records',
  },
  {
    method: 'GET',
    path: '/{objectType}/{objectId}',
    parameters: { ...SELECTION, idProperty: {} },
    respond: getRecord,
    response: 'Record',
  },
  {
    method: 'POST',
    path: '/{objectType}',
    body: jsonBody('CreateRecord'),
    respond: create,
    response: 'Record',
  },
  {
    method: 'PATCH',
    path: '/{objectType}/{objectId}',
    parameters: { idProperty: {} },
    body: jsonBody('UpdateRecord'),
    respond: update,
    response: 'Record',
  },
  {
    method: 'DELETE',
    path: '/{objectType}/{objectId}',
    respond: archive,
    response: 'Nothing',
  },
  {
    method: 'POST',
    path: '/{objectType}/merge',
    body: jsonBody('Merge'),
    respond: merge,
    response: 'Record',
  },
  {
    method: 'POST',
    path: '/{objectType}/search',
    body: jsonBody('Search'),
    respond: ({ portal, call }) => ({
      status: 200,
      body: search(portal, requireType(call, 'read'), call.body),
    }),
    response: 'SearchResults',
  },
  {
    method: 'POST',
    path: '/{objectType}/batch/read',
    parameters: { archived: FLAG },
    body: jsonBody('BatchRead'),
    respond: ({ portal, call }) =>
      readBatch(portal, requireType(call, 'read'), call.body, call.query.archived === 'true'),
    response: 'RecordBatch',
  },
  {
    method: 'POST',
    path: '/{objectType}/batch/create',
    body: jsonBody('BatchCreate'),
    respond: ({ portal, call }) => createBatch(portal, requireType(call, 'write'), call.body),
    response: 'RecordBatch',
  },
  {
    method: 'POST',
    path: '/{objectType}/batch/update',
    body: jsonBody('BatchUpdate'),
    respond: ({ portal, call }) => updateBatch(portal, requireType(call, 'write'), call.body),
    response: 'RecordBatch',
  },
  {
    method: 'POST',
    path: '/{objectType}/batch/upsert',
    body: jsonBody('BatchUpdate'),
    respond: ({ portal, call }) => upsertBatch(portal, requireType(call, 'write'), call.body),
    response: 'UpsertBatch',
  },
  {
    method: 'POST',
    path: '/{objectType}/batch/archive',
    body: jsonBody('BatchArchive'),
    respond: ({ portal, call }) => archiveBatch(portal, requireType(call, 'write'), call.body),
    response: 'Nothing',
  },
]

export const recordRoutes = (portalOf: PortalOf): readonly Route[] =>
  routesOf(portalOf, '/crm/objects', endpointsWith(createCursors()))
