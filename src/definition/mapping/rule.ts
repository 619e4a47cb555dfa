/** The rules of a mapping. A rule reads a value from an app's record and, unless it only reads, writes it. */
import type { Json } from '../json.ts'
import type { Steps } from '../steps.ts'

/**
 * How a field is mapped:
 * - a path (`name`, `address.city`): reads and writes that value unchanged;
 * - null: the app has no such field (give the reason in a comment);
 * - a function: only reads;
 * - a converter: reads and writes.
 *
 * `Raw` is the object that contains the value, `Whole` the raw record; `context` is that of the account.
 */
export type Rule<Raw = never, Whole = Raw> =
  | string
  | null
  | ((raw: Raw, record: Whole, context: unknown) => unknown)
  | Converter

/** The rules of a nested object, one for each field of its shape. */
export type NestedRules<Raw = never, Whole = never> = Readonly<Record<string, Rule<Raw, Whole>>>

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>

/** A kind of write that sets fields. */
export type WriteVerb = 'create' | 'update'

/** The write that a value is part of. */
export interface ConverterContext {
  /** The subject of error messages: `The sandbox`. */
  readonly app: string
  /** The unified path of the value: `lineItems[2].quantity`. */
  readonly path: string
  /** The object of the input that contains the value; for a field of the record, all fields of the input. */
  readonly input: JsonObject
  /** The context of the account; absent if the connector declares none. */
  readonly context?: unknown
  /** The record in the app before the write, under the app's own names; undefined for a create. */
  readonly stored: Readonly<Record<string, unknown>> | undefined
  /**
   * The object of that record that contains the value; undefined if there is none. In a list, it is the entry that the input
   * matches, if the list has `changesOnly`.
   */
  readonly present: Readonly<Record<string, unknown>> | undefined
  /**
   * Sets a value of the object that contains the value.
   * @param path in that object of the request body
   * @param field the unified path
   * @throws WriteRejection if the body already has another value there
   */
  put(path: string, value: Json, field: string): void
  /** As `put`, with a path in the record. */
  putInRecord(path: string, value: Json, field: string): void
}

/**
 * A rule that reads and writes. The functions in `converters.ts` create converters; use the members directly
 * for a conversion that only one app has.
 */
export interface Converter {
  /** The path of the value; empty for the object that contains the path. */
  readonly from: string
  /** The path to write, if it differs from `from`. */
  readonly to?: string
  /** `from` and `to` are paths in the record, not in the nested object. */
  readonly ofRecord?: true
  /** Converts the app's value, which is not null. Absent: the value is read unchanged. */
  read?(value: unknown, record: unknown, context: unknown): unknown
  /** Converts a unified value, which is not null. Absent: the value is written unchanged. @throws WriteRejection */
  write?(value: NonNullable<Json>, context: ConverterContext): Json
  /** The mapping of the object, or of each object of the list; applied after `read` and before `write`. */
  readonly nested?: NestedMapping
  /** The value to write for null. Default: null; for a list, an empty list. */
  readonly empty?: Json
  /** Null is rejected. */
  readonly notNull?: true
  /**
   * A create must set the field, and every write the field of a nested object; null and empty text are rejected. `ofNew`: only
   * an entry that matches no stored one must set it, in a list with `changesOnly`.
   */
  readonly required?: true | 'ofNew'
  /** The writes that may set the field. Default: create and update. */
  readonly on?: readonly WriteVerb[]
  /**
   * Writes the value, which may be null, in place of `write`: it may set several fields, and depend on the present ones.
   * As a generator it sends requests; only that of a field of the record may.
   * @throws WriteRejection
   */
  apply?(value: Json, context: ConverterContext): Steps<void> | undefined
  /** The paths that `apply` or the steps of the writer set. Default: `to` or `from`. */
  readonly sets?: readonly string[]
}

/** The mapping of nested objects. */
export interface NestedMapping {
  readonly rules: NestedRules
  readonly isList: boolean
  readonly options?: ListOptions
}

/** How a write replaces a list of the record. Entries are under the app's own names. */
export interface ListOptions {
  /**
   * The paths of the app's fields that identify an entry of the stored list, most reliable first. A matched entry keeps the fields that
   * the caller omits, also in nested objects, and in particular its id. Default: no entry is matched.
   */
  readonly matchBy?: readonly (readonly string[])[]
  /**
   * The app's field with the id of an entry. An update is rejected if it names an id that the stored list lacks, or one id
   * twice.
   */
  readonly id?: string
  /** Which entries the field shows. A write sends the other stored entries unchanged. Default: all. */
  shows?(entry: JsonObject): boolean
  /**
   * The entry to send for a stored one that the input omits, if the app deletes only entries that the request names:
   * `({ id }) => ({ id, _destroy: true })`. Default: it is left out.
   * @param path the unified path of the list
   * @throws WriteRejection if a write may not leave the entry out
   */
  remove?(stored: JsonObject, path: string): JsonObject
  /**
   * For an app that takes the changes of a list in requests of their own: an entry that matches a stored one is reduced to
   * its id and to what differs, and `writtenEntries` tells the entries apart. The paths of `matchBy` and `id` are those
   * that the rules write; `remove` may only reject.
   */
  readonly changesOnly?: true
}

/** A rule that reads and writes, as a converter; undefined for a rule that only reads. */
export const converterOf = (rule: Rule | undefined): Converter | undefined =>
  typeof rule === 'string' ? { from: rule } : typeof rule === 'object' && rule ? rule : undefined

/** Whether a rule reads the app's value unchanged. */
export const readsUnchanged = (rule: Rule): boolean => {
  const converter = converterOf(rule)
  return converter !== undefined && !converter.read && !converter.nested
}

/** The converter of a rule that some write may set; undefined for one that only reads. */
export const writerOf = (rule: Rule | undefined): Converter | undefined => {
  const converter = converterOf(rule)
  return converter?.on?.length === 0 ? undefined : converter
}
