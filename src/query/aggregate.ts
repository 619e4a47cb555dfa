/** Aggregates of records: what they can be grouped by and what can be computed, from the kinds of the fields. */
import { uuidColumn } from '../definition/kinds/column.ts'
import { type Grouping, groupingsOf } from '../definition/kinds/grouping.ts'
import { nearest } from '../definition/nearest.ts'
import { type Resource, snakeCase } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import { memoize } from '../memoize.ts'
import type { ListRequest } from './list-request.ts'

/** Groups in one result. More are an error, because a part of them would look like the whole. */
export const MAX_GROUPS = 1000
/** Keys of one group. */
export const MAX_GROUP_KEYS = 5

/** A grouping key of a resource. */
export interface GroupKey extends Grouping {
  /** `currency`, `issueDateMonth`. */
  readonly name: string
  /** The name of the column. */
  readonly column: string
}

/** What is computed of each numeric field; `count` is always returned. */
export const aggregateFunctions = ['sum', 'avg', 'min', 'max'] as const
export type AggregateFunction = (typeof aggregateFunctions)[number]

/** A function of a numeric field. In REST, its name is its path in the result: `sum.totalAmount`. */
export interface Measure {
  readonly of: AggregateFunction
  readonly field: string
}

/** An aggregate to execute. */
export interface AggregateRequest
  extends Pick<ListRequest, 'resource' | 'credentialIds' | 'filter'> {
  /** All records are one group if it is empty. */
  readonly groupBy: readonly GroupKey[]
  readonly measures: readonly Measure[]
}

const credentialKey: GroupKey = {
  name: 'credentialId',
  column: 'credential_id',
  suffix: '',
  doc: 'The credential of the records.',
  graphql: { scalar: 'ID' },
  jsonSchema: { type: 'string', format: 'uuid' },
  sql: (column) => column,
  jsonText: uuidColumn.jsonText,
}

/** The keys of a resource's groups, by name, in the order of its fields. */
export const groupKeys = memoize((resource: Resource): ReadonlyMap<string, GroupKey> => {
  const keys = Object.entries(resource.allFields).flatMap(([field, definition]) =>
    // Each record has its own id in the app.
    field === 'remoteId'
      ? []
      : groupingsOf(definition).map((grouping): GroupKey => {
          const doc = `${definition.doc.replace(/\.$/, '')}: ${grouping.doc}.`
          return { ...grouping, name: field + grouping.suffix, column: snakeCase(field), doc }
        }),
  )
  return new Map([credentialKey, ...keys].map((key) => [key.name, key]))
})

/** The numeric fields of a resource. */
export const measuredFields = memoize((resource: Resource): readonly string[] =>
  Object.entries(resource.allFields).flatMap(([name, { kind }]) => (kind.isMeasured ? [name] : [])),
)

/** Parses the names of keys. @throws INVALID_PARAMETER */
export const parseGroupBy = (resource: Resource, names: readonly string[]): readonly GroupKey[] => {
  if (names.length > MAX_GROUP_KEYS)
    throw invalidParameter('groupBy', `at most ${MAX_GROUP_KEYS} keys`)
  const keys = groupKeys(resource)
  return names.map((name, index) => {
    const key = keys.get(name)
    if (!key) throw invalidParameter('groupBy', `known keys, such as ${nearest(name, keys.keys())}`)
    const first = names.indexOf(name)
    if (first < index)
      throw invalidParameter(`groupBy[${index}]`, `another key than that of groupBy[${first}]`)
    return key
  })
}

/** Parses the names of measures, such as `sum.totalAmount`. @throws INVALID_PARAMETER */
export const parseMeasures = (resource: Resource, names: readonly string[]): readonly Measure[] => {
  const measures: ReadonlyMap<string, Measure> = new Map(
    aggregateFunctions.flatMap((of) =>
      measuredFields(resource).map((field) => [`${of}.${field}`, { of, field }] as const),
    ),
  )
  return [...new Set(names)].map((name) => {
    const measure = measures.get(name)
    if (measure) return measure
    const near = nearest(name, measures.keys())
    throw invalidParameter(
      'measures',
      near === undefined
        ? 'no value, because the records have no numeric fields'
        : `known measures, such as ${near}`,
    )
  })
}

/** The error for more groups than a result holds. */
export const tooManyGroups = (): Error =>
  invalidParameter(
    'groupBy',
    `keys with at most ${MAX_GROUPS} groups; filter the records or group them by fewer keys`,
  )
