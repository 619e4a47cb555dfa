/** Rules that follow from the definition of a resource: the sandbox has its fields under the same names. */
import { WriteRejection } from '../../definition/connector.ts'
import type { Field, Fields } from '../../definition/field.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { formatPath } from '../../definition/value.ts'

// Names of the sandbox's own fields, which every record has.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

/** A rule for a field of the same name. It writes only values that the field defines. */
const ruleOf = (name: string, { kind, required }: Field): Converter => {
  const isNeverNull = kind.values || kind.reference?.target === 'accounting/companyInfo'
  return {
    from: taken.has(name) ? `own_${name}` : name,
    write: (value, { path }) => {
      const { data, error } = kind.input.safeParse(value)
      const [issue] = error?.issues ?? []
      if (issue)
        throw new WriteRejection(`Expected ${issue.message}.`, formatPath([path, ...issue.path]))
      return data ?? null
    },
    ...((required || isNeverNull) && { notNull: true }),
  }
}

/** The rules of all fields. */
export const derivedRules = (fields: Fields): Readonly<Record<string, Converter>> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ruleOf(name, field)]))
