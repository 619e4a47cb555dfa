/** Resource connectors for the collections of the sandbox. */
import type { ResourceConnector } from '../../definition/connector.ts'
import type { Field, Fields } from '../../definition/kinds/kind.ts'
import { converterOf, type NestedRules, type Rule } from '../../definition/mapping/rule.ts'
import { defineMapping, type RecordRules } from '../../definition/mapping.ts'
import type { Resource } from '../../definition/resource.ts'
import { describeFields } from './describe-fields.ts'
import { pagesOf } from './listing.ts'
import { collections } from './rules.ts'
import { createWriter } from './writer.ts'

/** Rules for the fields of every record. */
const recordRules: RecordRules<unknown> = {
  remoteId: 'id',
  remoteCreatedAt: 'created',
  remoteUpdatedAt: 'modified',
  remoteDeleted: 'deleted',
}

// Names of the sandbox's own fields, which every record has.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

/** The rules of all fields: those of `rules`, and for the others the path of the same name. */
const completeRules = (fields: Fields, rules: NestedRules, isInner: boolean): NestedRules => {
  const unknown = Object.keys(rules).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw new TypeError(`There is a rule for ${unknown}, but no field.`)
  const pathOf = (name: string) => (!isInner && taken.has(name) ? `own_${name}` : name)
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      completeRule(rules[name] ?? pathOf(name), field),
    ]),
  )
}

/** Completes the rules of a nested object or list. */
const completeRule = (rule: Rule, { kind }: Field): Rule => {
  const converter = converterOf(rule)
  if (!converter?.nested) return rule
  const rules = completeRules(kind.shape?.fields ?? {}, converter.nested.rules, true)
  return { ...converter, nested: { ...converter.nested, rules } }
}

/** Creates the connector of the collection of a resource. It writes if the resource can be written. */
export const collection = (resource: Resource): ResourceConnector => {
  const { name, rules = {}, sideEffects } = collections[resource.topic] ?? { name: resource.table }
  const fieldRules = completeRules(resource.fields, rules, false)
  const mapping = defineMapping<Resource, never>(resource, { ...fieldRules, ...recordRules })
  return {
    mapping,
    ...(resource.verbs.includes('update') && { write: createWriter(name, mapping, sideEffects) }),
    ...pagesOf(name),
    describeFields: describeFields(name),
    // NOTES "`modified` only grows"
    sync: { changes: { by: 'time', overlapMs: 60_000 }, deletions: 'reported' },
  }
}
