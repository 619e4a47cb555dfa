/** Conversions of objects and lists inside a record. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'
import {
  type Conversion,
  convert,
  type JsonObject,
  objectsIn,
  type RecordDraft,
  same,
} from './conversion.ts'

/** Target of a nested value: the sandbox's field name, or a name with a conversion. */
export type Part =
  | string
  | {
      readonly to: string
      readonly by: Conversion
      /** The sandbox stores the value once for the record, not on each line. */
      readonly ofRecord?: true
    }

/** Converts the value and writes it to the field `to`. */
export const part = (to: string, by: Conversion): Part => ({ to, by })

/** Writes the value to the record instead of the line. All lines and the record must agree on it. */
export const ofRecord = (to: string, by: Conversion): Part => ({ to, by, ofRecord: true })

/** The parts of an object, by unified field name. */
export type Parts = Readonly<Record<string, Part>>

const convertParts = (
  parts: Parts,
  input: JsonObject,
  path: string,
  draft: RecordDraft,
): JsonObject => {
  const converted = new Map<string, Json>()
  for (const [name, part] of Object.entries(parts)) {
    const value = input[name]
    if (value === undefined) continue
    const { to, by, ofRecord } =
      typeof part === 'string' ? { to: part, by: same, ofRecord: undefined } : part
    const partPath = `${path}.${name}`
    const result = convert(by, value, partPath, draft)
    if (ofRecord) draft.put(to, result, partPath)
    else if (converted.has(to) && converted.get(to) !== result)
      throw new WriteRefusal(`This value conflicts with another field for ${to}.`, partPath)
    else converted.set(to, result)
  }
  return Object.fromEntries(converted)
}

/** The value as an object. @throws WriteRefusal */
export const objectAt = (value: Json, path: string): JsonObject => {
  if (!isObject(value)) throw new WriteRefusal('Expected an object.', path)
  return value
}

/** Converts an object part by part. */
export const object = (parts: Parts): Conversion => ({
  toApp: (value, path, draft) => convertParts(parts, objectAt(value, path), path, draft),
  empty: null,
  nested: Object.keys(parts),
})

/** The entries of a list with their paths. @throws WriteRefusal */
export const entriesOf = (
  value: Json,
  path: string,
): { entry: JsonObject; entryPath: string }[] => {
  if (!Array.isArray(value)) throw new WriteRefusal('Expected a list.', path)
  return value.map((entry, index) => {
    const entryPath = `${path}[${index}]`
    return { entry: objectAt(entry, entryPath), entryPath }
  })
}

const isMatch = (a: JsonObject, b: JsonObject, names: readonly string[]): boolean =>
  names.every((name) => (a[name] ?? null) === (b[name] ?? null)) &&
  names.some((name) => (a[name] ?? null) !== null)

/** Matches entries to stored entries. A stored entry matches at most once. */
const matchEntries = (
  entries: readonly JsonObject[],
  stored: readonly JsonObject[],
  keys: readonly (readonly string[])[],
): ReadonlyMap<JsonObject, JsonObject> => {
  const matches = new Map<JsonObject, JsonObject>()
  const unmatched = new Set(stored)
  for (const names of keys)
    for (const entry of entries) {
      if (matches.has(entry)) continue
      const match = [...unmatched].find((candidate) => isMatch(entry, candidate, names))
      if (match === undefined) continue
      matches.set(entry, match)
      unmatched.delete(match)
    }
  return matches
}

/**
 * Converts a list of objects, which replaces the stored list. `matching` names the stored list and the fields
 * that identify an entry of it, most reliable first: a matched entry keeps the fields that the caller omits,
 * in particular its id.
 */
export const list = (
  parts: Parts,
  matching?: { readonly in: string; readonly by: readonly (readonly string[])[] },
): Conversion => ({
  toApp: (value, path, draft) => {
    const entries = entriesOf(value, path).map(({ entry, entryPath }) =>
      convertParts(parts, entry, entryPath, draft),
    )
    if (!matching) return entries
    const matches = matchEntries(entries, objectsIn(draft.stored?.[matching.in]), matching.by)
    return entries.map((entry) => ({ ...matches.get(entry), ...entry }))
  },
  empty: [],
  nested: Object.keys(parts),
})
