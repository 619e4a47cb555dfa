/** Rules that follow from the definition of a resource: the sandbox has its fields under the same names. */
import { WriteRejection } from '../../definition/connector.ts'
import type { Field, Fields } from '../../definition/field.ts'
import { listOf } from '../../definition/mapping/converters.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import type { Resource } from '../../definition/resource.ts'
import { formatPath } from '../../definition/value.ts'

// Names of the sandbox's own fields, which every record has.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

/** A rule for a field of the same name. It writes only values that the field defines. */
const ruleOf = (name: string, { kind, required }: Field): Converter => {
  const isNeverNull = kind.values || kind.reference?.target === 'accounting/companyInfo'
  const { input } = kind.nested ?? kind
  return {
    from: name,
    write: (value, { path }) => {
      const { data, error } = input.safeParse(value)
      const [issue] = error?.issues ?? []
      if (issue)
        throw new WriteRejection(`Expected ${issue.message}.`, formatPath([path, ...issue.path]))
      return data ?? null
    },
    ...((required || isNeverNull) && { notNull: true }),
  }
}

const rulesOf = (fields: Fields): Readonly<Record<string, Converter>> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ruleOf(name, field)]))

/** The rules of all fields. */
export const derivedRules = (fields: Fields): Readonly<Record<string, Converter>> =>
  Object.fromEntries(
    Object.entries(rulesOf(fields)).map(([name, rule]) => [
      name,
      taken.has(name) ? { ...rule, from: `own_${name}` } : rule,
    ]),
  )

/**
 * The rule of a list whose entries have `rules` for some fields. `matchBy` identifies the stored entry that
 * keeps the fields which the caller omits.
 */
export const entriesOf = (
  { topic, fields }: Resource,
  name: string,
  rules: Readonly<Record<string, string | Converter>>,
  matchBy: readonly (readonly string[])[] = [],
): Converter => {
  const shape = fields[name]?.kind.shape
  if (!shape) throw new TypeError(`${topic} has no list of objects named ${name}.`)
  return listOf(name, { ...rulesOf(shape.fields), ...rules }, { matchBy })
}
