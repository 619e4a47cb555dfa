/** A resource: one kind of unified record, and every name that is derived from its definition. */
import {
  boolean,
  type Field,
  type Fields,
  json,
  type ListField,
  type ObjectField,
  type Operator,
  type operatorSuffix,
  type Shape,
  text,
  timestamp,
} from './field.ts'

export type Category = 'accounting' | 'crm' | 'commerce'
export type Verb = 'list' | 'get' | 'create' | 'update' | 'delete'

/** What an author writes; the rest of a `Resource` follows from it. */
export interface ResourceDefinition<F extends Fields = Fields> {
  /** Singular, camelCase: the key around one record in REST. */
  readonly name: string
  /** Plural, camelCase: the key around a list. */
  readonly plural: string
  readonly category: Category
  readonly doc: string
  readonly verbs: readonly Verb[]
  readonly fields: F
  /** The reference field to the record whose path this one is nested under (`orderId`: orders/:orderId/fulfillments). */
  readonly parent?: string
}

/** The fields of every record, whatever its resource. */
export const commonFields = {
  remoteId: text('Identifier in the app.', { filters: ['equals'] }),
  remoteFields: json(
    "What the app says of the record beside the common model, by the app's own field names.",
  ),
  remoteCreatedAt: timestamp('When the record was created in the app.'),
  remoteUpdatedAt: timestamp('When the record was last changed in the app.'),
  remoteDeleted: boolean('Whether the record is deleted in the app.'),
  createdAt: timestamp('When the record was first stored here.'),
  updatedAt: timestamp('When the record last changed here.'),
}

/** The fields that a record is never without, beside its lists. */
export const alwaysPresent: ReadonlySet<string> = new Set([
  'remoteId',
  'remoteDeleted',
  'createdAt',
  'updatedAt',
])

export interface Resource<F extends Fields = Fields> extends ResourceDefinition<F> {
  /** The topic and the name in references: `accounting/companyInfo`. */
  readonly topic: string
  /** Below `/2024-03/one`: `/accounting/company-info`. */
  readonly restPath: string
  /** The GraphQL object type: `AccountingCompanyInfo`. */
  readonly typeName: string
  /** The GraphQL list field: `accountingVendors`. */
  readonly listField: string
  /** The GraphQL field of one record: `accountingVendor`. */
  readonly getField: string
  /** The table: `accounting_vendors`. */
  readonly table: string
  /** Own and common fields in the order in which a record shows them. */
  readonly allFields: Fields
}

/** `purchaseOrder` → `PurchaseOrder`. */
export const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const splitWords = (name: string, separator: string): string =>
  name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase())

/** The column or table name of a camelCase name. */
export const snakeCase = (name: string): string => splitWords(name, '_')

/** Completes a definition with the names and common fields that follow from it. */
export const defineResource = <const F extends Fields>(
  definition: ResourceDefinition<F> & { readonly parent?: keyof F & string },
): Resource<F> => {
  const { category, name, plural, fields } = definition
  const { remoteId, ...otherCommonFields } = commonFields
  const typeName = pascalCase(category) + pascalCase(name)
  return {
    ...definition,
    topic: `${category}/${plural}`,
    restPath: `/${category}/${splitWords(plural, '-')}`,
    typeName,
    listField: category + pascalCase(plural),
    // A word without a plural (company info) cannot name both the list and the record.
    getField: category + pascalCase(name) + (name === plural ? 'ById' : ''),
    table: `${category}_${snakeCase(plural)}`,
    allFields: { remoteId, ...fields, ...otherCommonFields },
  }
}

/** A record that a reference shows in place of its bare id. */
export type EmbeddedRecord<Embed extends string> = {
  readonly id: string
  readonly remoteId: string
} & { readonly [Name in Embed]: string | null }

type ReferenceValue<Embed extends string> = [Embed] extends [never] ? string : EmbeddedRecord<Embed>

/** The value of a field in a record as the API shows it. */
export type ValueOf<F> = F extends { kind: 'text' | 'label' | 'decimal' | 'timestamp' | 'date' }
  ? string | null
  : F extends { kind: 'integer' | 'number' }
    ? number | null
    : F extends { kind: 'boolean' }
      ? boolean | null
      : F extends { kind: 'enumeration'; values: readonly (infer Value)[] }
        ? Value | null
        : F extends {
              kind: 'reference'
              embeds: readonly (infer Embed extends string)[] | undefined
            }
          ? ReferenceValue<Embed> | null
          : F extends { kind: 'references' | 'texts' }
            ? readonly string[]
            : F extends ListField<infer S>
              ? readonly ShapeValue<S>[]
              : F extends ObjectField<infer S>
                ? ShapeValue<S> | null
                : unknown

export type ShapeValue<S extends Shape> = {
  readonly [Name in keyof S['fields']]: ValueOf<S['fields'][Name]>
}

/** A record of the resource as the API shows it. */
export type RecordOf<R extends Resource> = {
  readonly id: string
  readonly remoteId: string
  readonly remoteDeleted: boolean
  readonly createdAt: string
  readonly updatedAt: string
} & { readonly [Name in keyof R['fields']]: ValueOf<R['fields'][Name]> } & {
  readonly [Name in 'remoteFields' | 'remoteCreatedAt' | 'remoteUpdatedAt']: ValueOf<
    (typeof commonFields)[Name]
  >
}

type Suffix = typeof operatorSuffix
/** A decimal is compared with a number, and a reference with an id also where it is shown as a record. */
type FilterValue<F extends Field> = NonNullable<
  F extends { kind: 'decimal' } ? number : F extends { kind: 'reference' } ? string : ValueOf<F>
>
type FiltersOfField<Name extends string, F extends Field> = {
  readonly [Op in Extract<
    F['filters'][number],
    Operator
  > as `${Name}${Suffix[Op]}`]?: FilterValue<F>
}
type Intersect<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
type FiltersOfFields<F extends Fields> = Intersect<
  { [Name in keyof F & string]: FiltersOfField<Name, F[Name]> }[keyof F & string]
>

/** The filter parameters that lists of the resource offer, by their exact names. */
export type FilterOf<R extends Resource> = FiltersOfFields<R['fields']> &
  FiltersOfFields<typeof commonFields> & { readonly includeDeleted?: boolean }
