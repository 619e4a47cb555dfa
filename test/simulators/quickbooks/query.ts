/** Runs queries on the records of a company. */
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts'
import { pageAt } from '../engine/pages.ts'
import type { Company } from './company.ts'
import { propertyAt } from './contract.ts'
import { type Entity, entities } from './entities.ts'
import { queryFault } from './faults.ts'
import { type Condition, parseQuery, type Query } from './query-parser.ts'
import { parseTime } from './times.ts'

const DEFAULT_RESULTS = 100
const MAX_RESULTS = 1000

type Comparable = string | number | boolean

/** Turns a value of a query or of a record into one that compares as the property's type. */
type Read = (value: Json | undefined) => Comparable | undefined

const readText: Read = (value) => (typeof value === 'string' ? value.toLowerCase() : undefined)
const readNumber: Read = (value) =>
  value === undefined || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value)
const readTime: Read = (value) => (typeof value === 'string' ? parseTime(value) : undefined)
const readDay: Read = (value) =>
  typeof value === 'string' && parseTime(value) !== undefined ? value.slice(0, 10) : undefined
const readBoolean: Read = (value) => ({ true: true, false: false })[String(value)]
const readReference: Read = (value) => readText(isJsonObject(value) ? value.value : value)
/** Ids sort as numbers. */
const readId: Read = (value) => readNumber(value)

const isReference = (schema: Readonly<Record<string, unknown>>): boolean =>
  isJsonObject(schema.properties) && 'value' in schema.properties

/** How a property of an entity compares. @throws FaultException 4001 if it is not declared or not comparable */
const readerOf = (entity: string, property: string): Read => {
  const schema = propertyAt(entity, property)
  if (property === 'Id') return readId
  if (schema?.format === 'date-time') return readTime
  if (schema?.format === 'date') return readDay
  if (schema?.type === 'boolean') return readBoolean
  if (schema?.type === 'number' || schema?.type === 'integer') return readNumber
  if (schema?.type === 'string') return readText
  if (schema !== undefined && isReference(schema)) return readReference
  throw queryFault('validation', `Property ${property} not found for Entity ${entity}`)
}

const valueAt = (record: JsonObject, property: string): Json | undefined => {
  let value: Json | undefined = record
  for (const step of property.split('.')) value = isJsonObject(value) ? value[step] : undefined
  return value
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** `%` stands for any text. */
const matchesPattern = (pattern: string): ((value: string) => boolean) => {
  const expression = new RegExp(`^${pattern.split('%').map(escapePattern).join('.*')}$`, 'is')
  return (value) => expression.test(value)
}

type Test = (record: JsonObject) => boolean

const readOperand = (read: Read, { property }: Condition, value: string): Comparable => {
  const operand = read(value)
  if (operand === undefined)
    throw queryFault('validation', `Invalid value ${value} for property ${property}`)
  return operand
}

const testOf = (entity: string, condition: Condition): Test => {
  const { property, operator, values } = condition
  const read = readerOf(entity, property)
  if (operator === 'LIKE') {
    const matches = matchesPattern(values[0] ?? '')
    return (record) => matches(String(valueAt(record, property) ?? ''))
  }
  const operands = values.map((value) => readOperand(read, condition, value))
  const compare = (
    record: JsonObject,
    holds: (value: Comparable, operand: Comparable) => boolean,
  ) => {
    const value = read(valueAt(record, property))
    return value !== undefined && operands.some((operand) => holds(value, operand))
  }
  switch (operator) {
    case '=':
    case 'IN':
      return (record) => compare(record, (a, b) => a === b)
    case '<':
      return (record) => compare(record, (a, b) => a < b)
    case '>':
      return (record) => compare(record, (a, b) => a > b)
    case '<=':
      return (record) => compare(record, (a, b) => a <= b)
    case '>=':
      return (record) => compare(record, (a, b) => a >= b)
  }
}

/** Lists of names hide inactive entries unless the query mentions `Active`. */
const hidesInactive = ({ kind }: Entity, { conditions }: Query): boolean =>
  kind === 'name' && !conditions.some(({ property }) => property === 'Active')

const comparisonOf = ({ entity, order }: Query): ((a: JsonObject, b: JsonObject) => number) => {
  const keys = order.map(({ property, descending }) => ({
    property,
    read: readerOf(entity, property),
    sign: descending ? -1 : 1,
  }))
  return (a, b) => {
    for (const { property, read, sign } of keys) {
      const left = read(valueAt(a, property)) ?? ''
      const right = read(valueAt(b, property)) ?? ''
      if (left !== right) return left < right ? -sign : sign
    }
    return 0
  }
}

const select = (records: readonly JsonObject[], entity: Entity, query: Query) => {
  const tests = query.conditions.map((condition) => testOf(query.entity, condition))
  if (hidesInactive(entity, query)) tests.push(({ Active }) => Active !== false)
  const found = records.filter((record) => tests.every((test) => test(record)))
  return query.order.length > 0 ? found.sort(comparisonOf(query)) : found
}

const checkLimits = ({ startPosition = 1, maxResults = DEFAULT_RESULTS }: Query): void => {
  if (startPosition < 1)
    throw queryFault('validation', `value ${startPosition} is too small. Min allowed value is 1.`)
  if (maxResults > MAX_RESULTS)
    throw queryFault(
      'validation',
      `value ${maxResults} is too large. Max allowed value is ${MAX_RESULTS}.`,
    )
}

/**
 * The `QueryResponse` of a query.
 * @throws FaultException 4000 or 4001
 */
export const runQuery = (company: Company, text: string): JsonObject => {
  const query = parseQuery(text)
  const entity = entities.get(query.entity)
  if (!entity) throw queryFault('validation', `Metadata not found for Entity: ${query.entity}`)
  checkLimits(query)
  const { startPosition = 1, maxResults = DEFAULT_RESULTS, counts, conditions, order } = query
  const key = JSON.stringify([conditions, order])
  const found = company.view(query.entity, key, (records) => select(records, entity, query))
  if (counts) return { totalCount: found.length }
  const { page } = pageAt(found, startPosition - 1, maxResults)
  if (page.length === 0) return {}
  return { [query.entity]: page, startPosition, maxResults: page.length }
}
