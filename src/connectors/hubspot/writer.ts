/** The writes of CRM objects, which are the same for every type. */
import {
  type AttemptFacts,
  type Json,
  type ResourceConnector,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRejection,
} from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { textsAt, valuesOf } from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'
import { getOf, pagesOf, readManyOf, sync } from './listing.ts'
import { ACCOUNT_PATH, crmPath, type ObjectType } from './object-type.ts'
import { describeFields, textOf } from './property.ts'

/** The subject of error messages. */
export const APP = 'HubSpot'

const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name] ?? {}
  if (!isObject(value)) throw new WriteRejection('Expected an object.', `remoteFields.${name}`)
  // Safe: an object of JSON.
  return value as JsonObject
}

const textProperties = (body: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectIn(body, 'properties')).map(([name, value]) => [name, textOf(value)]),
  )

const spec = (type: ObjectType, target: string) => {
  const typeId = type.links[target]?.typeId
  if (typeId === undefined)
    throw new WriteRejection(
      `${APP} shows no association of ${type.name} with it.`,
      `remoteFields.associations.${target}`,
    )
  return { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: typeId }
}

/** The associations of a new record. A caller may pass a list in the form of HubSpot in place of references. */
const newAssociations = (type: ObjectType, body: JsonObject): readonly Json[] => {
  if (Array.isArray(body.associations)) return body.associations
  return Object.entries(objectIn(body, 'associations')).flatMap(([target, id]) =>
    id === null ? [] : [{ to: { id: textOf(id) }, types: [spec(type, target)] }],
  )
}

/** The properties of a new record: there is nothing to clear. */
const newProperties = (body: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(textProperties(body)).filter(([, text]) => text !== ''))

/** Creates an object. @returns its id */
export function* createObject(type: ObjectType, body: JsonObject): Steps<string> {
  const { body: created } = yield {
    method: 'POST',
    path: crmPath('objects', type.name),
    body: { properties: newProperties(body), associations: newAssociations(type, body) },
  }
  return String(valuesOf(created).id)
}

/** Replaces the record that a reference shows by another one; null: by none. */
function* changeLink(
  type: ObjectType,
  remoteId: string,
  target: string,
  { from, to }: { readonly from: string | undefined; readonly to: string | null },
): Steps<void> {
  if (to === (from ?? null)) return
  const pathTo = (id: string): string =>
    crmPath('objects', type.name, remoteId, 'associations', target, id)
  if (to !== null) yield { method: 'PUT', path: pathTo(to), body: [spec(type, target)] }
  if (from !== undefined) yield { method: 'DELETE', path: pathTo(from) }
}

/** The input with properties in the form of a listing, which has texts only. */
const listedInput = ({ fields, remoteFields }: WriteInput): WriteInput => ({
  fields,
  remoteFields: isObject(remoteFields.properties)
    ? { ...remoteFields, properties: textProperties(remoteFields) }
    : remoteFields,
})

/** What a type writes in another way. */
export interface WriteOptions extends Pick<ResourceWriter, 'normalize'> {
  /** Creates the object in place of `createObject`. @returns its id */
  create?(body: JsonObject, attempt: AttemptFacts): Steps<string>
}

/** The writer of a type. */
export const objectWriter = (
  type: ObjectType,
  mapping: Mapping,
  { create = (body) => createObject(type, body), normalize = (input) => input }: WriteOptions = {},
): ResourceWriter => {
  const get = getOf(type)
  const pathOf = (remoteId: string): string => crmPath('objects', type.name, remoteId)
  return bodyWriter(mapping, {
    app: APP,
    get,
    remoteFields: { accepted: ['properties', 'associations'] },
    normalize: (input, context) => normalize(listedInput(input), context),
    *create(body, attempt) {
      const id = yield* create(body, attempt)
      return yield* get(id, undefined, attempt.context)
    },
    *update(body, { remoteId, raw }, { context }) {
      const links = Object.entries(objectIn(body, 'associations'))
      const properties = textProperties(body)
      if (Object.keys(properties).length > 0)
        yield { method: 'PATCH', path: pathOf(remoteId), body: { properties } }
      for (const [target, id] of links) {
        const [from] = textsAt(raw, `associations.${target}`)
        const to = id === null ? null : textOf(id)
        yield* changeLink(type, remoteId, target, { from, to })
      }
      return yield* get(remoteId, undefined, context)
    },
    *delete({ remoteId }) {
      yield { method: 'DELETE', path: pathOf(remoteId) }
    },
  })
}

/** The connector's part for a type of CRM objects. */
export const objectResource = (
  type: ObjectType,
  mapping: Mapping,
  options?: WriteOptions,
): ResourceConnector => ({
  mapping,
  ...pagesOf(type),
  // NOTES "associations need a request of their own"
  ...(Object.keys(type.links).length === 0 && { readMany: readManyOf(type) }),
  describeFields: describeFields(type),
  sync,
  write: objectWriter(type, mapping, options),
})

/**
 * The current time of HubSpot, ISO 8601, for objects that need one.
 * @throws WriteRejection if the response has no time
 */
export function* readTime(field: string): Steps<string> {
  const { headers } = yield { method: 'GET', path: ACCOUNT_PATH }
  const ms = Date.parse(headers.date ?? '')
  if (Number.isNaN(ms)) throw new WriteRejection(`${APP} requires a time.`, field)
  return new Date(ms).toISOString()
}

/** The body with `hs_timestamp`: without a time, the present one (NOTES "activities have a time"). */
export function* withTimestamp(body: JsonObject): Steps<JsonObject> {
  const properties = objectIn(body, 'properties')
  if (textOf(properties.hs_timestamp ?? null) !== '') return body
  const time = yield* readTime('remoteFields.properties.hs_timestamp')
  return { ...body, properties: { ...properties, hs_timestamp: time } }
}
