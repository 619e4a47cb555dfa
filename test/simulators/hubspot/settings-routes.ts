/** The paths of definitions: properties, owners, pipelines, and the account. */
import type { JsonObject } from '../engine/json.ts'
import { type Cursors, createCursors } from '../engine/pages.ts'
import type { Call, Route } from '../engine/profile.ts'
import type { StoredRecord } from '../engine/store.ts'
import {
  type Endpoint,
  FLAG,
  limitUpTo,
  NAMES,
  type PortalOf,
  pageOf,
  parseNames,
  requireScope,
  routesOf,
} from './endpoints.ts'
import { notFoundError } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import {
  definitionsOf,
  formatTime,
  objectTypeNamed,
  type Portal,
  pipelinesOf,
  type Stage,
  stagesOf,
} from './portal.ts'
import type { PropertyDefinition } from './property-definitions.ts'

/** The type of the path; its definitions need the scope of its records or of its schema. */
const describedType = (call: Call): ObjectType => {
  const type = objectTypeNamed(call.path.objectType ?? '')
  requireScope(call, [`crm.schemas.${type.name}.read`, ...type.readScopes])
  return type
}

const showProperty = (definition: PropertyDefinition): JsonObject => {
  const { name, label, type, fieldType, groupName, options } = definition
  const { externalOptions, hasUniqueValue, isReadOnly, isCalculated, isCustom } = definition
  return {
    name,
    label,
    type,
    fieldType,
    groupName,
    description: '',
    options: options.map((option, displayOrder) => ({ ...option, displayOrder, hidden: false })),
    displayOrder: -1,
    calculated: isCalculated === true,
    externalOptions: externalOptions !== undefined,
    hasUniqueValue: hasUniqueValue === true,
    hidden: false,
    hubspotDefined: isCustom !== true,
    formField: isReadOnly !== true,
    archived: false,
    ...(externalOptions === 'owner' && { referencedObjectType: 'OWNER' }),
    modificationMetadata: {
      archivable: isCustom === true,
      readOnlyDefinition: isCustom !== true,
      readOnlyValue: isReadOnly === true,
    },
  }
}

const properties: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/{objectType}',
    parameters: { archived: FLAG, properties: NAMES },
    respond: ({ portal, call }) => {
      const names = parseNames(call.query.properties)
      const all = [...definitionsOf(portal, describedType(call)).values()]
      const wanted = all.filter(({ name }) => names === undefined || names.includes(name))
      // Archived definitions are not simulated.
      const found = call.query.archived === 'true' ? [] : wanted
      return { status: 200, body: { results: found.map(showProperty) } }
    },
    response: 'Properties',
  },
  {
    method: 'GET',
    path: '/{objectType}/{propertyName}',
    parameters: { archived: FLAG },
    respond: ({ portal, call }) => {
      const { propertyName = '' } = call.path
      const definition = definitionsOf(portal, describedType(call)).get(propertyName)
      if (!definition || call.query.archived === 'true')
        throw notFoundError(`Property "${propertyName}" does not exist`, {
          propertyName: [propertyName],
        })
      return { status: 200, body: showProperty(definition) }
    },
    response: 'Property',
  },
]

const showOwner = ({ id, value, createdAtMs, updatedAtMs }: StoredRecord): JsonObject => ({
  id,
  email: value.email,
  firstName: value.firstName,
  lastName: value.lastName,
  type: 'PERSON',
  // For an owner who was removed, only the other field contains the user.
  ...(value.archived !== true && { userId: value.userId }),
  userIdIncludingInactive: value.userId,
  createdAt: formatTime(createdAtMs),
  updatedAt: formatTime(updatedAtMs),
  archived: value.archived === true,
})

const OWNER_SCOPES = ['crm.objects.owners.read']

const isOwnerArchived = ({ value }: StoredRecord): boolean => value.archived === true

const ownersWith = (cursors: Cursors): readonly Endpoint[] => [
  {
    method: 'GET',
    path: '',
    scopes: OWNER_SCOPES,
    parameters: { after: {}, archived: FLAG, email: {}, limit: limitUpTo(500) },
    respond: ({ portal, call }) => {
      const { after, archived = 'false', email, limit = '100' } = call.query
      const found = portal.store
        .list('owner')
        .filter((owner) => isOwnerArchived(owner) === (archived === 'true'))
        .filter(({ value }) => (email ?? value.email) === value.email)
      const scope = `${portal.account.id} owners ${archived} ${email}`
      const { page, paging } = pageOf(cursors, scope, found, { after, limit: Number(limit) })
      return { status: 200, body: { results: page.map(showOwner), ...paging } }
    },
    response: 'Owners',
  },
  {
    method: 'GET',
    path: '/{ownerId}',
    scopes: OWNER_SCOPES,
    parameters: {
      archived: FLAG,
      idProperty: { accepts: (value) => value === 'id' || value === 'userId' },
    },
    respond: ({ portal, call }) => {
      const { ownerId = '' } = call.path
      const { archived = 'false', idProperty = 'id' } = call.query
      const owner = portal.store
        .list('owner')
        .find(({ id, value }) => (idProperty === 'id' ? id : String(value.userId)) === ownerId)
      if (!owner || isOwnerArchived(owner) !== (archived === 'true'))
        throw notFoundError('resource not found', { ownerId: [ownerId] })
      return { status: 200, body: showOwner(owner) }
    },
    response: 'Owner',
  },
]

const timesOf = ({ createdAtMs, updatedAtMs }: StoredRecord): JsonObject => ({
  createdAt: formatTime(createdAtMs),
  updatedAt: formatTime(updatedAtMs),
  archived: false,
})

const showStage =
  (pipeline: StoredRecord) =>
  ({ id, label, metadata }: Stage, displayOrder: number): JsonObject => ({
    id,
    label,
    displayOrder,
    metadata,
    writePermissions: 'CRM_PERMISSIONS_ENFORCEMENT',
    ...timesOf(pipeline),
  })

const showPipeline = (pipeline: StoredRecord, displayOrder: number): JsonObject => ({
  id: pipeline.id,
  label: pipeline.value.label,
  displayOrder,
  stages: stagesOf(pipeline).map(showStage(pipeline)),
  ...timesOf(pipeline),
})

/** The pipeline of the path and its place. @throws ApiError 404 */
const pipelineIn = (portal: Portal, call: Call): readonly [StoredRecord, number] => {
  const all = pipelinesOf(portal, describedType(call).name)
  const { pipelineId = '' } = call.path
  const at = all.findIndex(({ id }) => id === pipelineId)
  const found = all[at]
  if (!found) throw notFoundError('resource not found', { pipelineId: [pipelineId] })
  return [found, at]
}

const pipelines: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/{objectType}',
    respond: ({ portal, call }) => {
      const found = pipelinesOf(portal, describedType(call).name)
      return { status: 200, body: { results: found.map(showPipeline) } }
    },
    response: 'Pipelines',
  },
  {
    method: 'GET',
    path: '/{objectType}/{pipelineId}',
    respond: ({ portal, call }) => ({
      status: 200,
      body: showPipeline(...pipelineIn(portal, call)),
    }),
    response: 'Pipeline',
  },
  {
    method: 'GET',
    path: '/{objectType}/{pipelineId}/stages',
    respond: ({ portal, call }) => {
      const [pipeline] = pipelineIn(portal, call)
      return { status: 200, body: { results: stagesOf(pipeline).map(showStage(pipeline)) } }
    },
    response: 'Stages',
  },
  {
    method: 'GET',
    path: '/{objectType}/{pipelineId}/stages/{stageId}',
    respond: ({ portal, call }) => {
      const [pipeline] = pipelineIn(portal, call)
      const all = stagesOf(pipeline)
      const { stageId = '' } = call.path
      const at = all.findIndex(({ id }) => id === stageId)
      const stage = all[at]
      if (!stage) throw notFoundError('resource not found', { stageId: [stageId] })
      return { status: 200, body: showStage(pipeline)(stage, at) }
    },
    response: 'Stage',
  },
]

/** `-05:00` */
const offsetOf = (timeZone: string, ms: number): string => {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return name.replace('GMT', '') || '+00:00'
}

const offsetMs = (offset: string): number => {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const accountInfo: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/details',
    respond: ({ portal: { account, clock, settings } }) => {
      const { timeZone, currency, additionalCurrencies } = settings
      const utcOffset = offsetOf(timeZone, clock.nowMs())
      return {
        status: 200,
        body: {
          portalId: Number(account.id),
          accountType: 'STANDARD',
          timeZone,
          utcOffset,
          companyCurrency: currency,
          additionalCurrencies,
          utcOffsetMilliseconds: offsetMs(utcOffset),
          uiDomain: 'app.hubspot.com',
          dataHostingLocation: 'na1',
        },
      }
    },
    response: 'AccountDetails',
  },
]

export const settingsRoutes = (portalOf: PortalOf): readonly Route[] => [
  ...routesOf(portalOf, '/crm/properties', properties),
  ...routesOf(portalOf, '/crm/owners', ownersWith(createCursors())),
  ...routesOf(portalOf, '/crm/pipelines', pipelines),
  ...routesOf(portalOf, '/account-info', accountInfo),
]
