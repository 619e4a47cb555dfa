/** The paths of associations: of one record, and in batches. */
import { type JsonObject, listOf } from '../engine/json.ts'
import { type Cursors, createCursors } from '../engine/pages.ts'
import { type Call, RefusalError, type Route } from '../engine/profile.ts'
import {
  type AssociationType,
  associate,
  associatesOf,
  associationTypeOf,
  defaultType,
  dissociate,
  isLive,
  type RecordKey,
  replaceLabels,
} from './associations.ts'
import { batchReply } from './batches.ts'
import { checkOf } from './contract.ts'
import {
  type Access,
  type Endpoint,
  jsonBody,
  limitUpTo,
  type PortalCall,
  type PortalOf,
  pageOf,
  requireType,
  routesOf,
} from './endpoints.ts'
import { notFoundError } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import type { Portal } from './portal.ts'
import { requireRecord } from './record-lookup.ts'

const MAX_PAGE_SIZE = 500

const CATEGORY = 'HUBSPOT_DEFINED'

interface Pair {
  readonly from: ObjectType
  readonly to: ObjectType
}

/** The types of the path; the token must allow this access to both. */
const pairIn = (call: Call, access: Access, from = 'fromObjectType'): Pair => ({
  from: requireType(call, access, from),
  to: requireType(call, access, 'toObjectType'),
})

const keyOf = ({ name }: ObjectType, id: unknown): RecordKey => ({ type: name, id: String(id) })

const idOf = (value: unknown): string => String(Object(value).id)

const showLabel = ({ category, typeId, label }: AssociationType): JsonObject => ({
  category,
  typeId,
  ...(label !== undefined && { label }),
})

type Associate = ReturnType<typeof associatesOf>[number]

const showAssociate = ({ id, types }: Associate): JsonObject => ({
  toObjectId: id,
  associationTypes: types.map(showLabel),
})

/** The response to a write of associations between two records. */
const showPair = (
  { from, to }: Pair,
  [fromId, toId]: readonly [string, string],
  types: readonly AssociationType[],
): JsonObject => ({
  fromObjectTypeId: from.typeId,
  fromObjectId: fromId,
  toObjectTypeId: to.typeId,
  toObjectId: toId,
  labels: types.flatMap(({ label }) => (label === undefined ? [] : [label])),
})

/** The body of a labeled association is a list, which a JSON body of the engine cannot be. */
const typesOf = ({ text }: Call): readonly JsonObject[] => {
  let types: unknown
  try {
    types = JSON.parse(text)
  } catch {
    throw new RefusalError({ reason: 'malformed-body' })
  }
  const problems = checkOf('AssociationTypes')({ types })
  if (problems.length > 0) throw new RefusalError({ reason: 'invalid-body', problems })
  return listOf(types)
}

/** The records that a path names. @throws ApiError 404 unless both exist */
const recordsIn = ({ portal, call }: PortalCall, { from, to }: Pair) => {
  const { objectId = '', toObjectId = '' } = call.path
  const ids = [
    requireRecord(portal, from, objectId).id,
    requireRecord(portal, to, toObjectId).id,
  ] as const
  return { ids, from: keyOf(from, ids[0]), to: keyOf(to, ids[1]) }
}

const listAssociates =
  (cursors: Cursors): Endpoint['respond'] =>
  ({ portal, call }) => {
    const { from, to } = pairIn(call, 'read', 'objectType')
    const { id } = requireRecord(portal, from, call.path.objectId ?? '')
    const { after, limit = String(MAX_PAGE_SIZE) } = call.query
    const found = associatesOf(portal, keyOf(from, id), to)
    const scope = `${portal.account.id} ${from.name} ${id} ${to.name}`
    const { page, paging } = pageOf(cursors, scope, found, { after, limit: Number(limit) })
    return { status: 200, body: { results: page.map(showAssociate), ...paging } }
  }

const putLabels: Endpoint['respond'] = (portalCall) => {
  const { portal, call } = portalCall
  const pair = pairIn(call, 'write', 'objectType')
  const { ids, from, to } = recordsIn(portalCall, pair)
  const types = typesOf(call).map((spec) => associationTypeOf(from.type, to.type, spec))
  portal.store.transaction(() => replaceLabels(portal, from, to, types))
  return { status: 201, body: showPair(pair, ids, types) }
}

const showDefaults = (
  from: RecordKey,
  to: RecordKey,
  { typeId, inverseId }: AssociationType,
): readonly JsonObject[] =>
  [
    { from, to, typeId },
    { from: to, to: from, typeId: inverseId },
  ].map((pair) => ({
    from: { id: pair.from.id },
    to: { id: pair.to.id },
    associationSpec: { associationCategory: CATEGORY, associationTypeId: pair.typeId },
  }))

const putDefault: Endpoint['respond'] = (portalCall) => {
  const { portal, call } = portalCall
  const { from, to } = recordsIn(portalCall, pairIn(call, 'write', 'objectType'))
  const type = defaultType(from.type, to.type)
  portal.store.transaction(() => associate(portal, from, to, type))
  return batchReply(portal, showDefaults(from, to, type))
}

const removeAll: Endpoint['respond'] = (portalCall) => {
  const { portal, call } = portalCall
  const { from, to } = recordsIn(portalCall, pairIn(call, 'write', 'objectType'))
  portal.store.transaction(() => dissociate(portal, from, to))
  return { status: 204, body: '' }
}

const readAll =
  (cursors: Cursors): Endpoint['respond'] =>
  ({ portal, call }) => {
    const { from, to } = pairIn(call, 'read')
    const inputs = listOf(call.body.inputs)
    const results = inputs.flatMap(({ id, after }) => {
      const found = associatesOf(portal, keyOf(from, id), to)
      if (found.length === 0) return []
      const scope = `${portal.account.id} ${from.name} ${id} ${to.name}`
      const position = after === undefined ? undefined : String(after)
      const { page, paging } = pageOf(cursors, scope, found, {
        after: position,
        limit: MAX_PAGE_SIZE,
      })
      return [{ from: { id: String(id) }, to: page.map(showAssociate), ...paging }]
    })
    const without = inputs
      .map(({ id }) => String(id))
      .filter((id) => !results.some((result) => result.from.id === id))
    const errors = without.map((id) => ({
      category: 'OBJECT_NOT_FOUND',
      message: `No ${to.singular} is associated with ${from.singular} ${id}.`,
      context: { fromObjectId: [id] },
    }))
    return batchReply(portal, results, { errors })
  }

/** @throws ApiError 404 unless every record of the batch exists */
const assertLive = (portal: Portal, keys: readonly RecordKey[]): void => {
  const ids = keys.filter((key) => !isLive(portal, key)).map(({ id }) => id)
  if (ids.length > 0) throw notFoundError('Some of the objects do not exist', { ids })
}

const createAll: Endpoint['respond'] = ({ portal, call }) => {
  const pair = pairIn(call, 'write')
  const inputs = listOf(call.body.inputs).map(({ from, to, types }) => ({
    from: keyOf(pair.from, idOf(from)),
    to: keyOf(pair.to, idOf(to)),
    types: listOf(types).map((spec) => associationTypeOf(pair.from.name, pair.to.name, spec)),
  }))
  assertLive(
    portal,
    inputs.flatMap(({ from, to }) => [from, to]),
  )
  portal.store.transaction(() => {
    for (const { from, to, types } of inputs)
      for (const type of types) associate(portal, from, to, type)
  })
  const results = inputs.map(({ from, to, types }) => showPair(pair, [from.id, to.id], types))
  return batchReply(portal, results, { status: 201 })
}

const createDefaults: Endpoint['respond'] = ({ portal, call }) => {
  const pair = pairIn(call, 'write')
  const type = defaultType(pair.from.name, pair.to.name)
  const inputs = listOf(call.body.inputs).map(({ from, to }) => ({
    from: keyOf(pair.from, idOf(from)),
    to: keyOf(pair.to, idOf(to)),
  }))
  assertLive(
    portal,
    inputs.flatMap(({ from, to }) => [from, to]),
  )
  portal.store.transaction(() => {
    for (const { from, to } of inputs) associate(portal, from, to, type)
  })
  return batchReply(
    portal,
    inputs.flatMap(({ from, to }) => showDefaults(from, to, type)),
  )
}

const archiveAll: Endpoint['respond'] = ({ portal, call }) => {
  const pair = pairIn(call, 'write')
  portal.store.transaction(() => {
    for (const { from, to } of listOf(call.body.inputs))
      for (const target of listOf(to))
        dissociate(portal, keyOf(pair.from, idOf(from)), keyOf(pair.to, idOf(target)))
  })
  return { status: 204, body: '' }
}

const recordEndpoints = (cursors: Cursors): readonly Endpoint[] => {
  const base = '/{objectType}/{objectId}/associations'
  return [
    {
      method: 'GET',
      path: `${base}/{toObjectType}`,
      parameters: { after: {}, limit: limitUpTo(MAX_PAGE_SIZE) },
      respond: listAssociates(cursors),
      response: 'AssociatedObjects',
    },
    {
      method: 'PUT',
      path: `${base}/{toObjectType}/{toObjectId}`,
      body: { mediaTypes: ['application/json'] },
      respond: putLabels,
      response: 'LabelsBetween',
    },
    {
      method: 'PUT',
      path: `${base}/default/{toObjectType}/{toObjectId}`,
      respond: putDefault,
      response: 'DefaultAssociationBatch',
    },
    {
      method: 'DELETE',
      path: `${base}/{toObjectType}/{toObjectId}`,
      respond: removeAll,
      response: 'Nothing',
    },
  ]
}

const batchEndpoints = (cursors: Cursors): readonly Endpoint[] => {
  const base = '/{fromObjectType}/{toObjectType}/batch'
  const batchEndpoint = (
    path: string,
    body: string,
    respond: Endpoint['respond'],
    response: string,
  ): Endpoint => ({
    method: 'POST',
    path: `${base}/${path}`,
    body: jsonBody(body),
    respond,
    response,
  })
  return [
    batchEndpoint('read', 'AssociationsRead', readAll(cursors), 'AssociationsReadBatch'),
    batchEndpoint('create', 'AssociationsCreate', createAll, 'LabelsBatch'),
    batchEndpoint(
      'associate/default',
      'AssociationsDefault',
      createDefaults,
      'DefaultAssociationBatch',
    ),
    batchEndpoint('archive', 'AssociationsArchive', archiveAll, 'Nothing'),
  ]
}

export const associationRoutes = (portalOf: PortalOf): readonly Route[] => {
  const cursors = createCursors()
  return [
    ...routesOf(portalOf, '/crm/objects', recordEndpoints(cursors)),
    ...routesOf(portalOf, '/crm/associations', batchEndpoints(cursors)),
  ]
}
