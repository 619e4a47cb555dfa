/**
 * List filters by custom fields: the parameter `customFields.scoreMin=5` in REST, and
 * `customFields: [{ name: "score", min: 5 }]` in GraphQL.
 */
import { type CustomFieldType, fieldOfType } from '../definition/custom-field.ts'
import { type Operator, operatorSuffix } from '../definition/kinds/kind.ts'
import { parameterSuffix, parameterType } from '../definition/kinds/parameter.ts'
import { nearest } from '../definition/nearest.ts'
import { isObject } from '../definition/value.ts'
import { invalidParameter } from '../errors.ts'
import { type FilterTerm, parseFilterValue } from './filter.ts'

/** The types that each custom field has in the credentials of a list. */
export type CustomTypes = ReadonlyMap<string, ReadonlySet<CustomFieldType>>

const FIELD = 'customFields'
const PREFIX = `${FIELD}.`
const MAX_CONDITIONS = 50
const MAX_NAME_LENGTH = 64

/** The operators in the order of suffix matching: the empty suffix last. */
const operators = (Object.keys(operatorSuffix) as Operator[]).sort(
  (a, b) => operatorSuffix[b].length - operatorSuffix[a].length,
)

/** Whether a list is filtered by custom fields. */
export const hasCustomFilters = (values: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(values).some((name) => isCustomFilter(name) && values[name] !== undefined)

/** Whether a filter parameter is about custom fields. */
export const isCustomFilter = (parameter: string): boolean =>
  parameter === FIELD || parameter.startsWith(PREFIX)

/** The suffixes of parameters with an operator. No custom field has a name that ends with one of them. */
export const operatorEndings = Object.values(parameterSuffix).filter((suffix) => suffix !== '')

interface Condition {
  /** The parameter, or the argument, for errors. */
  readonly path: string
  readonly name: string
  readonly operator: Operator
  readonly value: unknown
  /** How the caller spells the condition with another operator: `customFields.scoreMin`, or `min`. */
  readonly spell: (operator: Operator) => string
}

/** `scoreMin` → `score`, `min` */
const readParameter = (path: string, value: unknown): Condition => {
  const text = path.slice(PREFIX.length)
  const operator = operators.find((one) => text.endsWith(operatorSuffix[one])) ?? 'equals'
  const name = text.slice(0, text.length - operatorSuffix[operator].length)
  const spell = (one: Operator): string => PREFIX + name + operatorSuffix[one]
  return { path, name, operator, value, spell }
}

/** The conditions of the GraphQL argument. @throws INVALID_PARAMETER, also for a REST parameter without a name */
const readArgument = (conditions: unknown): Condition[] => {
  if (typeof conditions === 'string')
    throw invalidParameter(FIELD, `the name of a custom field in the parameter: ${PREFIX}tier=gold`)
  if (!Array.isArray(conditions) || conditions.length > MAX_CONDITIONS)
    throw invalidParameter(FIELD, `a list of at most ${MAX_CONDITIONS} conditions`)
  return conditions.flatMap((condition: unknown, index) => {
    const { name, ...values } = isObject(condition) ? condition : {}
    const place = `${FIELD}[${index}]`
    const spell = (one: Operator): string => one
    const found = operators.flatMap((operator): Condition[] => {
      const value = values[operator]
      return value === undefined
        ? []
        : [{ path: `${place}.${operator}`, name: String(name), operator, value, spell }]
    })
    if (found.length === 0) throw invalidParameter(place, `one of ${operators.join(', ')}`)
    return found
  })
}

const typeOf = ({ path, name }: Condition, types: CustomTypes): CustomFieldType => {
  const [type, ...others] = types.get(name) ?? []
  if (type === undefined) {
    const near = nearest(name, types.keys())
    throw invalidParameter(
      path.slice(0, MAX_NAME_LENGTH),
      near === undefined
        ? 'no custom field, because the credentials of this list have none'
        : `a custom field of the credentials of this list, such as ${near}`,
    )
  }
  if (others.length > 0)
    throw invalidParameter(
      path,
      `a custom field with one type; in these credentials it has ${[type, ...others].join(', ')}`,
    )
  return type
}

const toTerm = (condition: Condition, types: CustomTypes): FilterTerm => {
  const { path, name, operator, value, spell } = condition
  const type = typeOf(condition, types)
  const definition = fieldOfType(type)
  const { filter } = definition.kind
  if (!filter || !definition.filters.includes(operator))
    throw invalidParameter(
      path,
      definition.filters.length === 0
        ? `no value: a field of the type ${type} has no filters`
        : `one of ${definition.filters.map(spell).join(', ')}, which the type ${type} has`,
    )
  return parseFilterValue(
    {
      name: path,
      field: FIELD,
      customField: name,
      operator,
      definition,
      filter,
      type: parameterType(filter, operator),
      doc: definition.doc,
    },
    value,
  )
}

/**
 * Parses a filter parameter about custom fields. `types`: undefined if a filter cannot have them here.
 * @throws INVALID_PARAMETER for an unknown custom field, an operator that its type lacks, an invalid value, and
 * without types
 */
export const parseCustomFilter = (
  parameter: string,
  value: unknown,
  types: CustomTypes | undefined,
): FilterTerm[] => {
  if (types === undefined)
    throw invalidParameter(
      parameter.slice(0, MAX_NAME_LENGTH),
      'no value here: only lists and aggregates at the root of a query can be filtered by custom fields, and not in nested filters',
    )
  const conditions = parameter === FIELD ? readArgument(value) : [readParameter(parameter, value)]
  return conditions.map((condition) => toTerm(condition, types))
}
