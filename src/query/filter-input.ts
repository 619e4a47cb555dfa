/** Parses the filter input of GraphQL: parameters, combinations of filters, and filters of linked records. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Resource } from '../definition/resource.ts'
import { formatPath } from '../definition/value.ts'
import { invalidParameter } from '../errors.ts'
import { type CustomTypes, isCustomFilter, parseCustomFilter } from './custom-filter.ts'
import {
  type FilterCondition,
  type FilterTerm,
  type FilterValues,
  findParameter,
  type GroupForm,
  type LinkCondition,
  type ListFilter,
  parseDeleted,
  parseFilterValue,
  type Quantifier,
} from './filter.ts'
import { type FilterLink, filterLinks } from './filter-links.ts'

/** Conditions in one filter, including those of its nested filters. */
export const MAX_FILTER_CONDITIONS = 100
/** Values in one filter, of all its conditions. */
export const MAX_INPUT_VALUES = 500
/** Levels of nested filters. */
export const MAX_FILTER_LEVELS = 5

/** The fields that combine filters. */
export const groupForms = ['and', 'or', 'not'] as const satisfies readonly GroupForm[]
/** The fields of a filter of several linked records. */
export const listQuantifiers = ['some', 'every', 'none'] as const satisfies readonly Quantifier[]

export interface FilterInputOptions {
  readonly catalogue: Catalogue
  /** Whether conditions on linked records are accepted: by lists, not by subscriptions. */
  readonly acceptsLinks: boolean
  /** The custom fields of the list's credentials; undefined if the list cannot be filtered by them. */
  readonly customTypes?: CustomTypes | undefined
}

type Path = readonly (string | number)[]

/** The place of a filter in the input. */
interface Place {
  readonly resource: Resource
  readonly path: Path
  readonly level: number
}

/** Parses a filter input. @throws INVALID_PARAMETER naming the field by its path, `or[1].account.industry` */
export const parseFilterInput = (
  { catalogue, acceptsLinks, customTypes }: FilterInputOptions,
  resource: Resource,
  input: FilterValues,
): ListFilter => {
  let count = 0
  let values = 0

  const countCondition = (path: Path): void => {
    count += 1
    if (count > MAX_FILTER_CONDITIONS)
      throw invalidParameter(
        formatPath(path),
        `at most ${MAX_FILTER_CONDITIONS} conditions in one filter`,
      )
  }

  const countValues = (term: FilterTerm, path: Path): FilterTerm => {
    values += term.values.length
    // An id is computed from each value for each credential.
    if (values > MAX_INPUT_VALUES)
      throw invalidParameter(formatPath(path), `at most ${MAX_INPUT_VALUES} values in one filter`)
    return term
  }

  const parseTerm = (name: string, value: unknown, { resource: of, path }: Place): FilterTerm =>
    countValues(
      parseFilterValue(findParameter(of, name, groupForms), value, formatPath(path)),
      path,
    )

  const parseCustom = (value: unknown, { path, level }: Place): FilterTerm[] =>
    parseCustomFilter(formatPath(path), value, level === 0 ? customTypes : undefined).map(
      (term) => {
        countCondition(path)
        return countValues(term, path)
      },
    )

  /** A nested filter as an object. */
  const nested = (value: unknown, path: Path, level: number): FilterValues => {
    if (value === null) throw invalidParameter(formatPath(path), 'a filter')
    if (level > MAX_FILTER_LEVELS)
      throw invalidParameter(formatPath(path), `at most ${MAX_FILTER_LEVELS} levels of filters`)
    // Safe: GraphQL has checked the type of the input.
    return value as FilterValues
  }

  /** The conditions of a nested filter, which has no choice of deleted records. */
  const parseNested = (value: unknown, place: Place): readonly FilterCondition[] => {
    const { includeDeleted, ...conditions } = nested(value, place.path, place.level)
    if (includeDeleted != null)
      throw invalidParameter(
        formatPath([...place.path, 'includeDeleted']),
        'no value here; set it in the filter of the list',
      )
    return parseConditions(conditions, place)
  }

  const parseGroup = (form: GroupForm, value: unknown, place: Place): FilterCondition => {
    const { resource: of, path, level } = place
    if (form === 'not') {
      const conditions = parseNested(value, { resource: of, path, level: level + 1 })
      if (conditions.length > 0) return { form, conditions }
      throw invalidParameter(formatPath(path), 'a filter with a condition')
    }
    const filters = Array.isArray(value) ? value : []
    if (filters.length === 0) throw invalidParameter(formatPath(path), 'at least one filter')
    const members = filters.map((filter, index): FilterCondition => {
      const at = [...path, index]
      const conditions = parseNested(filter, { resource: of, path: at, level: level + 1 })
      // Without a condition, for example because its variables are absent, it would select everything.
      const [only] = conditions
      if (!only) throw invalidParameter(formatPath(at), 'a filter with a condition')
      return conditions.length === 1 ? only : { form: 'and', conditions }
    })
    return { form, conditions: members }
  }

  const parseLink = (link: FilterLink, value: unknown, place: Place): FilterCondition => {
    const { path, level } = place
    if (!acceptsLinks)
      throw invalidParameter(
        formatPath(path),
        'no filter of linked records in a subscription, which reads each change alone',
      )
    const below = { resource: link.to, level: level + 1 }
    if (!link.isList) {
      const conditions = parseNested(value, { ...below, path })
      return { form: 'link', link, quantifier: 'one', conditions, deleted: 'included' }
    }
    const filters = nested(value, path, level)
    const conditions = listQuantifiers.flatMap((quantifier): LinkCondition[] => {
      const filter = filters[quantifier]
      if (filter === undefined) return []
      const at = [...path, quantifier]
      const list = parseList(nested(filter, at, level + 1), { ...below, path: at })
      return [{ form: 'link', link, quantifier, ...list }]
    })
    const [only] = conditions
    if (!only) throw invalidParameter(formatPath(path), `one of ${listQuantifiers.join(', ')}`)
    return conditions.length === 1 ? only : { form: 'and', conditions }
  }

  const parseConditions = (filter: FilterValues, place: Place): readonly FilterCondition[] => {
    const links = filterLinks(catalogue).get(place.resource)
    return Object.entries(filter).flatMap(([name, value]): FilterCondition[] => {
      if (value === undefined) return []
      const path = [...place.path, name]
      countCondition(path)
      const form = groupForms.find((group) => group === name)
      if (form) return [parseGroup(form, value, { ...place, path })]
      const link = links?.get(name)
      if (link) return [parseLink(link, value, { ...place, path })]
      if (isCustomFilter(name)) return parseCustom(value, { ...place, path })
      return [parseTerm(name, value, { ...place, path })]
    })
  }

  const parseList = (filter: FilterValues, place: Place): ListFilter => {
    const { includeDeleted: _included, remoteDeleted: _deleted, ...conditions } = filter
    const pathOf = (name: string): string => formatPath([...place.path, name])
    return {
      conditions: parseConditions(conditions, place),
      deleted: parseDeleted(place.resource, filter, pathOf),
    }
  }

  return parseList(input, { resource, path: [], level: 0 })
}
