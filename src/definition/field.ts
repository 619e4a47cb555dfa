/**
 * The fields of a resource: what a value is, what it means and how a list may be filtered by it.
 * Everything else (column, GraphQL type, JSON schema, query parameters) is derived from here.
 */

/** How a filter compares; the suffix it adds to the field's name in a query parameter. */
export const operatorSuffix = {
  equals: '',
  notEquals: 'NotEquals',
  contains: 'Contains',
  min: 'Min',
  max: 'Max',
} as const

export type Operator = keyof typeof operatorSuffix

interface FieldBase<Kind extends string, Op extends Operator = never> {
  readonly kind: Kind
  /** What the field means, for the reader of the API. */
  readonly doc: string
  /** Must be given when a record is created or replaced. */
  readonly required: boolean
  /** The comparisons that a list offers on this field. */
  readonly filters: readonly Op[]
}

/** Any text. */
export type TextField<Op extends Operator = Operator> = FieldBase<'text', Op>
/** A whole number of 32 bits. */
export type IntegerField<Op extends Operator = Operator> = FieldBase<'integer', Op>
/** A decimal number that is a JSON number at the edge; numeric in the database. */
export type NumberField<Op extends Operator = Operator> = FieldBase<'number', Op>
/** A decimal number that is a number on input and a string of its digits on output. */
export type DecimalField<Op extends Operator = Operator> = FieldBase<'decimal', Op>
export type BooleanField<Op extends Operator = Operator> = FieldBase<'boolean', Op>
/** An instant, `YYYY-MM-DDTHH:MM:SS.sssZ` at the edge. */
export interface TimestampField<Op extends Operator = Operator> extends FieldBase<'timestamp', Op> {
  /** Which of its instants a day alone stands for where it is given as input. */
  readonly ofDay: 'first' | 'last'
}
/** A calendar day: filtered as `YYYY-MM-DD`, given as the timestamp of its first instant in UTC. */
export type DateField<Op extends Operator = Operator> = FieldBase<'date', Op>
/** One of a fixed set of values. */
export interface EnumerationField<Value extends string = string, Op extends Operator = Operator>
  extends FieldBase<'enumeration', Op> {
  readonly values: readonly Value[]
  /** Name of an enumeration that several fields share (`CurrencyCode`). */
  readonly enumName: string | undefined
}
/** One of a fixed set of words, taken in any case and shown capitalised: `BILLING` is shown as `Billing`. */
export interface LabelField extends FieldBase<'label'> {
  readonly values: readonly string[]
}
/** The id of a record of another resource of the same credential. */
export interface ReferenceField<Op extends Operator = Operator, Embed extends string = string>
  extends FieldBase<'reference', Op> {
  /** Name of the resource (`crm/accounts`), or of a nested list with ids (`commerce/products.variants`). */
  readonly target: string
  /** Name of the GraphQL field that holds the record itself. */
  readonly as: string | undefined
  /** Text fields of the target shown in place of the bare id: an object on output, an id on input. */
  readonly embeds: readonly Embed[] | undefined
}
/** Ids of records of another resource of the same credential; may be empty. */
export interface ReferencesField extends FieldBase<'references'> {
  readonly target: string
  readonly as: string | undefined
}
/** A list of texts; may be empty. */
export type TextsField = FieldBase<'texts'>
/** A list of objects of one shape; may be empty. */
export interface ListField<S extends Shape = Shape> extends FieldBase<'list'> {
  readonly shape: S
}
/** One object of a shape. */
export interface ObjectField<S extends Shape = Shape> extends FieldBase<'object'> {
  readonly shape: S
}
/** Any JSON. */
export type JsonField = FieldBase<'json'>

export type Field =
  | TextField
  | IntegerField
  | NumberField
  | DecimalField
  | BooleanField
  | TimestampField
  | DateField
  | EnumerationField
  | LabelField
  | ReferenceField
  | ReferencesField
  | TextsField
  | ListField
  | ObjectField
  | JsonField

export type Fields = Readonly<Record<string, Field>>

/** An object nested in a record: it has a name of its own, because GraphQL and OpenAPI show it as a type. */
export interface Shape<F extends Fields = Fields> {
  readonly name: string
  readonly doc: string
  readonly fields: F
}

interface Options<Op extends Operator> {
  readonly required?: boolean
  /** Offer only these comparisons, not all that the kind has. */
  readonly filters?: readonly Op[]
}

const field = <Kind extends string, Op extends Operator>(
  kind: Kind,
  doc: string,
  all: readonly Operator[],
  options: Options<Op> = {},
): FieldBase<Kind, Op> => ({
  kind,
  doc,
  required: options.required ?? false,
  // Without a choice, Op is the default of the constructor's type parameter: exactly the members of `all`.
  filters: options.filters ?? (all as readonly Op[]),
})

const plain = <Kind extends string>(
  kind: Kind,
  doc: string,
  required = false,
): FieldBase<Kind> => ({
  kind,
  doc,
  required,
  filters: [],
})

type TextOperator = 'equals' | 'contains' | 'notEquals'
type NumberOperator = 'equals' | 'min' | 'max' | 'notEquals'
type TimestampOperator = 'equals' | 'min' | 'max'
type ChoiceOperator = 'equals' | 'notEquals'

const textOperators: readonly TextOperator[] = ['equals', 'contains', 'notEquals']
const numberOperators: readonly NumberOperator[] = ['equals', 'min', 'max', 'notEquals']
const choiceOperators: readonly ChoiceOperator[] = ['equals', 'notEquals']

/** Text; filtered by equality, difference and containment. */
export const text = <const Op extends TextOperator = TextOperator>(
  doc: string,
  options?: Options<Op>,
): TextField<Op> => field('text', doc, textOperators, options)

/** A whole number of 32 bits. */
export const integer = <const Op extends NumberOperator = NumberOperator>(
  doc: string,
  options?: Options<Op>,
): IntegerField<Op> => field('integer', doc, numberOperators, options)

/** A decimal number, a JSON number at the edge. */
export const number = <const Op extends NumberOperator = NumberOperator>(
  doc: string,
  options?: Options<Op>,
): NumberField<Op> => field('number', doc, numberOperators, options)

/** An amount that is a number on input and a decimal string on output. */
export const decimal = <const Op extends NumberOperator = NumberOperator>(
  doc: string,
  options?: Options<Op>,
): DecimalField<Op> => field('decimal', doc, numberOperators, options)

export const boolean = <const Op extends 'equals' = 'equals'>(
  doc: string,
  options?: Options<Op>,
): BooleanField<Op> => field('boolean', doc, ['equals'], options)

/** An instant; filtered by bounds, by equality only where asked for. */
export const timestamp = <const Op extends TimestampOperator = 'min' | 'max'>(
  doc: string,
  options?: Options<Op> & { readonly ofDay?: TimestampField['ofDay'] },
  // Not inferred from where the field stands, which would take an instant with any comparison.
): TimestampField<NoInfer<Op>> => ({
  ...field('timestamp', doc, ['min', 'max'], options),
  ofDay: options?.ofDay ?? 'first',
})

/** A calendar day. */
export const date = <const Op extends TimestampOperator = TimestampOperator>(
  doc: string,
  options?: Options<Op>,
): DateField<Op> => field('date', doc, ['equals', 'min', 'max'], options)

/** One of `values`; `enumName` where several fields share the list. */
export const enumeration = <
  const Value extends string,
  const Op extends ChoiceOperator = ChoiceOperator,
>(
  doc: string,
  values: readonly Value[],
  options?: Options<Op> & { readonly enumName?: string },
): EnumerationField<Value, Op> => ({
  ...field('enumeration', doc, choiceOperators, options),
  values,
  enumName: options?.enumName,
})

/** One of `values`, shown capitalised; for the types of addresses and telephone numbers. */
export const label = (
  doc: string,
  values: readonly string[],
  options?: Requirement,
): LabelField => ({ ...plain('label', doc, options?.required), values })

/** The id of a record of `target`. A field whose name does not end in `Id` names the linked field with `as`. */
export const reference = <
  const Op extends ChoiceOperator = ChoiceOperator,
  const Embed extends string = never,
>(
  target: string,
  doc: string,
  options?: Options<Op> & { readonly as?: string; readonly embeds?: readonly Embed[] },
  // Not inferred from where the field stands: a record takes fields that embed any text.
): ReferenceField<Op, NoInfer<Embed>> => ({
  ...field('reference', doc, choiceOperators, options),
  target,
  as: options?.as,
  embeds: options?.embeds,
})

/** Ids of records of `target`, perhaps none. */
export const references = (
  target: string,
  doc: string,
  options?: { readonly as?: string },
): ReferencesField => ({ ...plain('references', doc), target, as: options?.as })

/** Whether a field must be given; for the kinds that no list is filtered by. */
interface Requirement {
  readonly required?: boolean
}

export const texts = (doc: string, options?: Requirement): TextsField =>
  plain('texts', doc, options?.required)

export const list = <S extends Shape>(
  shape: S,
  doc: string,
  options?: Requirement,
): ListField<S> => ({ ...plain('list', doc, options?.required), shape })

export const object = <S extends Shape>(
  shape: S,
  doc: string,
  options?: Requirement,
): ObjectField<S> => ({ ...plain('object', doc, options?.required), shape })

export const json = (doc: string, options?: Requirement): JsonField =>
  plain('json', doc, options?.required)

/** Names a nested object and its fields. */
export const defineShape = <const F extends Fields>(shape: Shape<F>): Shape<F> => shape
