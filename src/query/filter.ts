/** List filters: the parameters of a resource, and the conditions that their values make. */

import type { ZodType } from 'zod'
import { textInput } from '../definition/kinds/input.ts'
import type { Field, Filter, FilterValue } from '../definition/kinds/kind.ts'
import { MAX_LIST_LENGTH, MAX_TEXT_LENGTH } from '../definition/kinds/limits.ts'
import {
  type ParameterOperator,
  type ParameterType,
  parameterOperators,
  parameterSuffix,
  parameterType,
} from '../definition/kinds/parameter.ts'
import { nearest } from '../definition/nearest.ts'
import { alwaysPresent, type Resource } from '../definition/resource.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { memoize } from '../memoize.ts'
import type { FilterLink } from './filter-links.ts'

/** A filter parameter: a query parameter in REST and a field of the filter input in GraphQL. */
export interface FilterParameter {
  readonly name: string
  readonly field: string
  /** The name of the custom field, if the field is `customFields`. */
  readonly customField?: string
  readonly operator: ParameterOperator
  readonly definition: Field
  /** The filter that the field's kind defines. */
  readonly filter: Filter
  /** The type of its values. */
  readonly type: ParameterType
  readonly doc: string
}

/** A condition on one field of a record: one value, or several for the operator `in`. */
export interface FilterTerm {
  readonly form: 'term'
  readonly parameter: FilterParameter
  readonly values: readonly FilterValue[]
}

/** `and`: the record meets all conditions · `or`: at least one · `not`: not all of them. */
export type GroupForm = 'and' | 'or' | 'not'

/** A combination of conditions. */
export interface FilterGroup {
  readonly form: GroupForm
  readonly conditions: readonly FilterCondition[]
}

/** How many of the linked records match: `one` is the record that a reference points to. */
export type Quantifier = 'one' | 'some' | 'every' | 'none'

/** A condition on linked records of the same credential. */
export interface LinkCondition extends ListFilter {
  readonly form: 'link'
  readonly link: FilterLink
  readonly quantifier: Quantifier
}

/** A condition that a record must meet. */
export type FilterCondition = FilterTerm | FilterGroup | LinkCondition

/** How a list treats records that are deleted in the app. */
export type DeletedRecords = 'left-out' | 'included' | 'alone'

/** The filter of a list. A record must meet every condition. */
export interface ListFilter {
  readonly conditions: readonly FilterCondition[]
  readonly deleted: DeletedRecords
}

/** The filter as text: equal filters have equal text. */
export const filterKey = ({ conditions, deleted }: ListFilter): string =>
  JSON.stringify([conditions, deleted], (key, value) => {
    if (key === 'link') return value.name
    // The name of a parameter about a custom field is its place in the filter.
    return key === 'parameter' ? [value.name, value.customField] : value
  })

const descriptions: Readonly<Record<ParameterOperator, string>> = {
  equals: 'equal to this value',
  notEquals: 'different from this value, or empty',
  contains: 'contains this text, ignoring case',
  min: 'at least this value',
  max: 'at most this value',
  in: 'equal to one of these values',
  isNull: 'true for records without a value, false for records with one',
}

/** The filter parameters of a resource's lists, by name, in the order of its fields. */
export const filterParameters = memoize(
  (resource: Resource): ReadonlyMap<string, FilterParameter> => {
    const parameters = new Map<string, FilterParameter>()
    for (const [field, definition] of Object.entries(resource.allFields)) {
      const { filter } = definition.kind
      if (!filter) continue
      for (const operator of parameterOperators(definition, !alwaysPresent.has(field))) {
        const name = field + parameterSuffix[operator]
        const doc = `${definition.doc.replace(/\.$/, '')}: ${descriptions[operator]}.`
        const type = parameterType(filter, operator)
        parameters.set(name, { name, field, operator, definition, filter, type, doc })
      }
    }
    return parameters
  },
)

/** The names of the parameters that hold several values. */
export const listParameterNames = memoize((resource: Resource): readonly string[] =>
  [...filterParameters(resource).values()].flatMap(({ name, type }) => (type.isList ? [name] : [])),
)

/** Parses a value with a schema. @throws INVALID_PARAMETER naming the parameter and the expected value */
const readParameter = <Value>(name: string, schema: ZodType<Value>, input: unknown): Value => {
  const { data, error } = schema.safeParse(input)
  if (error) throw invalidParameter(name, error.issues[0]?.message ?? 'a valid value')
  return data
}

const parameterText = textInput(MAX_TEXT_LENGTH, 'text')
const listText = textInput(MAX_LIST_LENGTH, 'text')

/** Checks that PostgreSQL and JSON can hold a text. `isList`: it holds several values. @throws INVALID_PARAMETER */
export const checkText = (name: string, value: string, isList = false): string =>
  readParameter(name, isList ? listText : parameterText, value)

/** The expected value where null was sent: null selects nothing by itself, and must not select everything. */
const insteadOfNull = ({ field, customField, operator }: FilterParameter): string => {
  if (customField !== undefined) return 'a value'
  if (alwaysPresent.has(field)) return `a value, because ${field} is never null`
  return operator === 'isNull'
    ? 'true or false'
    : `a value; for records without a value, use ${field}IsNull: true`
}

/**
 * Parses a filter value: a text from a query string, or a typed value from GraphQL. A date without a time
 * means the whole day in UTC.
 * @param path the name of the parameter in errors
 * @throws INVALID_PARAMETER naming the parameter and the expected value
 */
export const parseFilterValue = (
  parameter: FilterParameter,
  input: unknown,
  path = parameter.name,
): FilterTerm => {
  if (input === null) throw invalidParameter(path, insteadOfNull(parameter))
  return { form: 'term', parameter, values: readParameter(path, parameter.type.schema, input) }
}

/** The parameter with this name. @throws INVALID_PARAMETER with the nearest known name */
export const findParameter = (
  resource: Resource,
  name: string,
  otherNames: readonly string[],
): FilterParameter => {
  const parameters = filterParameters(resource)
  const parameter = parameters.get(name)
  if (parameter) return parameter
  const known = [...otherNames, 'includeDeleted', ...parameters.keys()]
  const expected = `a known parameter, such as ${nearest(name, known)}`
  const message = `${name} is not a parameter of this list: expected ${expected}.`
  throw new ApiError('INVALID_PARAMETER', message, [{ field: name, expected }])
}

/** Values by parameter name; undefined means that the parameter is absent. */
export type FilterValues = Readonly<Record<string, unknown>>

/**
 * Reads which deleted records a list contains. `remoteDeleted` takes precedence over `includeDeleted`.
 * @param pathOf the name of a parameter in errors
 * @throws INVALID_PARAMETER
 */
export const parseDeleted = (
  resource: Resource,
  { includeDeleted, remoteDeleted }: FilterValues,
  pathOf = (name: string): string => name,
): DeletedRecords => {
  if (includeDeleted != null && !/^(true|false)$/.test(String(includeDeleted)))
    throw invalidParameter(pathOf('includeDeleted'), 'true or false')
  if (remoteDeleted === undefined)
    return String(includeDeleted) === 'true' ? 'included' : 'left-out'
  const parameter = findParameter(resource, 'remoteDeleted', [])
  const { values } = parseFilterValue(parameter, remoteDeleted, pathOf(parameter.name))
  return values[0]?.value === true ? 'alone' : 'left-out'
}
