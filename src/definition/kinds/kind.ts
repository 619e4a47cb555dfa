/**
 * Fields and kinds. A kind is the complete definition of a type of value: column, validation, filters and
 * its GraphQL, TypeScript and JSON schema types. A new kind is one file in this folder and one line in
 * `field.ts`.
 */
import type { ZodType } from 'zod'
import type { Json, JsonSchema } from '../json.ts'
import type { KindColumn } from './column.ts'

/** The filter operators, with the suffix that each adds to the field name in a query parameter. */
export const operatorSuffix = {
  equals: '',
  notEquals: 'NotEquals',
  contains: 'Contains',
  min: 'Min',
  max: 'Max',
} as const

export type Operator = keyof typeof operatorSuffix

/**
 * A field of a resource, a shape or an operation. `Value`: its type in the API; `Compared`: its type in a
 * filter.
 */
export interface Field<Value = unknown, Op extends Operator = Operator, Compared = unknown> {
  readonly kind: Kind<Value, Compared>
  /** The public description of the field. */
  readonly doc: string
  /** Whether a create or replace must set the field. */
  readonly required: boolean
  /** The field may be omitted, but not null: a required field in an update of some fields. */
  readonly rejectsNull?: true
  /** The filter operators that lists offer for this field. */
  readonly filters: readonly Op[]
}

export type Fields = Readonly<Record<string, Field>>

/** The definition of a nested object. Its name is the name of its type in GraphQL and OpenAPI. */
export interface Shape<F extends Fields = Fields> {
  readonly name: string
  readonly doc: string
  readonly fields: F
}

/** The type of a field's value as the API shows it. */
export type ValueOf<F> = F extends { readonly kind: Kind<infer Value> } ? Value : never

/** The type of a shape's object as the API shows it. */
export type ShapeValue<S extends Shape> = {
  readonly [Name in keyof S['fields']]: ValueOf<S['fields'][Name]>
}

/** A value that is invalid for its field. The record is stored with the field set to null. */
export interface ValueProblem {
  /** `lineItems[2].quantity` */
  readonly path: string
  readonly expected: string
}

/** The context of a normalization: the credential of the record, and the callback for problems. */
export interface ValueContext {
  readonly credentialId: string
  readonly report: (problem: ValueProblem) => void
}

/** How stored values are compared with the values of a write. */
export interface Comparison {
  readonly credentialId: string
  readonly isSameText: (stored: string, input: string) => boolean
}

/** The target of a reference. */
export interface ReferenceTarget {
  /**
   * The topic of a resource (`crm/accounts`), or a nested list whose entries have ids
   * (`commerce/products.variants`).
   */
  readonly target: string
  /** The name of the GraphQL field that resolves to the target record. */
  readonly as: string | undefined
  /** Text fields of the target to embed: the value is an object on output and an id on input. */
  readonly embeds: readonly string[] | undefined
}

/** A reference in the input of a write. */
export interface InputReference {
  readonly path: string
  readonly target: string
  readonly value: string
  /** Text fields of the target whose value is accepted instead of an id. */
  readonly names: readonly string[]
}

/** A fixed set of words. It has a name if several fields share it (`CurrencyCode`). */
export interface Enumeration {
  readonly name: string | undefined
  /** The public description of the set. */
  readonly doc: string
  /** The public description of each word, in the order of the words. */
  readonly words: Readonly<Record<string, string>>
}

export type Scalar = 'String' | 'Int' | 'Float' | 'Boolean' | 'ID' | 'DateTime' | 'Decimal' | 'JSON'

/** The GraphQL type of a value, or of an entry if the kind is a list. */
export type GraphqlType =
  | { readonly scalar: Scalar }
  | { readonly enumeration: Enumeration }
  | { readonly shape: Shape }

/** Whether a value is input of a caller or output of the API. */
export type Side = 'input' | 'output'

/** Sentences appended to a field's description, per generated document. */
export interface Notes {
  /** In the OpenAPI schema of a record. */
  readonly output?: string
  /** In the OpenAPI schema of an input. */
  readonly input?: string
  /** In the GraphQL input type. */
  readonly graphqlInput?: string
  /** In the types of the SDK. */
  readonly typescript?: string
}

/** Plausible example values, chosen by the name of the field. */
export interface ExampleSource {
  text(): string
  /** Digits; `otherwise` is the fallback. */
  amount(otherwise: string): string
  /** A code; empty if none suits the name. */
  code(): string
  entry(): string
  day(): string
  reference(reference: ReferenceTarget): unknown
  shape(shape: Shape): Readonly<Record<string, unknown>>
}

/** A filter value. `isWholeDay`: the value is a date and covers the whole day in UTC. */
export interface FilterValue {
  readonly value: string | number | boolean
  readonly isWholeDay: boolean
}

/** The filtering of lists by fields of a kind. */
export interface Filter<Compared = unknown> {
  /** The operators of a field that does not restrict them. */
  readonly operators: readonly Operator[]
  /** The kind has two values, so a list of values would select nothing that one value cannot. */
  readonly hasTwoValues?: true
  /** The schema of a filter value: the text of a query parameter, or a typed value from GraphQL. */
  input(operator: Operator): ZodType<FilterValue>
  /**
   * The comparison in SQL. `value`: with a cast to `cast` · `time`: the value may be a whole day ·
   * `identity`: by the service's or the app's id.
   */
  readonly sql: { readonly form: 'value' | 'time' | 'identity'; readonly cast: string }
  /** Whether a stored value satisfies the filter, with the same result as in SQL. */
  meets(stored: unknown, filter: FilterValue, operator: Operator, credentialId: string): boolean
  readonly graphql: GraphqlType
  readonly typescript: string
  jsonSchema(operator: Operator): JsonSchema
  /** A sentence about the value for the public documentation. */
  note?(operator: Operator): string | undefined
  /** An example value, derived from the value in the example record. */
  example(recordValue: unknown): Compared
}

/** A type of value. `Value`: its type in the API, including null if a record may lack the value. */
export interface Kind<Value = unknown, Compared = unknown> {
  readonly name: string
  /** The value is a list, which may be empty and is never null. */
  readonly isList?: true
  /** The value is single, can be written as text and can be compared with a constant. */
  readonly isScalar?: true
  /** The value is arbitrary JSON without a schema. */
  readonly isFree?: true
  /** Many records share the same value, so it does not identify a record. */
  readonly isCommon?: true
  readonly column: KindColumn
  /** The kind inside an object, where the value is part of a JSON column. Defaults to this kind. */
  readonly nested?: Kind<Value, Compared>
  /** What `normalize` expects, for problem reports: `a string`. */
  readonly expected: string
  /**
   * Converts an app's value to the form that the store accepts; undefined if invalid. `value` is never
   * null.
   */
  normalize(value: unknown, context: ValueContext, path: string): unknown
  /**
   * Validates input and converts it to the form that connectors accept. Issue messages complete "expected
   * …".
   */
  readonly input: ZodType<Json>
  /** Converts the text of a query parameter to a value for `input`. Defaults to the text. */
  fromText?(text: string): unknown
  /** Whether a stored value matches the input of a write. Defaults to comparing normalized values. */
  matches?(stored: unknown, input: unknown, by: Comparison): boolean
  /** Replaces each reference in an input value. */
  mapReferences?(value: Json, path: string, replace: (reference: InputReference) => string): Json
  readonly reference?: ReferenceTarget
  /** The shape of the object, or of the list's objects. */
  readonly shape?: Shape
  /** The fields that the API shows of the object, or of each object of the list. */
  readonly fields?: Fields
  /** An entry of the list, if entries can be addressed by index. */
  readonly entry?: Field
  /** The allowed words. */
  readonly values?: readonly string[]
  /**
   * Names of the kinds that a workflow may use as source; `scalars`: the text of any scalar. Absent:
   * constants only.
   */
  readonly accepts?: 'scalars' | readonly string[]
  /** The filtering of lists. Absent: lists cannot be filtered by the field. */
  readonly filter?: Filter<Compared>
  /** Present if lists can be ordered by the field. `isValue`: whether the text in a cursor is a valid value. */
  readonly order?: { isValue(text: string): boolean }
  /** How aggregates group records by the field: by its value, or by the period of a time. Absent: they cannot. */
  readonly groupedBy?: 'value' | 'period'
  /** Aggregates compute sums and averages of the values, which are numbers. */
  readonly isMeasured?: true
  readonly graphql: GraphqlType
  /** The TypeScript type of a value, without null. */
  readonly typescript: string
  /** The JSON schema of a value, without null. */
  jsonSchema(side: Side): JsonSchema
  readonly notes?: Notes
  example(source: ExampleSource): Value
}

/** The options of a field of any kind. */
export interface FieldOptions<Op extends Operator = never> {
  readonly required?: boolean
  /** Restricts the filter operators. Defaults to all operators of the kind. */
  readonly filters?: readonly Op[]
}

/** Creates a field of a kind. Every field constructor calls it. */
export const fieldOf = <Value, Compared, Op extends Operator = never>(
  kind: Kind<Value, Compared>,
  doc: string,
  { required = false, filters }: FieldOptions<Op> = {},
): Field<Value, Op, Compared> => ({
  kind,
  doc,
  required,
  // Safe: by default, Op is the constructor's type parameter default, which lists exactly these operators.
  filters: filters ?? ((kind.filter?.operators ?? []) as readonly Op[]),
})
