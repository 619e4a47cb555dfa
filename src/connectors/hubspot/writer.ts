/** The writes of CRM objects, which are the same for every type. */
import {
  type AttemptFacts,
  type Json,
  missingValue,
  type ResourceConnector,
  type ResourceWriter,
  type Steps,
  type WriteInput,
  WriteRejection,
} from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { entriesOf, textsAt, valuesOf } from '../../definition/raw-values.ts'
import { isoTimestamp } from '../../definition/time.ts'
import { isObject } from '../../definition/value.ts'
import { getOf, pagesOf, readManyOf, sync } from './listing.ts'
import { ACCOUNT_PATH, crmPath, HUBSPOT_DEFINED, type ObjectType } from './object-type.ts'
import { describeFields, textOf } from './property.ts'
import { resultsOf } from './record.ts'

/** The subject of error messages. */
const APP = 'HubSpot'

/** An object in a body; empty if it is missing. @throws WriteRejection for any other value */
export const objectIn = (body: JsonObject, name: string): JsonObject => {
  const value = body[name] ?? {}
  if (!isObject(value)) throw new WriteRejection('Expected an object.', `remoteFields.${name}`)
  // Safe: an object of JSON.
  return value as JsonObject
}

const textProperties = (body: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectIn(body, 'properties')).map(([name, value]) => [name, textOf(value)]),
  )

type AssociationTypes = readonly { readonly [name: string]: Json }[]

// Maximum of the API.
const MAX_ASSOCIATES = 500

/** The types of a new association: one of those that HubSpot defines. */
export const associationTypes = (typeId: number): AssociationTypes => [
  { associationCategory: HUBSPOT_DEFINED, associationTypeId: typeId },
]

/** An associated record in a body; null: the reference is cleared. */
interface NewLink {
  readonly target: string
  readonly id: string | null
  readonly types: AssociationTypes
}

/** The references of a body. @throws WriteRejection for an association that no reference shows */
const newLinks = (type: ObjectType, body: JsonObject): readonly NewLink[] =>
  Object.entries(objectIn(body, 'associations')).map(([target, id]) => {
    const link = Object.hasOwn(type.links, target) ? type.links[target] : undefined
    const isId = id === null || typeof id === 'string' || typeof id === 'number'
    if (!link || !isId)
      throw new WriteRejection(
        'Expected the id of a record that a reference of this resource shows.',
        `remoteFields.associations.${target}`,
      )
    return { target, id: id === null ? null : String(id), types: associationTypes(link.typeId) }
  })

/** The associations of a new record. A caller may pass a list in the form of HubSpot in place of references. */
const newAssociations = (type: ObjectType, body: JsonObject): readonly Json[] =>
  Array.isArray(body.associations)
    ? body.associations
    : newLinks(type, body).flatMap(({ id, types }) => (id === null ? [] : [{ to: { id }, types }]))

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

/** The labels that users gave to an association, which a new one would replace (NOTES "association types"). */
function* readLabels(path: string, id: string): Steps<AssociationTypes> {
  for (let after: string | undefined; ; ) {
    const { body } = yield {
      method: 'GET',
      path: withQuery(path, { limit: MAX_ASSOCIATES, after }),
    }
    const found = resultsOf(body).find(({ toObjectId }) => String(toObjectId) === id)
    after = textsAt(body, 'paging.next.after')[0]
    if (found || after === undefined)
      return entriesOf(found?.associationTypes)
        .filter(({ category }) => category !== HUBSPOT_DEFINED)
        .map(({ category, typeId }) => ({
          associationCategory: String(category),
          associationTypeId: Number(typeId),
        }))
  }
}

/** Replaces the record that a reference shows. @param shown the id of that record; undefined: there is none */
function* changeLink(
  path: string,
  { target, id, types }: NewLink,
  shown: string | undefined,
): Steps<void> {
  if (id === (shown ?? null)) return
  const list = `${path}/associations/${target}`
  const pathTo = (other: string): string => `${list}/${encodeURIComponent(other)}`
  if (id !== null) {
    const labels = yield* readLabels(list, id)
    yield { method: 'PUT', path: pathTo(id), body: [...types, ...labels] }
  }
  if (shown !== undefined) yield { method: 'DELETE', path: pathTo(shown) }
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
const objectWriter = (
  type: ObjectType,
  mapping: Mapping,
  { create = (body) => createObject(type, body), normalize = (input) => input }: WriteOptions = {},
): ResourceWriter => {
  const pathOf = (remoteId: string): string => crmPath('objects', type.name, remoteId)
  return bodyWriter(mapping, {
    app: APP,
    get: getOf(type),
    remoteFields: { accepted: { properties: 'json', associations: 'json' } },
    normalize: (input, context) => normalize(listedInput(input), context),
    create,
    *update(body, { remoteId, raw }) {
      const path = pathOf(remoteId)
      const links = newLinks(type, body)
      const properties = textProperties(body)
      if (Object.keys(properties).length > 0) yield { method: 'PATCH', path, body: { properties } }
      for (const link of links)
        yield* changeLink(path, link, textsAt(raw, `associations.${link.target}`)[0])
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
function* readTime(field: string): Steps<string> {
  const { headers } = yield { method: 'GET', path: ACCOUNT_PATH }
  const time = isoTimestamp(headers.date)
  if (time === undefined) throw missingValue(`${APP} requires a time: pass it.`, field)
  return time
}

/** The body with `hs_timestamp`: without a time, the present one (NOTES "activities have a time"). */
export function* withTimestamp(body: JsonObject): Steps<JsonObject> {
  const properties = objectIn(body, 'properties')
  if (textOf(properties.hs_timestamp ?? null) !== '') return body
  const time = yield* readTime('remoteFields.properties.hs_timestamp')
  return { ...body, properties: { ...properties, hs_timestamp: time } }
}
