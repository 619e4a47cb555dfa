/** Readers of Medusa's records. */
import { valuesOf } from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'

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
