/** The search: filters, sorts and pages over an index that lags behind the records. */
import { type JsonObject, listOf } from '../engine/json.ts'
import { pageAt } from '../engine/pages.ts'
import type { StoredRecord } from '../engine/store.ts'
import { associationsOf } from './associations.ts'
import { validationError } from './errors.ts'
import { type ObjectType, objectTypes } from './object-types.ts'
import { definitionNamed, type Portal } from './portal.ts'
import type { PropertyDefinition } from './property-definitions.ts'
import { propertyValue } from './property-values.ts'
import { isArchived } from './record-lookup.ts'
import { assertSelection, showRecord } from './record-view.ts'
import { parseTime } from './values.ts'

const MAX_PAGE_SIZE = 200
const MAX_GROUPS = 6
const MAX_FILTERS_PER_GROUP = 10
const MAX_FILTERS = 25
const MAX_SORTS = 1

type Predicate = (record: StoredRecord) => boolean

/** The value that comparisons of a property use; undefined: the text is not of the property's type. */
const toComparable = ({ type }: PropertyDefinition, text: string): string | number | undefined => {
  if (type === 'date' || type === 'datetime') return parseTime(text)
  if (type !== 'number') return text.toLowerCase()
  const number = Number(text)
  return text.trim() === '' || Number.isNaN(number) ? undefined : number
}

/** Tokens are words; `*` stands for any rest. */
const tokenPattern = (text: string): ((value: string) => boolean) => {
  const wanted = text.toLowerCase()
  const [start = '', end = ''] = wanted.split('*')
  const isMatch = (token: string): boolean =>
    wanted.includes('*') ? token.startsWith(start) && token.endsWith(end) : token === wanted
  return (value) =>
    [value, ...value.split(/[^\p{L}\p{N}]+/u)].some((token) => isMatch(token.toLowerCase()))
}

interface Filter {
  readonly operator: string
  readonly value: string | undefined
  readonly highValue: string | undefined
  readonly values: readonly string[] | undefined
}

/** @throws ApiError unless exactly the values that the operator needs are sent */
const readFilter = ({ propertyName, operator, value, highValue, values }: JsonObject): Filter => {
  const op = String(operator)
  const isList = op === 'IN' || op === 'NOT_IN'
  const isPresence = op === 'HAS_PROPERTY' || op === 'NOT_HAS_PROPERTY'
  const expected = {
    value: !isList && !isPresence,
    highValue: op === 'BETWEEN',
    values: isList,
  }
  for (const [name, sent] of Object.entries({ value, highValue, values }))
    if ((sent !== undefined) !== expected[name as keyof typeof expected])
      throw validationError(
        `${op} on ${propertyName} ${sent === undefined ? 'needs' : 'does not accept'} ${name}`,
        { propertyName: [String(propertyName)] },
      )
  return {
    operator: op,
    value: value === undefined ? undefined : String(value),
    highValue: highValue === undefined ? undefined : String(highValue),
    values: Array.isArray(values) ? values.map(String) : undefined,
  }
}

/** `associations.contact`: the records that are associated with these. */
const associationPredicate = (
  portal: Portal,
  type: ObjectType,
  singular: string,
  { operator, value, values }: Filter,
): Predicate => {
  const to = [...objectTypes.values()].find((known) => known.singular === singular)
  if (!to || (operator !== 'EQ' && operator !== 'IN'))
    throw validationError(`associations.${singular} does not accept ${operator}`)
  const wanted = new Set(values ?? [value])
  return ({ id }) =>
    associationsOf(portal, { type: type.name, id }).some(
      (association) => association.to.type === to.name && wanted.has(association.to.id),
    )
}

const filterPredicate = (portal: Portal, type: ObjectType, filter: JsonObject): Predicate => {
  const name = String(filter.propertyName)
  const read = readFilter(filter)
  const [, singular] = /^associations\.(\w{1,40})$/.exec(name) ?? []
  if (singular !== undefined) return associationPredicate(portal, type, singular, read)
  const definition = definitionNamed(portal, type, name)
  const parse = (text: string): string | number => {
    const parsed = toComparable(definition, text)
    if (parsed !== undefined) return parsed
    throw validationError(`${text} is not a valid value of ${name}`, { propertyName: [name] })
  }
  const { operator, value = '', highValue = '', values = [] } = read
  const isPresence = operator.endsWith('HAS_PROPERTY')
  const isToken = operator.endsWith('CONTAINS_TOKEN')
  const lower = isPresence || isToken || read.values ? '' : parse(value)
  const high = operator === 'BETWEEN' ? parse(highValue) : ''
  const listed = new Set(values.map(parse))
  const hasToken = tokenPattern(value)

  const test = (text: string): boolean => {
    const own = toComparable(definition, text) ?? ''
    switch (operator) {
      case 'EQ':
        return own === lower
      case 'NEQ':
        return own !== lower
      case 'LT':
        return own < lower
      case 'LTE':
        return own <= lower
      case 'GT':
        return own > lower
      case 'GTE':
        return own >= lower
      case 'BETWEEN':
        return own >= lower && own <= high
      case 'IN':
        return listed.has(own)
      case 'NOT_IN':
        return !listed.has(own)
      case 'CONTAINS_TOKEN':
        return hasToken(text)
      default:
        return !hasToken(text)
    }
  }
  return (record) => {
    const text = propertyValue(portal, type, record, name)
    if (isPresence) return (text !== undefined) === (operator === 'HAS_PROPERTY')
    // No comparison holds for a record without a value.
    return text !== undefined && test(text)
  }
}

const groupPredicates = (
  portal: Portal,
  type: ObjectType,
  groups: readonly JsonObject[],
): readonly Predicate[] => {
  const sizes = groups.map(({ filters }) => listOf(filters).length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (groups.length > MAX_GROUPS)
    throw validationError(`At most ${MAX_GROUPS} filter groups are allowed`)
  if (total > MAX_FILTERS) throw validationError(`At most ${MAX_FILTERS} filters are allowed`)
  if (sizes.some((size) => size === 0 || size > MAX_FILTERS_PER_GROUP))
    throw validationError(`A filter group needs 1 to ${MAX_FILTERS_PER_GROUP} filters`)
  return groups.map(({ filters }) => {
    const predicates = listOf(filters).map((filter) => filterPredicate(portal, type, filter))
    return (record) => predicates.every((predicate) => predicate(record))
  })
}

const queryPredicate = (portal: Portal, type: ObjectType, query: unknown): Predicate => {
  if (typeof query !== 'string' || query === '') return () => true
  const hasStart = tokenPattern(`${query}*`)
  return (record) =>
    type.searched.some((name) => hasStart(propertyValue(portal, type, record, name) ?? ''))
}

const compareValues = (a: string | number, b: string | number): number =>
  a < b ? -1 : a > b ? 1 : 0

interface Sort {
  readonly name: string
  readonly isDescending: boolean
}

const readSort = (value: unknown): Sort => {
  if (typeof value === 'string')
    return { name: value.replace(/^-/, ''), isDescending: value.startsWith('-') }
  const { propertyName, direction } = Object(value)
  return { name: String(propertyName), isDescending: direction === 'DESCENDING' }
}

/**
 * Records without a value are last. Those with equal values are in no order that a client could rely on: here the
 * newest is first.
 */
const createComparison = (
  portal: Portal,
  type: ObjectType,
  sorts: readonly unknown[],
): ((a: StoredRecord, b: StoredRecord) => number) => {
  if (sorts.length > MAX_SORTS) throw validationError(`At most ${MAX_SORTS} sort is allowed`)
  const { name, isDescending } =
    sorts.length === 0 ? { name: 'hs_object_id', isDescending: false } : readSort(sorts[0])
  const definition = definitionNamed(portal, type, name)
  const keyOf = (record: StoredRecord): string | number | undefined => {
    const text = propertyValue(portal, type, record, name)
    return text === undefined ? undefined : toComparable(definition, text)
  }
  return (a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)]
    const newestFirst = Number(b.id) - Number(a.id)
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined) || newestFirst
    const order = compareValues(left, right)
    return (isDescending ? -order : order) || newestFirst
  }
}

/** The sorted results of the index. A search is processed once for all its pages. */
const findMatches = (
  portal: Portal,
  type: ObjectType,
  { query, filterGroups, sorts }: JsonObject,
): readonly StoredRecord[] => {
  const { store, clock, settings } = portal
  const groups = groupPredicates(portal, type, listOf(filterGroups))
  const matchesQuery = queryPredicate(portal, type, query)
  const compare = createComparison(portal, type, Array.isArray(sorts) ? sorts : [])
  const find = (records: readonly StoredRecord[]): readonly StoredRecord[] =>
    records
      .filter((record) => !isArchived(record) && matchesQuery(record))
      .filter((record) => groups.length === 0 || groups.some((matches) => matches(record)))
      .sort(compare)
  if (portal.hasUnindexedChanges())
    return find(store.listAsOf(type.name, clock.nowMs() - settings.searchLagMs))
  const key = `search ${JSON.stringify([query, filterGroups, sorts])}`
  // Some records contain values of other records.
  const others = [...objectTypes.keys(), 'association', 'pipeline', `property ${type.name}`]
  return store.view([type.name, ...others], key, find)
}

/** @throws ApiError if the page is not within the first results */
const readPage = (
  { settings: { maxSearchResults } }: Portal,
  { limit = 10, after = '0' }: JsonObject,
): readonly [number, number] => {
  const [size, start] = [Number(limit), Number(after)]
  if (size < 1 || size > MAX_PAGE_SIZE)
    throw validationError(`limit must be from 1 to ${MAX_PAGE_SIZE}`)
  if (!/^\d{1,9}$/.test(String(after))) throw validationError(`after must be an offset: ${after}`)
  if (start + size > maxSearchResults)
    throw validationError(`Paging beyond ${maxSearchResults} results is not possible`, {
      after: [String(after)],
    })
  return [start, size]
}

/**
 * One page of the records that match.
 * @throws ApiError if the request has too many filters, unknown properties, or a page beyond the last result that
 * can be reached
 */
export const search = (portal: Portal, type: ObjectType, body: JsonObject): JsonObject => {
  const [start, size] = readPage(portal, body)
  const properties = Array.isArray(body.properties) ? body.properties.map(String) : undefined
  const selection = properties ? { properties } : {}
  assertSelection(portal, type, selection)
  const matches = findMatches(portal, type, body)
  const { page, next } = pageAt(matches, start, size)
  return {
    total: matches.length,
    results: page.map((record) => showRecord(portal, type, record, selection)),
    ...(next !== undefined && { paging: { next: { after: String(next) } } }),
  }
}
