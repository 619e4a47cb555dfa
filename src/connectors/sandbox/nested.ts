/** Objects and lists inside of a record, as the sandbox is told them. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'
import { type Conversion, convert, type Draft, type Given, objectsIn, same } from './conversion.ts'

/** Where a nested value goes: by the sandbox's name as it is, or converted. */
export type Part =
  | string
  | {
      readonly to: string
      readonly by: Conversion
      /** The sandbox says it of the whole record, and not of each line. */
      readonly ofRecord?: true
    }

/** A value of this name, converted. */
export const told = (to: string, by: Conversion): Part => ({ to, by })

/** What the sandbox says of the whole record: lines must agree on it, with each other and the record. */
export const ofRecord = (to: string, by: Conversion): Part => ({ to, by, ofRecord: true })

/** The parts of an object, by unified names. */
export type Parts = Readonly<Record<string, Part>>

const tellParts = (parts: Parts, given: Given, path: string, draft: Draft): Given => {
  const told = new Map<string, Json>()
  for (const [name, part] of Object.entries(parts)) {
    const value = given[name]
    if (value === undefined) continue
    const { to, by, ofRecord } =
      typeof part === 'string' ? { to: part, by: same, ofRecord: undefined } : part
    const place = `${path}.${name}`
    const converted = convert(by, value, place, draft)
    if (ofRecord) draft.put(to, converted, place)
    else if (told.has(to) && told.get(to) !== converted)
      throw new WriteRefusal(`The sandbox has one value for this and ${to}.`, place)
    else told.set(to, converted)
  }
  return Object.fromEntries(told)
}

/** The value as an object. @throws WriteRefusal */
export const objectAt = (value: Json, path: string): Given => {
  if (!isObject(value)) throw new WriteRefusal('An object is needed here.', path)
  return value
}

/** An object of these parts. */
export const object = (parts: Parts): Conversion => ({
  tell: (value, path, draft) => tellParts(parts, objectAt(value, path), path, draft),
  empty: null,
  nested: Object.keys(parts),
})

/** The entries of a list, with the paths by which they are named. */
export const entriesOf = (value: Json, path: string): { entry: Given; place: string }[] => {
  if (!Array.isArray(value)) throw new WriteRefusal('A list is needed here.', path)
  return value.map((entry, index) => {
    const place = `${path}[${index}]`
    return { entry: objectAt(entry, place), place }
  })
}

const isAlike = (a: Given, b: Given, names: readonly string[]): boolean =>
  names.every((name) => (a[name] ?? null) === (b[name] ?? null)) &&
  names.some((name) => (a[name] ?? null) !== null)

/** For each entry the stored one that it stands for. Every stored one is found once at most. */
const recognise = (
  entries: readonly Given[],
  stored: readonly Given[],
  marks: readonly (readonly string[])[],
): ReadonlyMap<Given, Given> => {
  const found = new Map<Given, Given>()
  const left = new Set(stored)
  for (const names of marks)
    for (const entry of entries) {
      if (found.has(entry)) continue
      const match = [...left].find((candidate) => isAlike(entry, candidate, names))
      if (match === undefined) continue
      found.set(entry, match)
      left.delete(match)
    }
  return found
}

/**
 * A list of objects of these parts; it takes the place of the stored one. `marks` are the sandbox's names
 * by which an entry is recognised as one that was there, the surest first: such an entry keeps what the
 * sandbox has of it and the caller does not say, its id above all.
 */
export const list = (
  parts: Parts,
  recognised?: { readonly in: string; readonly by: readonly (readonly string[])[] },
): Conversion => ({
  tell: (value, path, draft) => {
    const entries = entriesOf(value, path).map(({ entry, place }) =>
      tellParts(parts, entry, place, draft),
    )
    if (!recognised) return entries
    const found = recognise(entries, objectsIn(draft.stored?.[recognised.in]), recognised.by)
    return entries.map((entry) => ({ ...found.get(entry), ...entry }))
  },
  empty: [],
  nested: Object.keys(parts),
})
