/** Readers of an app's raw records, which may be any JSON. */
import { isObject } from './value.ts'

/** A JSON object of a response. */
export type Values = Readonly<Record<string, unknown>>

/** A value as an object; an empty object for any other value. */
export const valuesOf = (value: unknown): Values => (isObject(value) ? value : {})

/** The entries of a list as objects; empty if the value is not a list. */
export const entriesOf = (list: unknown): readonly Values[] =>
  Array.isArray(list) ? list.map(valuesOf) : []

/**
 * The values at a path, `lines.product.id`, through the entries of lists on the way, and of `raw` itself if it is a
 * list. Null and missing values are left out.
 */
export const valuesAt = (raw: unknown, path: string): readonly unknown[] =>
  path
    .split('.')
    .reduce<readonly unknown[]>(
      (values, step) => values.flatMap((value) => valuesOf(value)[step] ?? []),
      [raw].flat(),
    )

/** The texts at a path, as `valuesAt` finds them. Other values are left out. */
export const textsAt = (raw: unknown, path: string): readonly string[] =>
  valuesAt(raw, path).filter((value) => typeof value === 'string')

/** The first number at a path, as `valuesAt` finds them; undefined if there is none. */
export const numberAt = (raw: unknown, path: string): number | undefined =>
  valuesAt(raw, path).find((value) => typeof value === 'number')

/** The first text at a path, as `valuesAt` finds them. @throws Error if there is none */
export const requiredText = (raw: unknown, path: string): string => {
  const [text] = textsAt(raw, path)
  if (text !== undefined) return text
  throw new Error(`The response has no text at ${path}.`)
}

/** The first number at a path, as `valuesAt` finds them. @throws Error if there is none */
export const requiredNumber = (raw: unknown, path: string): number => {
  const number = numberAt(raw, path)
  if (number !== undefined) return number
  throw new Error(`The response has no number at ${path}.`)
}

/** The sum of the numbers at a path, as `valuesAt` finds them. */
export const sumAt = (raw: unknown, path: string): number =>
  valuesAt(raw, path).reduce<number>((sum, value) => sum + Number(value), 0)

/**
 * Reads the latest of the times that a record and its parts have under some names, such as the time of the last change of
 * anything in it: ISO 8601 in one time zone, so that they compare as text.
 */
export const latestOf = (...names: readonly string[]) => {
  const timesIn = (raw: unknown): readonly string[] => {
    const parts: readonly unknown[] = Array.isArray(raw) ? raw : Object.values(valuesOf(raw))
    return [...names.flatMap((name) => textsAt(raw, name)), ...parts.flatMap(timesIn)]
  }
  return (raw: unknown): string | undefined => timesIn(raw).toSorted().at(-1)
}

/** The value with another one at a path, through the entries of lists on the way. */
const changeAt = (
  value: unknown,
  [step = '', ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown => {
  if (Array.isArray(value)) return value.map((entry) => changeAt(entry, [step, ...rest], change))
  if (!isObject(value) || !(step in value)) return value
  const part = value[step]
  return { ...value, [step]: rest.length > 0 ? changeAt(part, rest, change) : change(part) }
}

/** The record with changed texts at a path, through the entries of lists on the way. Other values stay. */
export const withTextsAt = <Raw extends Values>(
  raw: Raw,
  path: string,
  change: (text: string) => string,
): Raw =>
  // Safe: a text takes the place of a text.
  changeAt(raw, path.split('.'), (value) =>
    typeof value === 'string' ? change(value) : value,
  ) as Raw

/** A list sorted by the texts at some paths of its entries; any other value stays. */
export const sortedBy = (list: unknown, keys: readonly string[]): unknown => {
  if (!Array.isArray(list)) return list
  const keyed = list.map((entry) => ({
    entry,
    key: keys.map((path) => valuesAt(entry, path).join()).join('\0'),
  }))
  return keyed
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry)
}

/**
 * The record with sorted lists, for an app that returns them in no fixed order: otherwise an unchanged record would
 * differ. `{ 'variants.options': ['group.name', 'name'] }` sorts the options of each variant by these texts.
 */
export const withSortedLists = <Raw extends Values>(
  raw: Raw,
  lists: Readonly<Record<string, readonly string[]>>,
): Raw =>
  // Safe: only the sequence of entries differs.
  Object.entries(lists).reduce<unknown>(
    (record, [path, keys]) => changeAt(record, path.split('.'), (list) => sortedBy(list, keys)),
    raw,
  ) as Raw
