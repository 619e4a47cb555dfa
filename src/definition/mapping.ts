/** How an app's record becomes a unified one: a rule for every field of the resource. */
import type { Field } from './field.ts'
import { recordId } from './identity.ts'
import { commonFields, type Resource } from './resource.ts'
import { normalizeValue, type ValueProblem } from './value.ts'

/** Where a value comes from: a path in the raw record, a function of it, or nowhere (say why in a comment). */
export type Rule<Raw> = string | null | ((raw: Raw) => unknown)

export type MappingRules<R extends Resource, Raw> = {
  readonly [Name in keyof R['fields']]: Rule<Raw>
} & {
  readonly remoteId: Exclude<Rule<Raw>, null>
  readonly remoteCreatedAt: Rule<Raw>
  readonly remoteUpdatedAt: Rule<Raw>
  /** True for a deleted record; null where the app does not show deleted records. */
  readonly remoteDeleted: Rule<Raw>
  /** Defaults to every top-level key of the raw record that no path of a plain field takes. */
  readonly remoteFields?: (raw: Raw) => Readonly<Record<string, unknown>>
}

export interface Mapping<R extends Resource = Resource> {
  readonly resource: R
  // Each mapping has its own raw type; the engine hands every mapping only its own app's records.
  // biome-ignore lint/suspicious/noExplicitAny: a generic constraint of the definition language
  readonly rules: MappingRules<R, any>
}

/** Maps an app's records to a resource. Every field must be named. */
export const defineMapping = <R extends Resource, Raw = Readonly<Record<string, unknown>>>(
  resource: R,
  rules: MappingRules<R, Raw>,
): Mapping<R> => ({ resource, rules })

/** A unified record on its way into the store: fields by name, references as ids. */
export type RecordRow = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly remoteId: string
}

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
      // An object read by key: what is not there is undefined.
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
      : // The rules of a mapping read that app's records, and are given no others.
        (rule as Reader)

/** Top-level keys that plain fields take; the key of a reference stays in `remoteFields`. */
const takenKeys = (mapping: Mapping): ReadonlySet<string> => {
  const taken = new Set<string>()
  for (const [name, rule] of Object.entries(mapping.rules)) {
    const kind = mapping.resource.allFields[name]?.kind
    if (typeof rule === 'string' && kind !== 'reference' && kind !== 'references')
      taken.add(rule.split('.', 1)[0] ?? rule)
  }
  return taken
}

const restOf = (taken: ReadonlySet<string>) => (raw: unknown) =>
  Object.fromEntries(Object.entries(raw ?? {}).filter(([key]) => !taken.has(key)))

/**
 * Prepares a mapping for use on many records of many credentials.
 * @throws TypeError from the mapper if a raw record has no remote id.
 */
export const createMapper = (
  mapping: Mapping,
): ((raw: unknown, credentialId: string) => MappedRecord) => {
  const { resource, rules } = mapping
  const readRemoteId = reader(rules.remoteId)
  const readRest: Reader = rules.remoteFields ?? restOf(takenKeys(mapping))
  const columns: { name: string; field: Field; read: Reader }[] = []
  const names = [...Object.keys(resource.fields), 'remoteCreatedAt', 'remoteUpdatedAt'] as const
  for (const name of names) {
    const field = resource.allFields[name]
    // MappingRules has a rule for each of these names.
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
      throw new TypeError(`A record of ${resource.topic} came without its remote id.`)
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
