/** Kinds that follow from the definitions of resources: the same fields, under the same names. */
import { z } from 'zod'
import { plainDecimal } from '../../definition/decimal.ts'
import type { Field, Fields, Kind, ValueOf } from '../../definition/kinds/kind.ts'
import type { EmbeddedRecord } from '../../definition/kinds/reference.ts'
import type { Resource } from '../../definition/resource.ts'
import * as a from './blocks.ts'
import { type RecordCompletion, ref, type SandboxKind } from './kind.ts'

/** The stored form of a value: a reference is an id, and an object may lack fields. */
type Stored<V> =
  V extends EmbeddedRecord<string>
    ? string
    : V extends readonly (infer Entry)[]
      ? Stored<Entry>[]
      : V extends object
        ? { readonly [Name in keyof V]?: Stored<V[Name]> }
        : V

type SchemaOf<F extends Field> = z.ZodDefault<z.ZodType<Stored<ValueOf<F>>, Stored<ValueOf<F>>>>
type SchemasOf<F extends Fields> = { readonly [Name in keyof F]: SchemaOf<F[Name]> }

/** Digits without an exponent. */
const plain = (value: unknown): unknown => (typeof value === 'string' ? plainDecimal(value) : value)

/** The schema of an object, of a reference to a record, or of a list of them. */
const compositeSchema = ({ shape, reference, isList }: Kind): z.ZodType | undefined => {
  const isRecord = reference && !reference.target.includes('.')
  const entry = shape
    ? z.object(schemasOf(shape.fields))
    : isRecord
      ? ref(reference.target)
      : undefined
  return entry && isList ? a.list(entry) : entry
}

/** The schema of a scalar. A text with a name like `emailAddress` is an e-mail address. */
const scalarSchema = ({ column, input }: Kind, name: string): z.ZodType => {
  if (column.sqlType === 'text' && /email(?:Address)?$/i.test(name)) return a.email()
  return column.sqlType === 'numeric' ? input.transform(plain) : input
}

/** The schema of a field that may be null, or of a list. */
export const schemaOf = <F extends Field>({ kind, required }: F, name = ''): SchemaOf<F> => {
  const stored = kind.nested ?? kind
  const value = compositeSchema(stored) ?? scalarSchema(stored, name)
  const schema = required ? value : kind.isList ? value.default([]) : value.nullable().default(null)
  // Safe cast: the kind of the field defines the type of the value.
  return schema as unknown as SchemaOf<F>
}

const schemasOf = <F extends Fields>(fields: F): SchemasOf<F> =>
  // Safe cast: the entries are those of `fields`.
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, schemaOf(field, name)]),
  ) as unknown as SchemasOf<F>

/** The schema of a record's own field. Words and companies are never null: they have a default. */
const ownSchema = (name: string, field: Field): z.ZodType => {
  const { values = [], reference, input } = field.kind
  const [word] = values.includes('EUR') ? ['EUR'] : values
  if (word !== undefined && !field.required) return input.default(word)
  return reference?.target === 'accounting/companyInfo' ? a.company() : schemaOf(field, name)
}

// Every record of the sandbox has these, so a field of the resource needs another name.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

/** Name of a field in a derived collection: the resource's, or `own_version` if the name is taken. */
export const derivedName = (name: string): string => (taken.has(name) ? `own_${name}` : name)

/** Where a kind differs from its resource. */
interface Differences<F extends Fields, Own extends z.ZodRawShape, Computed extends keyof F, C> {
  /** Schemas of further fields, and of fields that are stricter than those of the resource. */
  readonly own?: Own
  /** Fields that a write cannot set: `complete` computes them, or the mapping does. */
  readonly computed?: readonly Computed[]
  readonly complete?: (
    input: z.output<z.ZodObject<KindShape<F, Own, Computed>>>,
    context: RecordCompletion,
  ) => C
}

type KindShape<F extends Fields, Own extends z.ZodRawShape, Computed extends PropertyKey> = Omit<
  SchemasOf<F>,
  keyof Own | Computed
> &
  Own

/** Defines the kind of a resource, with ids like `ven_0001` for the prefix `ven`. */
export const resourceKind = <
  F extends Fields,
  Own extends z.ZodRawShape = Record<never, never>,
  Computed extends keyof F & string = never,
  C extends object = Record<never, never>,
>(
  { topic, fields }: Resource<F>,
  prefix: string,
  { own, computed = [], complete }: Differences<F, Own, Computed, C> = {},
): SandboxKind<z.ZodObject<KindShape<F, Own, Computed>>, C> => {
  const names: readonly string[] = computed
  const derived = Object.entries(fields)
    .filter(([name]) => !names.includes(name))
    .map(([name, field]) => [derivedName(name), ownSchema(name, field)])
  const schema = z.strictObject({ ...Object.fromEntries(derived), ...own })
  // Safe cast: the schema has the fields of the resource without the computed ones, and `own`.
  const typed = schema as unknown as z.ZodObject<KindShape<F, Own, Computed>>
  // Safe cast: without `complete`, C is its default, an empty object.
  return { topic, prefix, fields: typed, complete: complete ?? (() => ({}) as C) }
}
