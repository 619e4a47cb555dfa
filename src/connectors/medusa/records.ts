/** Readers of Medusa's records. */
import { isObject } from '../../definition/value.ts'

/** A JSON object of a response. */
export type Values = Readonly<Record<string, unknown>>

/** A value as an object; an empty object for any other value. */
export const valuesOf = (value: unknown): Values => (isObject(value) ? value : {})

/** The entries of a list as objects; empty if the value is not a list. */
export const entriesOf = (list: unknown): readonly Values[] =>
  Array.isArray(list) ? list.map(valuesOf) : []

/** The latest of some times in ISO 8601. Other values are ignored. */
export const latestOf = (times: readonly unknown[]): string | undefined =>
  times
    .filter((time) => typeof time === 'string')
    .sort()
    .at(-1)

/** The time of the latest change of a record or of one of its parts, such as the prices of its variants. */
export const latestChange = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return latestOf(value.map(latestChange))
  if (!isObject(value)) return
  return latestOf([value.updated_at, ...Object.values(value).map(latestChange)])
}

const byId = (a: unknown, b: unknown): number => {
  const [first, second] = [String(valuesOf(a).id), String(valuesOf(b).id)]
  return first < second ? -1 : first > second ? 1 : 0
}

/** The record with its lists sorted by id (NOTES "parts have no order"). Ids start with the time of creation. */
export const withSortedParts = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const entries = value.map(withSortedParts)
    return entries.every((entry) => typeof valuesOf(entry).id === 'string')
      ? entries.toSorted(byId)
      : entries
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withSortedParts(part)]),
  )
}
