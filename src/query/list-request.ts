/** List requests: the common form of REST and GraphQL lists that the store executes. */
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import {
  decodeCursor,
  MAX_ORDER_FIELDS,
  type Order,
  type OrderTerm,
  orderFields,
  type Position,
} from './cursor.ts'
import { type CustomTypes, isCustomFilter, parseCustomFilter } from './custom-filter.ts'
import {
  type FilterValues,
  findParameter,
  type ListFilter,
  parseDeleted,
  parseFilterValue,
} from './filter.ts'

// The API's contract for every page: 1 to 100 entries, 50 by default.
export const DEFAULT_PAGE_SIZE = 50
export const MAX_PAGE_SIZE = 100
export const MAX_PAGE_NUMBER = 10_000_000

/** The requested page of a list, by offset or by position. */
export interface PageRequest {
  readonly size: number
  /** Records to skip from the start of the list; 0 with a position. */
  readonly offset: number
  readonly after?: Position
  readonly before?: Position
  /** Whether to return the last records before `before` instead of the first after `after`. */
  readonly backward: boolean
}

/** A list to execute: its resource, credentials, filter, order and page. */
export interface ListRequest {
  readonly resource: Resource
  /** At least one credential. */
  readonly credentialIds: readonly string[]
  readonly filter: ListFilter
  readonly order: Order
  readonly page: PageRequest
}

/** The order of lists without `orderBy`: oldest first. */
export const defaultOrder: Order = [{ field: 'createdAt', isDescending: false }]

/**
 * Parses filter values by parameter name; undefined means that the parameter is absent. `customTypes`: the custom
 * fields of the list's credentials; undefined if the list cannot be filtered by them.
 * @throws INVALID_PARAMETER for an unknown parameter or an invalid value
 */
export const parseFilter = (
  resource: Resource,
  values: FilterValues,
  otherNames: readonly string[] = [],
  customTypes?: CustomTypes,
): ListFilter => {
  const { includeDeleted: _included, remoteDeleted: _deleted, ...others } = values
  const conditions = Object.entries(others).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (isCustomFilter(name)) return parseCustomFilter(name, value, customTypes)
    return [parseFilterValue(findParameter(resource, name, otherNames), value)]
  })
  return { conditions, deleted: parseDeleted(resource, values) }
}

const ORDER = /^([A-Za-z]\w*)(?::(asc|desc))?$/

/** The order by these fields; without any, the default one. @throws INVALID_PARAMETER */
export const orderOf = (terms: readonly OrderTerm[]): Order => {
  const [first, ...others] = terms
  if (first === undefined) return defaultOrder
  if (new Set(terms.map(({ field }) => field)).size < terms.length)
    throw invalidParameter('orderBy', 'each field at most once')
  if (terms.length > MAX_ORDER_FIELDS)
    throw invalidParameter('orderBy', `at most ${MAX_ORDER_FIELDS} fields`)
  return [first, ...others]
}

/** Parses an order such as `updatedAt` or `industry,updatedAt:desc`. @throws INVALID_PARAMETER */
export const parseOrder = (resource: Resource, orderBy: string | undefined): Order => {
  if (orderBy === undefined) return defaultOrder
  const terms = orderBy.split(',').map((text): OrderTerm => {
    const [, field, direction] = ORDER.exec(text) ?? []
    if (field === undefined || !orderFields(resource).includes(field))
      throw invalidParameter(
        'orderBy',
        `one or more of ${orderFields(resource).join(', ')}, separated by commas, each optionally followed by :asc or :desc`,
      )
    return { field, isDescending: direction === 'desc' }
  })
  return orderOf(terms)
}

/** Parses a whole number within bounds, from a text or a number. @throws INVALID_PARAMETER */
export const parseWhole = (name: string, input: unknown, min: number, max: number): number => {
  const text = String(input)
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw invalidParameter(name, `a whole number from ${min} to ${max}`)
}

/** The largest `maxStalenessSeconds`: a day. */
export const MAX_STALENESS_SECONDS = 86_400

/** Parses `maxStalenessSeconds`; undefined if it is absent. @throws INVALID_PARAMETER */
export const parseMaxStaleness = (
  seconds: string | number | null | undefined,
): number | undefined =>
  seconds == null ? undefined : parseWhole('maxStalenessSeconds', seconds, 0, MAX_STALENESS_SECONDS)

/** Parses the number of entries of a page; 50 by default. @throws INVALID_PARAMETER */
export const parsePageSize = (pageSize: string | number | null | undefined): number =>
  pageSize == null ? DEFAULT_PAGE_SIZE : parseWhole('pageSize', pageSize, 1, MAX_PAGE_SIZE)

/** The page parameters of a REST list. */
export interface PageParameters {
  readonly pageNumber?: string | undefined
  readonly pageSize?: string | undefined
  readonly cursor?: string | undefined
}

/** Parses the page parameters of REST. @throws INVALID_PARAMETER, INVALID_CURSOR */
export const parsePage = (
  resource: Resource,
  order: Order,
  { pageNumber, pageSize, cursor }: PageParameters,
): PageRequest => {
  const size = parsePageSize(pageSize)
  if (cursor !== undefined) {
    if (pageNumber !== undefined)
      throw invalidParameter('pageNumber', 'no value together with cursor')
    const after = decodeCursor(resource, order, cursor, 'cursor')
    return { size, offset: 0, after, backward: false }
  }
  const number =
    pageNumber === undefined ? 1 : parseWhole('pageNumber', pageNumber, 1, MAX_PAGE_NUMBER)
  return { size, offset: (number - 1) * size, backward: false }
}

/** The page arguments of a GraphQL list (Relay cursor connections). */
export interface ConnectionArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** Parses the page arguments of GraphQL. @throws INVALID_PARAMETER, INVALID_CURSOR */
export const parseConnection = (
  resource: Resource,
  order: Order,
  { first, after, last, before }: ConnectionArguments,
): PageRequest => {
  if (first != null && last != null) throw invalidParameter('last', 'no value together with first')
  const backward = last != null
  const size = backward
    ? parseWhole('last', last, 1, MAX_PAGE_SIZE)
    : first != null
      ? parseWhole('first', first, 1, MAX_PAGE_SIZE)
      : DEFAULT_PAGE_SIZE
  return {
    size,
    offset: 0,
    ...(after != null && { after: decodeCursor(resource, order, after, 'after') }),
    ...(before != null && { before: decodeCursor(resource, order, before, 'before') }),
    backward,
  }
}
