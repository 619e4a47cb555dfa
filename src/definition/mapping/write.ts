/** Writes by a mapping: the fields that a write may set, and the request body. */
import type { Json } from '../json.ts'
import type { Field, Fields } from '../kinds/kind.ts'
import type { Mapping } from '../mapping.ts'
import { missingValue, type Steps, type WriteInput, WriteRejection } from '../steps.ts'
import { isObject } from '../value.ts'
import { createBody } from './body.ts'
import { changedList } from './changed-fields.ts'
import { mergeObject, objectsIn, replaceList } from './match-entries.ts'
import { reader, readPath } from './read.ts'
import {
  type Converter,
  type ConverterContext,
  converterOf,
  type JsonObject,
  type NestedMapping,
  type NestedRules,
  type WriteVerb,
  writerOf,
} from './rule.ts'

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

/** Sets a value at a path; without one, the parts of an object that the app has next to other fields. */
const putAt = ({ path, put }: ConverterContext, to: string, value: Json): void => {
  if (to !== '' || !isObject(value)) put(to, value, path)
  // Safe: an object of JSON.
  else for (const [name, part] of Object.entries(value as JsonObject)) put(name, part, path)
}

/** The first required field of an object that has no value. */
const missingIn = (rules: NestedRules, input: JsonObject, isNew: boolean): string | undefined =>
  Object.keys(rules).find((name) => {
    const { required } = converterOf(rules[name]) ?? {}
    return (required === true || (required && isNew)) && (input[name] ?? '') === ''
  })

/**
 * Converts an object by nested rules. Values that belong to the record are put into its body.
 * @param by which converters are used: those that have `apply`, or the others. Default: all
 * @throws WriteRejection
 */
const writeObject = (
  rules: NestedRules,
  fields: Fields,
  input: JsonObject,
  context: ConverterContext,
  by?: 'apply' | 'write',
): JsonObject => {
  const body = createBody()
  const put = (to: string, value: Json, path: string): void => {
    if (!body.put(to, value))
      throw new WriteRejection(`This value conflicts with another field for ${to}.`, path)
  }
  const missing = missingIn(rules, input, by === 'apply' && !context.present)
  if (missing !== undefined)
    throw missingValue(`${context.app} requires a value here.`, `${context.path}.${missing}`)
  for (const [name, value] of Object.entries(input)) {
    const path = `${context.path}.${name}`
    const converter = writerOf(rules[name])
    if (!converter) throw unsupportedField(context.app, path)
    const { from, to = from, ofRecord, apply } = converter
    if (by && by !== (apply ? 'apply' : 'write')) continue
    const at = { ...context, path, input, put: ofRecord ? context.putInRecord : put }
    if (!apply) putAt(at, to, writeValue(converter, fields[name], value, at))
    else if (apply(value, at)) throw new TypeError(`The rule of ${path} cannot send requests.`)
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
    if (!converter || converter.ofRecord || converter.apply || value === null) continue
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

/** A list with `changesOnly`: what is new, and what differs in the stored entries. */
const writeChanges = (
  { rules, options = {} }: NestedMapping,
  fields: Fields,
  value: Json,
  stored: readonly JsonObject[],
  context: ConverterContext,
): Json => {
  const inputs = entriesAt(value, context.path)
  // What the other converters write finds the stored entry, on which `apply` may depend.
  const entries = inputs.map(({ entry, entryPath }) =>
    writeObject(rules, fields, entry, { ...context, path: entryPath, present: undefined }, 'write'),
  )
  const forms = stored.map((entry) => [writtenForm(rules, fields, entry, context), entry] as const)
  const changes = changedList(entries, new Map(forms), options, context.path)
  return inputs.map(({ entry, entryPath }, index) => {
    const { change = {}, present } = changes[index] ?? {}
    const at = { ...context, path: entryPath, present }
    return mergeObject(change, writeObject(rules, fields, entry, at, 'apply'))
  })
}

const writeNested = (
  nested: NestedMapping,
  { from }: Converter,
  fields: Fields,
  value: Json,
  context: ConverterContext,
): Json => {
  const { rules, isList, options } = nested
  const present = readPath(from)(context.present)
  if (!isList) {
    const at = { ...context, present: isObject(present) ? present : undefined }
    return writeObject(rules, fields, objectAt(value, context.path), at)
  }
  if (options?.changesOnly) return writeChanges(nested, fields, value, objectsIn(present), context)
  const entries = entriesAt(value, context.path).map(({ entry, entryPath }) =>
    writeObject(rules, fields, entry, { ...context, path: entryPath, present: undefined }),
  )
  return options ? replaceList(entries, objectsIn(present), options, context.path) : entries
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
    const of = { app, input: fields, context: ofAccount, stored, present: stored }
    const context = { ...of, path: name, put, putInRecord: put }
    if (converter.apply) {
      const steps = converter.apply(value, context)
      if (steps) yield* steps
    } else
      putAt(context, converter.to ?? converter.from, writeValue(converter, field, value, context))
  }
  body.addRemoteFields(remoteFields)
  return body.toJson()
}
