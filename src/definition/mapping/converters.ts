/** The functions of the mapping language: each creates or modifies a converter. A path is a converter, too. */
import type { Json } from '../json.ts'
import { matchesJson } from '../matching.ts'
import { WriteRejection } from '../steps.ts'
import { isObject } from '../value.ts'
import { changedFields } from './changed-fields.ts'
import { reader, readPath } from './read.ts'
import type { Converter, JsonObject, ListOptions, NestedRules, Rule } from './rule.ts'
import { writeValue } from './write.ts'

type Source = string | Converter

const from = (source: Source): Converter => (typeof source === 'string' ? { from: source } : source)

/** Only reads. */
export const readOnly = (source: Source): Converter => ({ ...from(source), on: [] })

/** An update cannot set the field. */
export const createOnly = (source: Source): Converter => ({ ...from(source), on: ['create'] })

/** A create cannot set the field. */
export const updateOnly = (source: Source): Converter => ({ ...from(source), on: ['update'] })

/** Rejects null. */
export const notNull = (source: Source): Converter => ({ ...from(source), notNull: true })

/** A create must set the field, and every write that of a nested object; null and empty text are rejected. */
export const required = (source: Source): Converter => ({ ...from(source), required: true })

/** In a list with `changesOnly`: an entry that matches no stored one must set the field. */
export const requiredOfNew = (source: Source): Converter => ({ ...from(source), required: 'ofNew' })

/** Writes `empty` for null. */
export const orElse = (source: Source, empty: Json): Converter => ({ ...from(source), empty })

/** Writes to another path than it reads. */
export const writtenTo = (to: string, source: Source): Converter => ({ ...from(source), to })

/** In a nested object: the app stores the value once for the record, so all entries must agree on it. */
export const ofRecord = (source: Source): Converter => ({ ...from(source), ofRecord: true })

/** A text that is empty in the app if it has no value. */
export const blankAsNull = (path: string): Converter => ({
  from: path,
  read: (value) => (value === '' ? null : value),
})

/** A number that is at least `minimum`. */
export const atLeast = (minimum: number, path: string): Converter => ({
  from: path,
  write: (value, { path }) => {
    if (Number(value) >= minimum) return value
    throw new WriteRejection(`The minimum is ${minimum}.`, path)
  },
})

/**
 * A field that a write sets only if it changes, and of an object only the parts that do, for apps that reject, or act upon,
 * a value that they have already. With `notNull`, null is rejected if there is a value to clear.
 */
export const onlyChanges = (source: Source): Converter => {
  const converter = from(source)
  return {
    ...converter,
    apply: (value, context) => {
      const { path, put, present, stored } = context
      if (matchesJson(reader(converter)(present, stored, context.context), value)) return undefined
      const before = readPath(converter.from)(present)
      const written = writeValue(converter, undefined, value, context)
      const to = converter.to ?? converter.from
      if (!isObject(written)) {
        if (!matchesJson(before, written)) put(to, written, path)
        return undefined
      }
      // Safe: an object of JSON.
      const changed = changedFields(written as JsonObject, before)
      if (Object.keys(changed).length > 0) put(to, changed, path)
      return undefined
    },
  }
}

/**
 * A field that an update may only repeat, for apps that cannot change it.
 * @param hint what a caller can do instead
 * @param normalize the app's value in the form that is compared, such as a list in a fixed sequence
 */
export const fixed = (
  source: Source,
  hint: string,
  normalize = (value: unknown): unknown => value,
): Converter => {
  const converter = from(source)
  return {
    ...converter,
    apply: (value, context) => {
      const { path, put, present } = context
      const written = writeValue(converter, undefined, value, context)
      if (!present) put(converter.to ?? converter.from, written, path)
      else if (!matchesJson(normalize(readPath(converter.from)(present)), normalize(written)))
        throw new WriteRejection(hint, path)
      return undefined
    },
  }
}

/**
 * A word of a fixed set, written case-insensitively: from the app's words to the unified ones
 * (`{ delivery: 'SHIPPING' }`), or a list of words that both share. An unknown word of the app is read
 * unchanged, so that it is reported.
 */
export const enumeration = (
  path: string,
  words: Readonly<Record<string, string>> | readonly string[],
): Converter => {
  const pairs = isList(words) ? words.map((word) => [word, word] as const) : Object.entries(words)
  const unified = new Map<unknown, string>(pairs)
  return {
    from: path,
    ...(!isList(words) && { read: (value) => unified.get(value) ?? value }),
    write: (value, { path }) => {
      const upper = String(value).toUpperCase()
      const pair = pairs.find(([, word]) => word.toUpperCase() === upper)
      if (pair) return pair[0]
      throw new WriteRejection(`Expected one of ${[...unified.values()].join(', ')}.`, path)
    },
  }
}

const isList = (words: object): words is readonly string[] => Array.isArray(words)

/**
 * The unified word of an app's status: `states('status', { open: 'OPEN', closed: 'COMPLETED' })`. Only reads. A status
 * without a unified word is null; the app's own word is in another field or in `remoteFields`.
 * @param source the path of the app's status, or the function that reads it
 */
export const states = <Raw = never>(
  source: string | ((raw: Raw, record: Raw, context: unknown) => unknown),
  words: Readonly<Record<string, string>>,
): Converter => {
  const unified = new Map<unknown, string>(Object.entries(words))
  const wordOf = (status: unknown): string | null => unified.get(status) ?? null
  if (typeof source === 'string') return { from: source, on: [], read: wordOf }
  return {
    from: '',
    on: [],
    // Safe: the rules of a mapping receive only records of their own app.
    read: (raw, record, context) => wordOf(source(raw as Raw, record as Raw, context)),
  }
}

/** A list, for an app that stores one text instead, which may be empty. @param what the name of an entry: `tracking number` */
export const listOfOne = (path: string, what: string): Converter => ({
  from: path,
  read: (text) => (text === '' ? [] : [text]),
  write: (texts, { app, path }) => {
    const [text = '', second] = Array.isArray(texts) ? texts : []
    if (second === undefined) return text
    throw new WriteRejection(`${app} stores one ${what} here`, path)
  },
  empty: '',
})

/** A boolean of the app that the unified model shows as one of two words. */
export const flag = (path: string, ifTrue: string, ifFalse: string): Converter => ({
  from: path,
  read: (value) => (value ? ifTrue : ifFalse),
  write: (value, { path }) => {
    if (value === ifTrue || value === ifFalse) return value === ifTrue
    throw new WriteRejection(`Expected one of ${ifTrue}, ${ifFalse}.`, path)
  },
})

/** An object, by a nested mapping. */
export const objectOf = <Raw = never, Whole = never>(
  path: string,
  rules: Readonly<Record<string, Rule<Raw, Whole>>>,
): Converter => ({
  from: path,
  // Safe: a nested mapping receives only objects of its own app.
  nested: { rules: rules as NestedRules, isList: false },
})

/** A list of objects, by a nested mapping. A write replaces the list. */
export const listOf = <Raw = never, Whole = never>(
  path: string,
  rules: Readonly<Record<string, Rule<Raw, Whole>>>,
  options?: ListOptions,
): Converter => ({
  from: path,
  // Safe: a nested mapping receives only objects of its own app.
  nested: { rules: rules as NestedRules, isList: true, ...(options && { options }) },
})

/**
 * `remove` of a list whose entries a write may not leave out, so that a caller who sends one does not lose the others.
 * @param name the path of an entry's name · @param hint what a caller can do instead
 */
export const keepEntry =
  (name: string, hint: string): NonNullable<ListOptions['remove']> =>
  (stored, path) => {
    throw new WriteRejection(`${String(readPath(name)(stored))} is missing; ${hint}`, path)
  }
