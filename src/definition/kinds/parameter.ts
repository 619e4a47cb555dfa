/**
 * Filter parameters: one for each operator of a field's filter, and those that every filter has without
 * defining them, `xIn` and `xIsNull`.
 */
import { type ZodType, z } from 'zod'
import type { JsonSchema } from '../json.ts'
import { readAs } from './input.ts'
import {
  type Field,
  type Filter,
  type FilterValue,
  type GraphqlType,
  type Operator,
  operatorSuffix,
} from './kind.ts'
import { MAX_FILTER_VALUES } from './limits.ts'

/** The operators of parameters, with the suffix that each adds to the field name. */
export const parameterSuffix = { ...operatorSuffix, in: 'In', isNull: 'IsNull' } as const

/** `in`: equal to one of several values · `isNull`: whether the record has no value. */
export type ParameterOperator = keyof typeof parameterSuffix

/** The type of a parameter's value in each document, and how a caller's value is read. */
export interface ParameterType {
  /** Reads the text of a query parameter, or a typed value from GraphQL. Only `in` has several values. */
  readonly schema: ZodType<readonly FilterValue[]>
  /** The value is a list of `graphql`. */
  readonly isList: boolean
  readonly graphql: GraphqlType
  readonly typescript: string
  readonly jsonSchema: JsonSchema
  /** A sentence about the value for the public documentation. */
  readonly note: string | undefined
  /** An example value, derived from the value in the example record. */
  example(recordValue: unknown): unknown
}

/**
 * The values in the text of a query parameter: separated by commas; a backslash makes the comma or backslash
 * that follows it a part of the value.
 */
export const splitValues = (text: string): string[] => {
  const values: string[] = []
  let value = ''
  for (let at = 0; at < text.length; at++) {
    const next = text.charAt(at + 1)
    if (text.charAt(at) === '\\' && (next === ',' || next === '\\')) {
      value += next
      at += 1
    } else if (text.charAt(at) === ',') {
      values.push(value)
      value = ''
    } else value += text.charAt(at)
  }
  return [...values, value]
}

/** A value as `splitValues` reads it. */
const escapeValue = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/[\\,]/g, '\\$&') : value

const EXPECTED_LIST = `a list of at most ${MAX_FILTER_VALUES} values`

const listOf = (value: ZodType<FilterValue>): ZodType<readonly FilterValue[]> =>
  z.preprocess(
    (input) => (typeof input === 'string' ? splitValues(input) : input),
    // Counted before the values are read: a list may have half a million entries.
    z
      .array(z.unknown(), { error: EXPECTED_LIST })
      .max(MAX_FILTER_VALUES, { error: EXPECTED_LIST })
      .pipe(z.array(value)),
  )

const inType = (filter: Filter): ParameterType => ({
  schema: listOf(filter.input('equals')),
  isList: true,
  graphql: filter.graphql,
  typescript: `readonly ${filter.typescript.includes('|') ? `(${filter.typescript})` : filter.typescript}[]`,
  jsonSchema: {
    type: 'array',
    items: filter.jsonSchema('equals'),
    maxItems: MAX_FILTER_VALUES,
  },
  note: filter.note?.('equals'),
  example: (recordValue) => [escapeValue(filter.example(recordValue))],
})

const isNullType: ParameterType = {
  schema: readAs('true or false', (input): readonly FilterValue[] | undefined =>
    input === true || input === 'true'
      ? [{ value: true, isWholeDay: false }]
      : input === false || input === 'false'
        ? [{ value: false, isWholeDay: false }]
        : undefined,
  ),
  isList: false,
  graphql: { scalar: 'Boolean' },
  typescript: 'boolean',
  jsonSchema: { type: 'boolean' },
  note: undefined,
  example: (recordValue) => recordValue === null,
}

/** The type of the parameter for one operator of a kind's filter. */
export const parameterType = (filter: Filter, operator: ParameterOperator): ParameterType => {
  if (operator === 'in') return inType(filter)
  if (operator === 'isNull') return isNullType
  const { graphql, typescript, example } = filter
  return {
    schema: filter.input(operator).transform((value) => [value]),
    isList: false,
    graphql,
    typescript,
    jsonSchema: filter.jsonSchema(operator),
    note: filter.note?.(operator),
    example,
  }
}

/** The operators of a field's parameters. `isNullable`: whether records may have no value. */
export const parameterOperators = (
  { kind, filters }: Field,
  isNullable: boolean,
): readonly ParameterOperator[] => {
  const operators: ParameterOperator[] = [...(filters as readonly Operator[])]
  if (filters.includes('equals') && !kind.filter?.hasTwoValues) operators.push('in')
  if (filters.length > 0 && isNullable) operators.push('isNull')
  return operators
}
