/** Resources: the types of unified records, and all names derived from their definitions. */
import { boolean, json, text, timestamp } from './field.ts'
import type { Field, Fields, Kind, Operator, operatorSuffix, ValueOf } from './kinds/kind.ts'

export type Category = 'accounting' | 'crm' | 'commerce'
export type Verb = 'list' | 'get' | 'create' | 'update' | 'delete'

/** The part of a resource that its author writes. The rest of a `Resource` is derived from it. */
export interface ResourceDefinition<F extends Fields = Fields> {
  /** Singular, camelCase: the key of a record in a REST response. */
  readonly name: string
  /** Plural, camelCase: the key of a list in a REST response. */
  readonly plural: string
  readonly category: Category
  readonly doc: string
  readonly verbs: readonly Verb[]
  readonly fields: F
  /** The reference field to the parent in the nested REST path (`orderId`: orders/:orderId/fulfillments). */
  readonly parent?: string
}

/** The fields of every record of every resource. */
export const commonFields = {
  remoteId: text("The record's id in the app.", { filters: ['equals'] }),
  remoteFields: json(
    "Fields of the record that the unified model does not have, under the app's own names.",
    { isObject: true },
  ),
  remoteCreatedAt: timestamp('When the record was created in the app.'),
  remoteUpdatedAt: timestamp('When the record was last changed in the app.'),
  remoteDeleted: boolean('Whether the record is deleted in the app.'),
  createdAt: timestamp('When Trunkline first stored the record.'),
  updatedAt: timestamp('When the stored record last changed.'),
}

/** The custom fields of a record. They are stored apart from the fields of the definition. */
export const customFields = json(
  'The custom fields of the record, by the names that you have given them. Absent if the resource has none.',
  { isObject: true },
)

const neverNull = ['remoteId', 'remoteDeleted', 'createdAt', 'updatedAt'] as const
type AlwaysPresent = (typeof neverNull)[number]

/** The fields that are never null, in addition to lists. */
export const alwaysPresent: ReadonlySet<string> = new Set(neverNull)

/** A complete resource: its definition and the names derived from it. */
export interface Resource<F extends Fields = Fields> extends ResourceDefinition<F> {
  /** The topic and the name in references: `accounting/companyInfo`. */
  readonly topic: string
  /** The path below `/2024-03/one`: `/accounting/company-info`. */
  readonly restPath: string
  /** The GraphQL object type: `AccountingCompanyInfo`. */
  readonly typeName: string
  /** The GraphQL list field: `accountingVendors`. */
  readonly listField: string
  /** The GraphQL field of one record: `accountingVendor`. */
  readonly getField: string
  /** The table: `accounting_vendors`. */
  readonly table: string
  /** Own and common fields, in the order of the API. */
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
    // A name whose plural is the same (company info) cannot name both the list and the record.
    getField: category + pascalCase(name) + (name === plural ? 'ById' : ''),
    table: `${category}_${snakeCase(plural)}`,
    allFields: { remoteId, ...fields, ...otherCommonFields },
  }
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
} & { readonly customFields?: Readonly<Record<string, unknown>> | null }

type Suffix = typeof operatorSuffix
/** The type of a filter's value: a number for a decimal, an id for a reference that embeds. */
type FilterValue<F extends Field> =
  F['kind'] extends Kind<unknown, infer Compared> ? Compared : never
type OperatorsOf<F extends Field> = Extract<F['filters'][number], Operator>
type InOf<Name extends string, F extends Field> =
  'equals' extends OperatorsOf<F> ? (FilterValue<F> extends boolean ? never : `${Name}In`) : never
type IsNullOf<Name extends string, F extends Field> = [OperatorsOf<F>] extends [never]
  ? never
  : Exclude<`${Name}IsNull`, `${AlwaysPresent}IsNull`>
type FiltersOfField<Name extends string, F extends Field> = {
  readonly [Op in OperatorsOf<F> as `${Name}${Suffix[Op]}`]?: FilterValue<F>
} & { readonly [In in InOf<Name, F>]?: readonly FilterValue<F>[] } & {
  readonly [IsNull in IsNullOf<Name, F>]?: boolean
}
type Intersect<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
type FiltersOfFields<F extends Fields> = Intersect<
  { [Name in keyof F & string]: FiltersOfField<Name, F[Name]> }[keyof F & string]
>

/** The filter parameters of a resource's lists, under their exact names. */
export type FilterOf<R extends Resource> = FiltersOfFields<R['fields']> &
  FiltersOfFields<typeof commonFields> & { readonly includeDeleted?: boolean }
