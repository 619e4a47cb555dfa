/** Mappings: the rules that turn an app's record into a unified record. */
import type { Field } from './field.ts'
import { recordId } from './identity.ts'
import type { ValueProblem } from './kinds/kind.ts'
import { commonFields, type Resource } from './resource.ts'
import { normalizeValue } from './value.ts'

/**
 * The source of a value: a path in the raw record, a function of it, or null (give the reason in a
 * comment).
 */
export type Rule<Raw> = string | null | ((raw: Raw) => unknown)

/** One rule for each field of a resource. */
export type MappingRules<R extends Resource, Raw> = {
  readonly [Name in keyof R['fields']]: Rule<Raw>
} & {
  readonly remoteId: Exclude<Rule<Raw>, null>
  readonly remoteCreatedAt: Rule<Raw>
  readonly remoteUpdatedAt: Rule<Raw>
  /** True for a deleted record; null where the app does not show deleted records. */
  readonly remoteDeleted: Rule<Raw>
  /** Defaults to every top-level key of the raw record that no plain field reads with a path. */
  readonly remoteFields?: (raw: Raw) => Readonly<Record<string, unknown>>
}

/** A resource and the rules that map an app's records to it. */
export interface Mapping<R extends Resource = Resource> {
  readonly resource: R
  // Each mapping has its own raw type; the engine passes it only records of its own app.
  // biome-ignore lint/suspicious/noExplicitAny: a generic constraint of the definition language
  readonly rules: MappingRules<R, any>
}

/** Defines how an app's records map to a resource. Every field needs a rule. */
export const defineMapping = <R extends Resource, Raw = Readonly<Record<string, unknown>>>(
  resource: R,
  rules: MappingRules<R, Raw>,
): Mapping<R> => ({ resource, rules })

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

type Reader = (raw: unknown) => unknown

const readPath = (path: string): Reader => {
  const steps = path.split('.')
  return (raw) => {
    let value: unknown = raw
    for (const step of steps) {
      if (typeof value !== 'object' || value === null) return undefined
      // Safe: an object is read by key, and a missing key is undefined.
      value = (value as Record<string, unknown>)[step]
    }
    return value
  }
}

const reader = (rule: Rule<never>): Reader =>
  rule === null
    ? () => null
    : typeof rule === 'string'
      ? readPath(rule)
      : // Safe: the rules of a mapping receive only records of their own app.
        (rule as Reader)

/** Top-level keys that plain fields read. The key of a reference stays in `remoteFields`. */
const mappedKeys = (mapping: Mapping): ReadonlySet<string> => {
  const mapped = new Set<string>()
  for (const [name, rule] of Object.entries(mapping.rules)) {
    if (typeof rule === 'string' && !mapping.resource.allFields[name]?.kind.reference)
      mapped.add(rule.split('.', 1)[0] ?? rule)
  }
  return mapped
}

const restOf = (mapped: ReadonlySet<string>) => (raw: unknown) =>
  Object.fromEntries(Object.entries(raw ?? {}).filter(([key]) => !mapped.has(key)))

/**
 * Compiles a mapping to a function that maps raw records of any credential.
 * @throws TypeError from the returned function if a raw record has no remote id
 */
export const createMapper = (
  mapping: Mapping,
): ((raw: unknown, credentialId: string) => MappedRecord) => {
  const { resource, rules } = mapping
  const readRemoteId = reader(rules.remoteId)
  const readRest: Reader = rules.remoteFields ?? restOf(mappedKeys(mapping))
  const columns: { name: string; field: Field; read: Reader }[] = []
  const names = [...Object.keys(resource.fields), 'remoteCreatedAt', 'remoteUpdatedAt'] as const
  for (const name of names) {
    const field = resource.allFields[name]
    // Safe: MappingRules has a rule for each of these names.
    if (field)
      columns.push({
        name,
        field,
        read: reader((rules as Record<string, Rule<never>>)[name] ?? null),
      })
  }
  const readDeleted = reader(rules.remoteDeleted)
  return (raw, credentialId) => {
    const remoteId = readRemoteId(raw)
    if ((typeof remoteId !== 'string' && typeof remoteId !== 'number') || remoteId === '')
      throw new TypeError(`A raw record of ${resource.topic} has no remote id.`)
    const problems: ValueProblem[] = []
    const context = { credentialId, report: (problem: ValueProblem) => void problems.push(problem) }
    const row: Record<string, unknown> & { id: string; remoteId: string } = {
      id: recordId(credentialId, resource.topic, String(remoteId)),
      remoteId: String(remoteId),
    }
    for (const { name, field, read } of columns)
      row[name] = normalizeValue(field, read(raw), context, name)
    row.remoteDeleted = readDeleted(raw) === true
    row.remoteFields = normalizeValue(
      commonFields.remoteFields,
      readRest(raw),
      context,
      'remoteFields',
    )
    return { row, problems }
  }
}
