/** What a request body changes, for apps that reject, or notice, fields without a change. */
import type { Json } from '../json.ts'
import { matchesJson } from '../matching.ts'
import { isObject } from '../value.ts'
import { objectsIn } from './match-entries.ts'
import type { JsonObject } from './rule.ts'

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

/** An entry of a list in a request body, for an app that takes the changes of the list in requests of their own. */
export interface WrittenEntry {
  /** Merged with the stored entry, if `listOf` matches them. */
  readonly entry: JsonObject
  /** The unified path: `variants[0]`. */
  readonly path: string
  /** The stored entry with the same `id`; undefined for a new entry. */
  readonly stored: JsonObject | undefined
}

/** The entries of a list in a request body: all, and the new ones. @param path the unified path of the list */
export const writtenEntries = (
  written: unknown,
  stored: unknown,
  path: string,
): { readonly entries: readonly WrittenEntry[]; readonly added: readonly WrittenEntry[] } => {
  const byId = new Map(objectsIn(stored).map((entry) => [entry.id, entry]))
  const entries = objectsIn(written).map((entry, index) => ({
    entry,
    path: `${path}[${index}]`,
    stored: entry.id === undefined ? undefined : byId.get(entry.id),
  }))
  return { entries, added: entries.filter(({ stored: before }) => !before) }
}

/**
 * The changes of stored entries: of each that differs, its id and what differs.
 * @param inputOf what a request has of an entry, without the id
 */
export const changedEntries = (
  entries: readonly WrittenEntry[],
  inputOf: (entry: JsonObject, path: string) => JsonObject,
): readonly JsonObject[] =>
  entries.flatMap(({ entry, path, stored }) => {
    if (!stored) return []
    const changes = changedFields(inputOf(entry, path), inputOf(stored, path))
    return Object.keys(changes).length > 0 ? [{ id: stored.id ?? null, ...changes }] : []
  })
