/** Kinds that follow from the definitions of resources: the same fields, under the same names. */
import { z } from 'zod'
import { plainDecimal } from '../../definition/decimal.ts'
import type { Field, Fields, Kind, ValueOf } from '../../definition/kinds/kind.ts'
import type { EmbeddedRecord } from '../../definition/kinds/reference.ts'
import type { Resource } from '../../definition/resource.ts'
import * as a from './blocks.ts'
import { type Parts, type RecordCompletion, ref, type SandboxKind } from './kind.ts'

/** The stored form of a value: a reference is an id, and an object may lack fields. */
type Stored<V> =
  V extends EmbeddedRecord<string>
    ? string
    : V extends readonly (infer Entry)[]
      ? Stored<Entry>[]
      : V extends object
        ? { readonly [Name in keyof V]?: Stored<V[Name]> }
        : V

type SchemaOf<V> = z.ZodDefault<z.ZodType<V, V>>

/** The schema of an object, of a reference to a record, or of a list of them. */
const compositeSchema = ({ shape, reference, isList }: Kind): z.ZodType | undefined => {
  const isRecord = reference && !reference.target.includes('.')
  const entry = shape
    ? z.object(mapFields(shape.fields, fieldSchema))
    : isRecord
      ? ref()
      : undefined
  return entry && isList ? a.list(entry) : entry
}

/** Digits without an exponent. */
const plain = (value: unknown): unknown => (typeof value === 'string' ? plainDecimal(value) : value)

/** The schema of a scalar. A text with a name like `emailAddress` is an e-mail address. */
const scalarSchema = ({ column, input }: Kind, name: string): z.ZodType => {
  if (column.sqlType === 'text' && /email(?:Address)?$/i.test(name)) return a.email()
  return column.sqlType === 'numeric' ? input.transform(plain) : input
}

/** The schema of a field, which may be null unless it is required or a list. */
const fieldSchema = (name: string, { kind, required }: Field): z.ZodType => {
  const stored = kind.nested ?? kind
  const value = compositeSchema(stored) ?? scalarSchema(stored, name)
  return required ? value : kind.isList ? value.default([]) : value.nullable().default(null)
}

/** The schema of a record's own field. Words and companies are never null: they have a default. */
const ownSchema = (name: string, field: Field): z.ZodType => {
  const { values = [], reference, input } = field.kind
  const [word] = values.includes('EUR') ? ['EUR'] : values
  if (word !== undefined && !field.required) return input.default(word)
  if (reference?.target === 'accounting/companyInfo') return ref().default('com_0001')
  const isLine = field.required && field.kind.column.sqlType === 'text'
  return isLine ? a.line() : fieldSchema(name, field)
}

const mapFields = <T>(fields: Fields, map: (name: string, field: Field) => T) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(name, field)]))

// Every record of the sandbox has these, so a field of the resource needs another name.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

/** Name of a field in a derived collection: the resource's, or `own_version` if the name is taken. */
export const derivedName = (name: string): string => (taken.has(name) ? `own_${name}` : name)

/** Where a kind differs from its resource. */
interface Differences<
  F extends Fields,
  More extends Fields,
  Required extends keyof F,
  Own extends z.ZodRawShape,
  C,
> {
  /** Fields that the resource lacks, by default null. The sandbox describes them: examples of custom fields. */
  readonly more?: More
  /** Fields that are never null, in addition to those that the resource requires. */
  readonly required?: readonly Required[]
  /** Fields that a write cannot set: `complete` computes them, or the mapping does. */
  readonly computed?: readonly (keyof F & string)[]
  /** Schemas of fields that have another form than their definition states, or none. */
  readonly own?: Own
  readonly parts?: Parts
  complete?(
    input: z.output<z.ZodObject<KindShape<F & More, Required, Own>>>,
    context: RecordCompletion,
  ): C
}

type KindShape<F extends Fields, Required extends PropertyKey, Own extends z.ZodRawShape> = {
  // Currencies have a default.
  readonly [Name in Exclude<keyof F, keyof Own>]: SchemaOf<
    Name extends Required | 'currency'
      ? NonNullable<Stored<ValueOf<F[Name]>>>
      : Stored<ValueOf<F[Name]>>
  >
} & Own

/** Defines the kind of a resource, with ids like `ven_0001` for the prefix `ven`. */
export const resourceKind = <
  F extends Fields,
  More extends Fields = Record<never, never>,
  Required extends keyof F & string = never,
  Own extends z.ZodRawShape = Record<never, never>,
  C extends object = Record<never, never>,
>(
  resource: Resource<F>,
  prefix: string,
  { more, required, computed, own, parts, complete }: Differences<F, More, Required, Own, C> = {},
): SandboxKind<z.ZodObject<KindShape<F & More, Required, Own>>, C> => {
  const isRequired = new Set<string>(required)
  const derived = Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => [
      derivedName(name),
      isRequired.has(name) ? { ...field, required: true } : field,
    ]),
  )
  const further: Fields = more ?? {}
  const schemas = { ...mapFields(derived, ownSchema), ...mapFields(further, fieldSchema), ...own }
  for (const name of computed ?? []) delete schemas[name]
  const schema: z.ZodObject = z.strictObject(schemas)
  return {
    topic: resource.topic,
    verbs: resource.verbs,
    prefix,
    definitions: { ...derived, ...further },
    more: further,
    parts,
    // Safe cast: it has the fields of the resource, except for computed ones, `more` and `own`.
    fields: schema as z.ZodObject<KindShape<F & More, Required, Own>>,
    // Safe cast: without `complete`, C is its default, an empty object.
    complete: complete ?? (() => ({}) as C),
  }
}
