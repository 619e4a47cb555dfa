/** Lists whose entries are separate values of the app's record, one of each type, such as addresses and numbers. */
import { WriteRejection } from '../steps.ts'
import { objectReader } from './read.ts'
import { type Converter, converterOf, type NestedRules, type Rule } from './rule.ts'
import { entriesAt, unsupportedField, writeValue } from './write.ts'

const isBlank = (value: unknown): boolean => value === null || value === undefined || value === ''

/**
 * A list with at most one entry of each type:
 * `listByType('addressType', { BILLING: { street1: 'BillAddr.Line1' }, SHIPPING: { street1: 'ShipAddr.Line1' } })`.
 * An entry without values is not shown. A write replaces the list: what it omits becomes null, or the `orElse` of its rule.
 * @param typeField the field of an entry that contains its type
 * @param types by type, the rules of the other fields; their paths are those of the record
 */
export const listByType = <Raw = never>(
  typeField: string,
  types: Readonly<Record<string, Readonly<Record<string, Rule<Raw>>>>>,
): Converter => {
  // Safe: the rules receive only records of their own app.
  const entryTypes = Object.entries(types as Readonly<Record<string, NestedRules>>).map(
    ([type, rules]) => ({ type, rules, read: objectReader(rules) }),
  )
  const words = entryTypes.map(({ type }) => type).join(', ')
  return {
    from: '',
    read: (raw, record, context) =>
      entryTypes.flatMap(({ type, read }) => {
        const values = Object(read(raw, record, context))
        return Object.values(values).every(isBlank) ? [] : [{ [typeField]: type, ...values }]
      }),
    apply: (value, context) => {
      const { app, path, put } = context
      const entries = entriesAt(value ?? [], path).map(({ entry, entryPath }) => {
        const { [typeField]: name, ...values } = entry
        const type = String(name ?? '').toUpperCase()
        if (!entryTypes.some((one) => one.type.toUpperCase() === type))
          throw new WriteRejection(`Expected one of ${words}.`, `${entryPath}.${typeField}`)
        return { type, values, entryPath }
      })
      for (const { type, rules } of entryTypes) {
        const [first, second] = entries.filter((entry) => entry.type === type.toUpperCase())
        if (second)
          throw new WriteRejection(
            `${app} stores only one entry of this type; merge them.`,
            second.entryPath,
          )
        const { values = {}, entryPath = path } = first ?? {}
        const unknown = Object.keys(values).find((name) => !converterOf(rules[name]))
        if (unknown !== undefined) throw unsupportedField(app, `${entryPath}.${unknown}`)
        for (const [name, rule] of Object.entries(rules)) {
          const converter = converterOf(rule)
          if (!converter) continue
          const { from, to = from, empty = null } = converter
          const at = { ...context, path: `${entryPath}.${name}`, input: values }
          const written = first ? writeValue(converter, undefined, values[name] ?? null, at) : empty
          put(to, written, path)
        }
      }
      return undefined
    },
    sets: entryTypes.flatMap(({ rules }) =>
      Object.values(rules).flatMap((rule) => {
        const { from, to = from } = converterOf(rule) ?? {}
        return to ?? []
      }),
    ),
  }
}
