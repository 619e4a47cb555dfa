/** Matches the entries of a written list to the entries of the stored list. */
import { isObject } from '../value.ts'
import type { JsonObject } from './rule.ts'

/** The objects of a list; empty if the value is not a list. */
export const objectsIn = (list: unknown): readonly JsonObject[] =>
  // Safe cast: the value was parsed from JSON.
  Array.isArray(list) ? (list.filter(isObject) as JsonObject[]) : []

const isMatch = (a: JsonObject, b: JsonObject, names: readonly string[]): boolean =>
  names.every((name) => (a[name] ?? null) === (b[name] ?? null)) &&
  names.some((name) => (a[name] ?? null) !== null)

/**
 * The stored entry of each entry that has one: the first with equal values of the first of `matchBy` that finds
 * any. A stored entry matches at most once.
 */
export const matchEntries = (
  entries: readonly JsonObject[],
  stored: readonly JsonObject[],
  matchBy: readonly (readonly string[])[],
): ReadonlyMap<JsonObject, JsonObject> => {
  const matches = new Map<JsonObject, JsonObject>()
  const unmatched = new Set(stored)
  for (const names of matchBy)
    for (const entry of entries) {
      if (matches.has(entry)) continue
      const match = [...unmatched].find((candidate) => isMatch(entry, candidate, names))
      if (match === undefined) continue
      matches.set(entry, match)
      unmatched.delete(match)
    }
  return matches
}
