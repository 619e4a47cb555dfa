/** Collections of resources for which the sandbox has no kind of its own: the fields of the resource, as they are. */
import { z } from 'zod'
import { plainDecimal } from '../../definition/decimal.ts'
import type { Field, Fields, Kind } from '../../definition/kinds/kind.ts'
import type { Resource } from '../../definition/resource.ts'
import * as a from './blocks.ts'
import { defineKind, ref, type SandboxKind } from './kind.ts'

type KindNames = ReadonlyMap<string, string>

/** Digits without an exponent. */
const plain = (value: unknown): unknown => (typeof value === 'string' ? plainDecimal(value) : value)

const schemaOfValue = (kind: Kind, kindOfTopic: KindNames): z.ZodType => {
  const target = kind.reference && kindOfTopic.get(kind.reference.target)
  const entry = kind.shape
    ? z.object(schemasOf(kind.shape.fields, kindOfTopic))
    : target === undefined
      ? undefined
      : ref(target)
  if (!entry) return kind.column.sqlType === 'numeric' ? kind.input.transform(plain) : kind.input
  return kind.isList ? a.list(entry) : entry
}

const schemaOf = ({ kind, required }: Field, kindOfTopic: KindNames): z.ZodType => {
  const value = schemaOfValue(kind.nested ?? kind, kindOfTopic)
  if (kind.isList) return value.default([])
  return required ? value : value.nullable().default(null)
}

const schemasOf = (fields: Fields, kindOfTopic: KindNames): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, schemaOf(field, kindOfTopic)]),
  )

/** Name of a derived collection: `crm_campaigns`. */
const nameOf = ({ table }: Resource): string => table

// Every record of the sandbox has these, so a field of the resource needs another name.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

/** Name of a field in a derived collection: the resource's, or `own_version` if the name is taken. */
export const derivedName = (name: string): string => (taken.has(name) ? `own_${name}` : name)

const fieldsOf = ({ fields }: Resource): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [derivedName(name), field]))

/**
 * Kinds of the resources that none of `written` covers, by collection name. Their fields have the names of the
 * resource's fields, and their ids are like `crmcampaign_0001`.
 */
export const deriveKinds = (
  resources: readonly Resource[],
  written: Readonly<Record<string, SandboxKind>>,
): Readonly<Record<string, SandboxKind>> => {
  const covered = new Map(Object.entries(written).map(([name, { topic }]) => [topic, name]))
  const derived = resources.filter(({ topic }) => !covered.has(topic))
  const kindOfTopic = new Map([
    ...covered,
    ...derived.map((resource) => [resource.topic, nameOf(resource)] as const),
  ])
  return Object.fromEntries(
    derived.map((resource) => [
      nameOf(resource),
      defineKind({
        topic: resource.topic,
        prefix: resource.typeName.toLowerCase(),
        fields: z.strictObject(schemasOf(fieldsOf(resource), kindOfTopic)),
      }),
    ]),
  )
}
