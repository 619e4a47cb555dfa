/** What a request body changes, for apps that reject, or notice, fields without a change. */
import type { Json } from '../json.ts'
import { matchesJson } from '../matching.ts'
import { isObject } from '../value.ts'
import { checkIds, matchEntries, objectsIn } from './match-entries.ts'
import type { JsonObject, ListOptions } from './rule.ts'

/**
 * The fields of a body that differ from the record in the app. Undefined is not written; empty values are equal;
 * objects of the record may have other fields in addition.
 */
export const changedFields = (
  body: Readonly<Record<string, Json | undefined>>,
  stored: unknown,
): JsonObject => {
  const before = isObject(stored) ? stored : {}
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value === undefined || matchesJson(before[name], value) ? [] : [[name, value]],
    ),
  )
}

/** The id of a stored entry, as `writtenEntries` reads it. */
const ENTRY_ID = 'id'

/**
 * The entries of a list with the changes only, and the stored ones that they match: see `ListOptions.changesOnly`.
 * @param stored the stored entries, by their form in a request body
 * @param path the unified path of the list
 * @throws WriteRejection if an entry has an id that the stored list lacks
 */
export const changedList = (
  entries: readonly JsonObject[],
  stored: ReadonlyMap<JsonObject, JsonObject>,
  { matchBy = [], id, remove }: ListOptions,
  path: string,
): readonly { readonly change: JsonObject; readonly present: JsonObject | undefined }[] => {
  const matches = matchEntries(entries, [...stored.keys()], matchBy)
  checkIds(entries, matches, id, path)
  const matched = new Set(matches.values())
  for (const [written, entry] of stored) if (!matched.has(written)) remove?.(entry, path)
  return entries.map((entry) => {
    const match = matches.get(entry)
    const present = match && stored.get(match)
    const change = present
      ? { [ENTRY_ID]: present[ENTRY_ID] ?? null, ...changedFields(entry, match) }
      : entry
    return { change, present }
  })
}

/** An entry of a list with `changesOnly` in a request body. */
export interface WrittenEntry {
  /** What a new entry has; of a stored one, its id and what differs. */
  readonly entry: JsonObject
  /** The unified path: `variants[0]`. */
  readonly path: string
  /** The stored entry with the same `id`; undefined for a new entry. */
  readonly stored: JsonObject | undefined
}

/** The entries of such a list: all, those of them that are new, and those that change a stored one. */
export interface WrittenEntries {
  readonly entries: readonly WrittenEntry[]
  readonly added: readonly WrittenEntry[]
  readonly changed: readonly WrittenEntry[]
}

/** Tells the entries of a list with `changesOnly` apart. @param path the unified path of the list */
export const writtenEntries = (written: unknown, stored: unknown, path: string): WrittenEntries => {
  const byId = new Map(objectsIn(stored).map((entry) => [entry[ENTRY_ID], entry]))
  const entries = objectsIn(written).map((entry, index) => ({
    entry,
    path: `${path}[${index}]`,
    stored: entry[ENTRY_ID] === undefined ? undefined : byId.get(entry[ENTRY_ID]),
  }))
  return {
    entries,
    added: entries.filter(({ stored: before }) => !before),
    changed: entries.filter(({ entry, stored: before }) => before && Object.keys(entry).length > 1),
  }
}
