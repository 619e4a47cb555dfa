/** A list, asked for: the one form that REST and GraphQL questions take before the store sees them. */
import { nearest } from '../definition/catalogue.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { decodeCursor, type Order, orderFields, type Position } from './cursor.ts'
import { type FilterTerm, filterParameters, parseFilterValue } from './filter.ts'

// What the API promises of each of its pages: 1 to 100 entries, 50 unless asked otherwise.
export const DEFAULT_PAGE_SIZE = 50
export const MAX_PAGE_SIZE = 100
export const MAX_PAGE_NUMBER = 10_000_000

/** Which of the records that are deleted in the app belong to the list. */
export type DeletedRecords = 'left-out' | 'included' | 'alone'

export interface ListFilter {
  readonly terms: readonly FilterTerm[]
  readonly deleted: DeletedRecords
}

export interface ListPage {
  readonly size: number
  /** Records skipped from the start of the list; only where no position is given. */
  readonly offset: number
  readonly after?: Position
  readonly before?: Position
  /** Take the last records before `before`, not the first after `after`. */
  readonly backward: boolean
}

export interface ListRequest {
  readonly resource: Resource
  /** 1 or more credentials. */
  readonly credentialIds: readonly string[]
  readonly filter: ListFilter
  readonly order: Order
  readonly page: ListPage
}

export const defaultOrder: Order = { field: 'createdAt', descending: false }

/**
 * The filter that a caller's values mean, by parameter name; null and undefined stand for "not given".
 * @throws INVALID_PARAMETER for a name that the resource does not offer, or a value that does not fit it
 */
export const parseFilter = (
  resource: Resource,
  given: Readonly<Record<string, unknown>>,
  otherNames: readonly string[] = [],
): ListFilter => {
  const parameters = filterParameters(resource)
  const terms: FilterTerm[] = []
  let included = false
  let alone: boolean | undefined
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    if (name === 'includeDeleted') {
      if (!/^(true|false)$/.test(String(value))) throw invalidParameter(name, 'true or false')
      included = String(value) === 'true'
      continue
    }
    const parameter = parameters.get(name)
    if (parameter === undefined) {
      const known = [...otherNames, 'includeDeleted', ...parameters.keys()]
      throw new ApiError('INVALID_PARAMETER', `${name} is not a parameter of this list.`, [
        {
          field: name,
          expected: `a known parameter, such as ${nearest(name.slice(0, 64), known)}`,
        },
      ])
    }
    const term = parseFilterValue(parameter, value)
    if (name === 'remoteDeleted') alone = term.value === true
    else terms.push(term)
  }
  // `remoteDeleted` says which are wanted, whatever else is allowed in.
  const deleted =
    alone === true ? 'alone' : included && alone === undefined ? 'included' : 'left-out'
  return { terms, deleted }
}

const ORDER = /^([A-Za-z]\w*)(?::(asc|desc))?$/

/** The order that `updatedAt` or `updatedAt:desc` means. @throws INVALID_PARAMETER */
export const parseOrder = (resource: Resource, given: string | undefined): Order => {
  if (given === undefined) return defaultOrder
  const [, field, direction] = ORDER.exec(given) ?? []
  if (field === undefined || !orderFields(resource).includes(field))
    throw invalidParameter(
      'orderBy',
      `a field, perhaps with :desc after it, among ${orderFields(resource).join(', ')}`,
    )
  return { field, descending: direction === 'desc' }
}

/** A whole number within bounds, from text or a number. @throws INVALID_PARAMETER */
export const parseWhole = (name: string, given: unknown, min: number, max: number): number => {
  const text = String(given)
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw invalidParameter(name, `a whole number from ${min} to ${max}`)
}

/** How many entries a page is to have. @throws INVALID_PARAMETER */
export const parsePageSize = (given: string | number | null | undefined): number =>
  given == null ? DEFAULT_PAGE_SIZE : parseWhole('pageSize', given, 1, MAX_PAGE_SIZE)

/** What a REST caller may say of the page. */
export interface PageParameters {
  readonly pageNumber?: string | undefined
  readonly pageSize?: string | undefined
  readonly cursor?: string | undefined
}

/** @throws INVALID_PARAMETER, INVALID_CURSOR */
export const parsePage = (
  resource: Resource,
  order: Order,
  { pageNumber, pageSize, cursor }: PageParameters,
): ListPage => {
  const size = parsePageSize(pageSize)
  if (cursor !== undefined) {
    if (pageNumber !== undefined) throw invalidParameter('pageNumber', 'no value beside cursor')
    const after = decodeCursor(resource, order, cursor, 'cursor')
    return { size, offset: 0, after, backward: false }
  }
  const number =
    pageNumber === undefined ? 1 : parseWhole('pageNumber', pageNumber, 1, MAX_PAGE_NUMBER)
  return { size, offset: (number - 1) * size, backward: false }
}

/** What a GraphQL caller may say of the page (Relay cursor connections). */
export interface ConnectionArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** @throws INVALID_PARAMETER, INVALID_CURSOR */
export const parseConnection = (
  resource: Resource,
  order: Order,
  { first, after, last, before }: ConnectionArguments,
): ListPage => {
  if (first != null && last != null) throw invalidParameter('last', 'no value beside first')
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
