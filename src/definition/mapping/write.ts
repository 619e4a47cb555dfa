/** Writes by a mapping: the fields that a write may set, the request body, and the names in an app's errors. */
import type { Json } from '../json.ts'
import type { Field, Fields } from '../kinds/kind.ts'
import type { Mapping } from '../mapping.ts'
import { missingValue, type Steps, type WriteInput, WriteRejection } from '../steps.ts'
import { isObject } from '../value.ts'
import { createBody } from './body.ts'
import { changedList } from './changed-fields.ts'
import { objectsIn, replaceList } from './match-entries.ts'
import { reader, readPath } from './read.ts'
import {
  type Converter,
  type ConverterContext,
  converterOf,
  type JsonObject,
  type NestedMapping,
  type NestedRules,
  type Rule,
  readsUnchanged,
  type WriteVerb,
} from './rule.ts'

/** The converter of a rule that some write may set; undefined for one that only reads. */
const writerOf = (rule: Rule | undefined): Converter | undefined => {
  const converter = converterOf(rule)
  return converter?.on?.length === 0 ? undefined : converter
}

const fieldPaths = (rules: NestedRules, fields: Fields, verb: WriteVerb): readonly string[] =>
  Object.entries(fields).flatMap(([name, { kind }]) => {
    const converter = converterOf(rules[name])
    if (!converter || (converter.on && !converter.on.includes(verb))) return []
    const inner = kind.shape?.fields ?? {}
    if (!converter.nested) return [name]
    const paths = fieldPaths(converter.nested.rules, inner, verb)
    return Object.keys(inner).every((part) => paths.includes(part))
      ? [name]
      : paths.map((part) => `${name}.${part}`)
  })

/**
 * The unified fields that a write may set: `addresses`, or `lineItems.quantity` if a value is only partly
 * writable.
 */
export const writableFields = ({ resource, rules }: Mapping, verb: WriteVerb): readonly string[] =>
  fieldPaths(rules, resource.fields, verb)

/** The entries of a list of objects with their paths. @throws WriteRejection */
export const entriesAt = (
  value: Json,
  path: string,
): { entry: JsonObject; entryPath: string }[] => {
  if (!Array.isArray(value)) throw new WriteRejection('Expected a list.', path)
  return value.map((entry, index) => {
    const entryPath = `${path}[${index}]`
    return { entry: objectAt(entry, entryPath), entryPath }
  })
}

/** The value as an object. @throws WriteRejection */
export const objectAt = (value: Json, path: string): JsonObject => {
  if (!isObject(value)) throw new WriteRejection('Expected an object.', path)
  return value
}

/** The rejection of a field that the mapping does not write. */
export const unsupportedField = (app: string, path: string): WriteRejection =>
  new WriteRejection(`${app} does not support this field; leave it out.`, path)

/** The first required field of an object that has no value. */
const missingIn = (rules: NestedRules, input: JsonObject): string | undefined =>
  Object.keys(rules).find(
    (name) => converterOf(rules[name])?.required && (input[name] ?? '') === '',
  )

/**
 * Converts an object by nested rules. Values that belong to the record are put into its body.
 * @throws WriteRejection
 */
export const writeObject = (
  rules: NestedRules,
  fields: Fields,
  input: JsonObject,
  context: ConverterContext,
): JsonObject => {
  const body = createBody()
  const missing = missingIn(rules, input)
  if (missing !== undefined)
    throw missingValue(`${context.app} requires a value here.`, `${context.path}.${missing}`)
  for (const [name, value] of Object.entries(input)) {
    const path = `${context.path}.${name}`
    const converter = writerOf(rules[name])
    if (!converter) throw unsupportedField(context.app, path)
    const { from, to = from, ofRecord } = converter
    const result = writeValue(converter, fields[name], value, { ...context, path, input })
    if (ofRecord) context.put(to, result, path)
    else if (!body.put(to, result))
      throw new WriteRejection(`This value conflicts with another field for ${to}.`, path)
  }
  return body.toJson()
}

/** A stored object in the form in which its rules write it. */
const writtenForm = (
  rules: NestedRules,
  fields: Fields,
  stored: JsonObject,
  context: ConverterContext,
): JsonObject => {
  const body = createBody()
  for (const [name, rule] of Object.entries(rules)) {
    const converter = writerOf(rule)
    const value = reader(rule)(stored, context.stored, context.context) ?? null
    if (!converter || converter.ofRecord || value === null) continue
    try {
      // Safe: a value of the app's record, which is JSON.
      const written = writeValue(converter, fields[name], value as Json, context)
      body.put(converter.to ?? converter.from, written)
    } catch (error) {
      // A value that a write may not have differs from all that it may have.
      if (!(error instanceof WriteRejection)) throw error
    }
  }
  return body.toJson()
}

const writeNested = (
  { rules, isList, options }: NestedMapping,
  { from }: Converter,
  fields: Fields,
  value: Json,
  context: ConverterContext,
): Json => {
  if (!isList) return writeObject(rules, fields, objectAt(value, context.path), context)
  const entries = entriesAt(value, context.path).map(({ entry, entryPath }) =>
    writeObject(rules, fields, entry, { ...context, path: entryPath }),
  )
  if (!options) return entries
  const stored = objectsIn(readPath(from)(context.stored))
  if (!options.changesOnly) return replaceList(entries, stored, options, context.path)
  const forms = stored.map((entry) => [writtenForm(rules, fields, entry, context), entry] as const)
  return changedList(entries, new Map(forms), options, context.path)
}

/** Converts a unified value, which may be null, to the app's. @throws WriteRejection */
export const writeValue = (
  converter: Converter,
  field: Field | undefined,
  value: Json,
  context: ConverterContext,
): Json => {
  const { nested, empty } = converter
  if (value === null) {
    if (converter.notNull)
      throw missingValue(`${context.app} requires a value here, not null.`, context.path)
    // The stored entries decide what an empty list is in the app.
    if (empty !== undefined || !nested?.options) return empty ?? (field?.kind.isList ? [] : null)
  }
  const inner = nested
    ? writeNested(nested, converter, field?.kind.shape?.fields ?? {}, value ?? [], context)
    : value
  return inner !== null && converter.write ? converter.write(inner, context) : inner
}

const checkRequired = (
  { resource, rules }: Mapping,
  fields: JsonObject,
  app: string,
  verb: WriteVerb,
): void => {
  for (const name of Object.keys(resource.fields)) {
    if (!converterOf(rules[name])?.required) continue
    const value = fields[name]
    if (value === undefined ? verb === 'create' : value === null || value === '')
      throw missingValue(`${app} requires a value for every ${resource.name}.`, name)
  }
}

/** The types of remote fields, and the words for them in an error. */
const remoteTypes = {
  boolean: 'true or false',
  json: 'any JSON',
  string: 'a string',
} as const

/** The remote fields that a write may set. */
export interface RemoteFieldLimits {
  /** The only names that the app accepts, and their types. Default: all. */
  readonly accepted?: Readonly<Record<string, keyof typeof remoteTypes>>
  /** Names that only the connector sets, such as that of the id. */
  readonly reserved?: readonly string[]
}

/** @throws WriteRejection naming a remote field that a write may not set */
const checkRemoteFields = (
  remoteFields: JsonObject,
  app: string,
  { accepted, reserved }: RemoteFieldLimits,
): void => {
  for (const [name, value] of Object.entries(remoteFields)) {
    const at = `remoteFields.${name}`
    if (reserved?.includes(name))
      throw new WriteRejection('The connector sets this field; leave it out.', at)
    if (!accepted) continue
    const type = Object.hasOwn(accepted, name) ? accepted[name] : undefined
    if (type === undefined)
      throw new WriteRejection(
        `${app} accepts only these remote fields: ${Object.keys(accepted).join(', ') || 'none'}.`,
        at,
      )
    if (type !== 'json' && typeof value !== type)
      throw new WriteRejection(`Expected ${remoteTypes[type]}.`, at)
  }
}

/** The write that the body is for. */
export interface BodyOptions {
  /** The subject of error messages: `The sandbox`. */
  readonly app: string
  readonly verb: WriteVerb
  /** The record in the app before the write, under the app's own names, if the mapping matches the entries of lists. */
  readonly stored?: Readonly<Record<string, unknown>>
  /** The context of the account, if a converter needs it. */
  readonly context?: unknown
  /** Default: every remote field may be set that no unified field has set. */
  readonly remoteFields?: RemoteFieldLimits
}

/** Builds the body of a create or update request. @throws WriteRejection */
export function* buildBody(
  mapping: Mapping,
  { fields, remoteFields }: WriteInput,
  { app, verb, stored, context: ofAccount, remoteFields: limits = {} }: BodyOptions,
): Steps<JsonObject> {
  checkRequired(mapping, fields, app, verb)
  checkRemoteFields(remoteFields, app, limits)
  const body = createBody()
  const put = (path: string, value: Json, field: string): void => {
    if (!body.put(path, value))
      throw new WriteRejection(
        `${app} has one value for the whole record here; pass the same value everywhere.`,
        field,
      )
  }
  for (const [name, value] of Object.entries(fields)) {
    const converter = writerOf(mapping.rules[name])
    const field = mapping.resource.fields[name]
    if (!converter || !field) throw unsupportedField(app, name)
    const context = { app, path: name, input: fields, context: ofAccount, stored, put }
    if (converter.apply) {
      const steps = converter.apply(value, context)
      if (steps) yield* steps
    } else put(converter.to ?? converter.from, writeValue(converter, field, value, context), name)
  }
  body.addRemoteFields(remoteFields)
  return body.toJson()
}

/** The part of an app's field name below a path; undefined if the name is not at or below the path. */
const below = (path: string, appField: string): string | undefined => {
  const rest = appField.slice(path.length)
  return appField.startsWith(path) && (rest === '' || rest[0] === '.' || rest[0] === '[')
    ? rest
    : undefined
}

/**
 * The unified field of an app's field name: `vendorName`. If several fields are written to it, it is the first;
 * if none is, the first that reads it unchanged. Undefined if there is none.
 */
export const unifiedField = (
  { resource, rules }: Mapping,
  appField: string,
): string | undefined => {
  const hasParts = (name: string): boolean => {
    const kind = resource.fields[name]?.kind
    return kind?.isList === true || kind?.shape !== undefined
  }
  const find = (pathsOf: (rule: Rule) => readonly string[]): string | undefined => {
    for (const name of Object.keys(resource.fields)) {
      const rule = rules[name] ?? null
      for (const path of pathsOf(rule)) {
        const rest = path === '' ? undefined : below(path, appField)
        // Below a converted value or a scalar, the caller does not know the app's names.
        if (rest !== undefined) return readsUnchanged(rule) && hasParts(name) ? name + rest : name
      }
    }
    return undefined
  }
  return (
    find((rule) => {
      const writer = writerOf(rule)
      return writer ? (writer.sets ?? [writer.to ?? writer.from]) : []
    }) ?? find((rule) => (readsUnchanged(rule) ? [converterOf(rule)?.from ?? ''] : []))
  )
}
