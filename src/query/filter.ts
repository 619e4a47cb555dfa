/** List filters: the parameters of a resource, and the parsing of their values. */

import type { ZodType } from 'zod'
import { textInput } from '../definition/kinds/input.ts'
import {
  type Field,
  type Filter,
  type FilterValue,
  type Operator,
  operatorSuffix,
} from '../definition/kinds/kind.ts'
import { MAX_TEXT_LENGTH } from '../definition/kinds/limits.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import { memoize } from '../memoize.ts'

/** A filter parameter: a query parameter in REST and a field of the filter input in GraphQL. */
export interface FilterParameter {
  readonly name: string
  readonly field: string
  /** The name of the custom field, if the field is `customFields`. */
  readonly customField?: string
  readonly operator: Operator
  readonly definition: Field
  /** The filter that the field's kind defines. */
  readonly filter: Filter
  /** Parses a caller's value. */
  readonly schema: ZodType<FilterValue>
  readonly doc: string
}

/** A condition that a record must satisfy. */
export interface FilterTerm extends FilterValue {
  readonly parameter: FilterParameter
}

const descriptions: Readonly<Record<Operator, string>> = {
  equals: 'equal to this value',
  notEquals: 'different from this value, or empty',
  contains: 'contains this text, ignoring case',
  min: 'at least this value',
  max: 'at most this value',
}

/** The filter parameters of a resource's lists, by name, in the order of its fields. */
export const filterParameters = memoize(
  (resource: Resource): ReadonlyMap<string, FilterParameter> => {
    const parameters = new Map<string, FilterParameter>()
    for (const [field, definition] of Object.entries(resource.allFields)) {
      const { filter } = definition.kind
      if (!filter) continue
      for (const operator of definition.filters) {
        const name = field + operatorSuffix[operator]
        const doc = `${definition.doc.replace(/\.$/, '')}: ${descriptions[operator]}.`
        const schema = filter.input(operator)
        parameters.set(name, { name, field, operator, definition, filter, schema, doc })
      }
    }
    return parameters
  },
)

/** Parses a value with a schema. @throws INVALID_PARAMETER naming the parameter and the expected value */
const readParameter = <Value>(name: string, schema: ZodType<Value>, input: unknown): Value => {
  const { data, error } = schema.safeParse(input)
  if (error) throw invalidParameter(name, error.issues[0]?.message ?? 'a valid value')
  return data
}

const parameterText = textInput(MAX_TEXT_LENGTH, 'text')

/** Checks that PostgreSQL and JSON can hold a text. @throws INVALID_PARAMETER */
export const checkText = (name: string, value: string): string =>
  readParameter(name, parameterText, value)

/**
 * Parses a filter value: a text from a query string, or a typed value from GraphQL. A date without a time
 * means the whole day in UTC.
 * @throws INVALID_PARAMETER naming the parameter and the expected value
 */
export const parseFilterValue = (parameter: FilterParameter, input: unknown): FilterTerm => ({
  parameter,
  ...readParameter(parameter.name, parameter.schema, input),
})
