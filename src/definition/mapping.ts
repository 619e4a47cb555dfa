/** Mappings: the rules that turn an app's record into a unified record, and a unified record into a write. */

import { memoize } from '../memoize.ts'
import { type CustomField, createCustomReader } from './custom-field.ts'
import { recordId } from './identity.ts'
import type { Fields, ValueProblem } from './kinds/kind.ts'
import { reader, remainderReader, type ValueReader } from './mapping/read.ts'
import { converterOf, type NestedRules, type Rule, readsUnchanged } from './mapping/rule.ts'
import { commonFields, type Resource } from './resource.ts'
import { normalizeValue } from './value.ts'

/** One rule for each field of a resource. */
export type MappingRules<R extends Resource, Raw> = FieldRules<R, Raw> & RecordRules<Raw>

/** One rule for each of the resource's own fields. */
export type FieldRules<R extends Resource, Raw> = {
  readonly [Name in keyof R['fields']]: Rule<Raw>
}

type ReadRule<Raw> = string | ((raw: Raw, record: Raw, context: unknown) => unknown)

/** The rules of the fields that every record has. They only read. */
export interface RecordRules<Raw> {
  readonly remoteId: ReadRule<Raw>
  readonly remoteCreatedAt: ReadRule<Raw> | null
  readonly remoteUpdatedAt: ReadRule<Raw> | null
  /** True for a deleted record; null where the app does not show deleted records. */
  readonly remoteDeleted: ReadRule<Raw> | null
  /** Defaults to the raw record without the values that plain fields read unchanged. */
  readonly remoteFields?: (
    raw: Raw,
    record: Raw,
    context: unknown,
  ) => Readonly<Record<string, unknown>>
}

/** A resource and the rules that map an app's records to it. */
export interface Mapping<R extends Resource = Resource> {
  readonly resource: R
  // Each mapping has its own raw type; the engine passes it only records of its own app.
  // biome-ignore lint/suspicious/noExplicitAny: a generic constraint of the definition language
  readonly rules: MappingRules<R, any>
}

const checkNested = (rules: NestedRules, fields: Fields, place: string): void => {
  for (const [name, { kind }] of Object.entries(fields)) {
    const nested = converterOf(rules[name])?.nested
    if (!nested) continue
    const inner = kind.shape?.fields ?? {}
    const path = `${place}.${name}`
    const names = Object.keys(nested.rules)
    const missing = Object.keys(inner).find((part) => !names.includes(part))
    if (missing !== undefined)
      throw new TypeError(`The mapping has no rule for ${path}.${missing}.`)
    const unknown = names.find((part) => !Object.hasOwn(inner, part))
    if (unknown !== undefined)
      throw new TypeError(`The mapping has a rule for ${path}.${unknown}, which is not a field.`)
    checkNested(nested.rules, inner, path)
  }
}

/**
 * Defines how an app's records map to a resource. Every field needs a rule, also the fields of nested objects.
 * @see Rule for the forms of a rule
 * @throws TypeError if a nested mapping lacks a field of its object or has another
 */
export const defineMapping = <R extends Resource, Raw = Readonly<Record<string, unknown>>>(
  resource: R,
  rules: MappingRules<R, Raw>,
): Mapping<R> => {
  checkNested(rules, resource.fields, resource.topic)
  return { resource, rules }
}

/** A unified record in the form that the store accepts: fields by name, references as ids. */
export type RecordRow = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly remoteId: string
}

/** The result of mapping one raw record. */
export interface MappedRecord {
  readonly row: RecordRow
  readonly problems: readonly ValueProblem[]
}

/** Paths that plain fields read unchanged. The value of a reference stays in `remoteFields`. */
const shownPaths = ({ resource, rules }: Mapping): readonly string[] =>
  Object.entries(rules).flatMap(([name, rule]) =>
    name === 'remoteFields' || resource.allFields[name]?.kind.reference || !readsUnchanged(rule)
      ? []
      : (converterOf(rule)?.from ?? []),
  )

/** What the mapping of a record knows about its credential. */
export interface MappedAccount {
  /** The custom fields of the credential for the resource. Absent: it has none. */
  readonly customFields?: readonly CustomField[] | undefined
  /** The context of the account; undefined if the connector declares none. */
  readonly context?: unknown
}

/** The reader of a credential's custom fields, which all of its records share. */
const customReader = memoize(createCustomReader)

/**
 * Compiles a mapping to a function that maps raw records of any credential. `guard` wraps the reader of each
 * field, except that of the remote id.
 * @throws TypeError from the returned function if a raw record has no remote id
 */
export const createMapper = (
  mapping: Mapping,
  guard: (read: ValueReader, name: string) => ValueReader = (read) => read,
): ((raw: unknown, credentialId: string, account?: MappedAccount) => MappedRecord) => {
  const { resource, rules } = mapping
  const read = (name: string): ValueReader => guard(reader(rules[name] ?? null), name)
  const readRemoteId = reader(rules.remoteId)
  const readRest = guard(rules.remoteFields ?? remainderReader(shownPaths(mapping)), 'remoteFields')
  const readDeleted = read('remoteDeleted')
  const columns = [
    ...Object.entries(resource.fields),
    ['remoteCreatedAt', commonFields.remoteCreatedAt] as const,
    ['remoteUpdatedAt', commonFields.remoteUpdatedAt] as const,
  ].map(([name, field]) => ({ name, field, read: read(name) }))
  return (raw, credentialId, { customFields = [], context } = {}) => {
    const remoteId = readRemoteId(raw, raw, context)
    if ((typeof remoteId !== 'string' && typeof remoteId !== 'number') || remoteId === '')
      throw new TypeError(`A raw record of ${resource.topic} has no remote id.`)
    const problems: ValueProblem[] = []
    const values = { credentialId, report: (problem: ValueProblem) => void problems.push(problem) }
    const row: Record<string, unknown> & { id: string; remoteId: string } = {
      id: recordId(credentialId, resource.topic, String(remoteId)),
      remoteId: String(remoteId),
    }
    for (const { name, field, read } of columns)
      row[name] = normalizeValue(field, read(raw, raw, context), values, name)
    row.remoteDeleted = readDeleted(raw, raw, context) === true
    row.remoteFields = normalizeValue(
      commonFields.remoteFields,
      readRest(raw, raw, context),
      values,
      'remoteFields',
    )
    if (customFields.length > 0) row.customFields = customReader(customFields)(raw, values)
    return { row, problems }
  }
}
