/** The form of a raw record: what the listing, the batch and the single read of HubSpot have in common. */
import { entriesOf, type Values, valuesOf } from '../../definition/raw-values.ts'
import type { Link, ObjectType } from './object-type.ts'
import { portal, propertyNames } from './portal.ts'

/** The records in a response. @throws Error if it has no list of them */
export const resultsOf = (body: unknown): readonly Values[] => {
  const { results } = valuesOf(body)
  if (!Array.isArray(results)) throw new Error('The response of HubSpot has no results.')
  return entriesOf(results)
}

/** The ids of the associated records of one record, the shown one first, by type. */
export type Links = Readonly<Record<string, readonly string[]>>

/** An associated record, and whether it is the primary one. */
interface Associated {
  readonly id: string
  readonly isPrimary: boolean
}

// Ids are numbers of up to 20 digits: the longer one is the greater one.
const isBelow = (a: string, b: string): boolean =>
  a.length === b.length ? a < b : a.length < b.length

/** The ids without repetitions, the primary one first, then the oldest. */
const sortedIds = (associated: readonly Associated[]): readonly string[] => {
  const primary = new Set(associated.filter(({ isPrimary }) => isPrimary).map(({ id }) => id))
  return [...new Set(associated.map(({ id }) => id))].sort((a, b) => {
    const difference = Number(primary.has(b)) - Number(primary.has(a))
    return difference || (isBelow(a, b) ? -1 : 1)
  })
}

/** The associations in a listing: `{ "companies": { "results": [{ "id", "type" }] } }`. */
export const listedLinks = ({ links }: ObjectType, associations: unknown): Links =>
  Object.fromEntries(
    Object.entries(links).map(([target, { primaryName }]) => {
      const { results } = valuesOf(valuesOf(associations)[target])
      const found = entriesOf(results).map(({ id, type }) => ({
        id: String(id),
        isPrimary: type === primaryName,
      }))
      return [target, sortedIds(found)]
    }),
  )

/** The associations in a batch with one type: ids by the id of the record. */
export const batchLinks = ({ typeId }: Link, body: unknown): Links =>
  Object.fromEntries(
    entriesOf(valuesOf(body).results).map(({ from, to }) => {
      const found = entriesOf(to).map(({ toObjectId, associationTypes }) => ({
        id: String(toObjectId),
        isPrimary: entriesOf(associationTypes).some((type) => type.typeId === typeId),
      }))
      return [String(valuesOf(from).id), sortedIds(found)]
    }),
  )

/** The properties that have a value, of those that are read, and the currency. */
const presentProperties = (
  type: ObjectType,
  properties: Values,
  context: unknown,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    propertyNames(type, context).flatMap((name) => {
      const value = properties[name] || (name === type.currency && portal.of(context).currency)
      return value ? [[name, value]] : []
    }),
  )

/** A record in the form in which this connector lists it. */
export const shownRecord = (
  type: ObjectType,
  raw: unknown,
  associations: Links,
  context: unknown,
): Values => {
  const { id, createdAt, updatedAt, properties } = valuesOf(raw)
  return {
    id,
    createdAt,
    updatedAt,
    properties: presentProperties(type, valuesOf(properties), context),
    associations,
  }
}

/** The ids of the records that were merged into these. */
export const mergedIds = (records: readonly Values[]): readonly string[] =>
  records.flatMap(({ id, properties }) => {
    const { hs_merged_object_ids: merged } = valuesOf(properties)
    return typeof merged === 'string' ? merged.split(';').filter((one) => one && one !== id) : []
  })
