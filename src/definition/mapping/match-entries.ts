/** Matches the entries of a written list to the entries of the stored list, and merges the two. */
import type { Json } from '../json.ts'
import { WriteRejection } from '../steps.ts'
import { isObject } from '../value.ts'
import { readPath } from './read.ts'
import type { JsonObject, ListOptions } from './rule.ts'

/** The objects of a list; empty if the value is not a list. */
export const objectsIn = (list: unknown): readonly JsonObject[] =>
  // Safe cast: the value was parsed from JSON.
  Array.isArray(list) ? (list.filter(isObject) as JsonObject[]) : []

const isMatch = (a: JsonObject, b: JsonObject, paths: readonly string[]): boolean => {
  const read = paths.map((path) => readPath(path))
  return (
    read.every((valueIn) => (valueIn(a) ?? null) === (valueIn(b) ?? null)) &&
    read.some((valueIn) => (valueIn(a) ?? null) !== null)
  )
}

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

/** The stored object with the values of an entry; the values of nested objects are merged, too. */
export const mergeObject = (stored: JsonObject, entry: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(stored))
  for (const [name, value] of Object.entries(entry)) {
    const before = merged.get(name)
    // Safe casts: JSON objects.
    const isNested = isObject(before) && isObject(value)
    merged.set(name, isNested ? mergeObject(before as JsonObject, value as JsonObject) : value)
  }
  return Object.fromEntries(merged)
}

/** @throws WriteRejection if an entry has an id that its match lacks */
export const checkIds = (
  entries: readonly JsonObject[],
  matches: ReadonlyMap<JsonObject, JsonObject>,
  id: string | undefined,
  path: string,
): void => {
  for (const [index, entry] of entries.entries()) {
    const named = id === undefined ? undefined : entry[id]
    if (named === undefined || named === null || matches.get(entry)?.[id ?? ''] === named) continue
    throw new WriteRejection(
      `The record has no entry with the id ${String(named)}, or the list has it twice.`,
      `${path}[${index}]`,
    )
  }
}

/**
 * The list to send in place of the stored one: the entries of the input merged with the stored ones that they match, then
 * the stored entries that the field does not show, and the removals.
 * @param path the unified path of the list
 * @throws WriteRejection if an entry has an id that the stored list lacks
 */
export const replaceList = (
  entries: readonly JsonObject[],
  stored: readonly JsonObject[],
  { matchBy = [], id, shows = () => true, remove }: ListOptions,
  path: string,
): readonly Json[] => {
  const shown = stored.filter((entry) => shows(entry))
  const matches = matchEntries(entries, shown, matchBy)
  checkIds(entries, matches, id, path)
  const matched = new Set(matches.values())
  return [
    ...entries.map((entry) => mergeObject(matches.get(entry) ?? {}, entry)),
    ...stored.filter((entry) => !shows(entry)),
    ...(remove
      ? shown.filter((entry) => !matched.has(entry)).map((entry) => remove(entry, path))
      : []),
  ]
}
