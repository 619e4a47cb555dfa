/** The GraphQL fields that aggregate records: counts, sums, averages and bounds of groups of records. */
import type { QueryFieldBuilder } from '@pothos/core'
import {
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity'
import type { Catalogue } from '../../definition/catalogue.ts'
import { type Resource, snakeCase } from '../../definition/resource.ts'
import { invalidParameter } from '../../errors.ts'
import {
  type AggregateFunction,
  aggregateFunctions,
  groupKeys,
  MAX_GROUP_KEYS,
  MAX_GROUPS,
  measuredFields,
  parseGroupBy,
  parseMeasures,
} from '../../query/aggregate.ts'
import { aggregateRecords } from '../../store/records/aggregates.ts'
import type { Builder } from './builder.ts'
import { type Enums, enumValues } from './enums.ts'
import type { FilterType } from './filter-types.ts'
import { scopeArguments } from './inputs.ts'
import { type SelectionContext, selectedFields } from './plan/selection.ts'
import { readListRequest } from './record-requests.ts'

type Types = Builder['$inferSchemaTypes']
type Values = Readonly<Record<string, unknown>>

/** The source value of a group: its parsed JSON. */
interface Group extends Readonly<Partial<Record<AggregateFunction, Values>>> {
  readonly key: Values
  readonly count: number
}

/** The cost of an aggregate: without keys, it returns one group. */
const aggregateCost = ({ args, childComplexity }: ComplexityEstimatorArgs): number =>
  1 + (args.groupBy == null ? 1 : MAX_GROUPS) * childComplexity

/** The paths of the values that selections of a type request: `count`, `key.currency`, `sum.totalAmount`. */
const pathsIn = (
  context: SelectionContext,
  type: GraphQLOutputType,
  sets: readonly SelectionSetNode[],
): readonly string[] => {
  const object = getNamedType(type)
  if (!isObjectType(object)) return []
  const fields = object.getFields()
  return selectedFields(context, object, sets).flatMap(({ name, selectionSets }) => {
    const field = fields[name]
    if (!field) return [] // __typename
    if (isLeafType(getNamedType(field.type))) return [name]
    return pathsIn(context, field.type, selectionSets).map((path) => `${name}.${path}`)
  })
}

/** The paths of the values that an operation requests of each group. */
const selectedPaths = (info: GraphQLResolveInfo): readonly string[] => {
  const { schema, fragments, variableValues: variables, parentType, fieldNodes } = info
  const context = { schema, variables, fragments: new Map(Object.entries(fragments)) }
  const set: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: fieldNodes }
  return selectedFields(context, parentType, [set]).flatMap(({ selectionSets }) =>
    pathsIn(context, info.returnType, selectionSets),
  )
}

const isMeasure = (path: string): boolean =>
  aggregateFunctions.some((of) => path.startsWith(`${of}.`))

/**
 * Checks that records are grouped by the selected keys: null would mean that a group has no value.
 * @throws INVALID_PARAMETER
 */
const checkSelectedKeys = (paths: readonly string[], groupBy: readonly string[]): void => {
  for (const path of paths) {
    const [part, name = ''] = path.split('.')
    if (part !== 'key' || groupBy.includes(name)) continue
    const missing = snakeCase(name).toUpperCase()
    throw invalidParameter('groupBy', `${missing} too, because ${path} is selected`)
  }
}

const functionDocs: Readonly<Record<AggregateFunction, string>> = {
  sum: 'Exact sums.',
  avg: 'Averages, with at least 16 significant digits.',
  min: 'The least values.',
  max: 'The greatest values.',
}

/** The parts of the schema that aggregates use. */
export interface AggregateParts {
  readonly builder: Builder
  readonly enums: Enums
  readonly catalogue: Catalogue
  filterOf(resource: Resource): FilterType
}

/** Creates the aggregate field of each resource. */
export const createAggregateFields = ({ builder, enums, catalogue, filterOf }: AggregateParts) => {
  const keyType = (resource: Resource) =>
    builder.objectRef<Values>(`${resource.typeName}GroupKey`).implement({
      description: `What the ${resource.plural} of a group have in common. Null if they have no value. A selected key must be in \`groupBy\`.`,
      fields: (t) =>
        Object.fromEntries(
          [...groupKeys(resource).values()].map(({ name, suffix, doc, graphql }) => {
            if ('shape' in graphql) throw new TypeError(`${name} groups records by objects.`)
            const place = {
              typeName: resource.typeName,
              recordName: resource.name,
              fieldName: suffix === '' ? name : name.slice(0, -suffix.length),
            }
            const type = 'scalar' in graphql ? graphql.scalar : enums(place, graphql.enumeration)
            return [
              name,
              t.field({
                type,
                description: doc,
                // PostgreSQL built the JSON of the key from the field's column.
                resolve: (key): never => (key[name] ?? null) as never,
              }),
            ]
          }),
        ),
    })

  const measuresType = (resource: Resource) =>
    builder.objectRef<Values>(`${resource.typeName}Measures`).implement({
      description: `A function of the numbers of ${resource.plural}; null if no record has a value.`,
      fields: (t) =>
        Object.fromEntries(
          measuredFields(resource).map((name) => [
            name,
            t.field({
              type: 'Decimal',
              description: resource.allFields[name]?.doc ?? '',
              resolve: (values): string | null => (values[name] ?? null) as string | null,
            }),
          ]),
        ),
    })

  const groupType = (resource: Resource) => {
    const key = keyType(resource)
    const measures = measuredFields(resource).length > 0 ? measuresType(resource) : undefined
    return builder.objectRef<Group>(`${resource.typeName}Group`).implement({
      description: `A group of ${resource.plural}.`,
      fields: (t) => ({
        key: t.field({
          type: key,
          nullable: false,
          description: 'The values of the keys in `groupBy`.',
          resolve: (group) => group.key,
        }),
        count: t.int({
          nullable: false,
          description: 'The number of records.',
          resolve: ({ count }) => count,
        }),
        ...(measures &&
          Object.fromEntries(
            aggregateFunctions.map((of) => [
              of,
              t.field({
                type: measures,
                nullable: false,
                description: functionDocs[of],
                resolve: (group) => group[of] ?? {},
              }),
            ]),
          )),
      }),
    })
  }

  const groupByType = (resource: Resource) =>
    builder.enumType(`${resource.typeName}GroupBy`, {
      description: `What ${resource.plural} can be grouped by.`,
      values: enumValues(
        Object.fromEntries([...groupKeys(resource).values()].map(({ name, doc }) => [name, doc])),
      ),
    })

  return (t: QueryFieldBuilder<Types, object>) =>
    Object.fromEntries(
      catalogue.resources.map((resource) => [
        `${resource.listField}Aggregate`,
        t.field({
          type: [groupType(resource)],
          description: `Counts, sums, averages and bounds of the ${resource.plural} of one credential, of several, or of all credentials of an end user. Without groupBy, one group has all records. At most ${MAX_GROUPS} groups; more are an error.`,
          extensions: { complexity: aggregateCost },
          args: {
            ...scopeArguments(t.arg),
            filter: t.arg({
              type: filterOf(resource),
              description: 'Only records that match this filter.',
            }),
            groupBy: t.arg({
              type: [groupByType(resource)],
              description: `At most ${MAX_GROUP_KEYS} different keys. The groups are in their order.`,
            }),
          },
          resolve: async (_root, { groupBy, ...args }, context, info) => {
            const names = groupBy ?? []
            const keys = parseGroupBy(resource, names)
            const selected = selectedPaths(info)
            checkSelectedKeys(selected, names)
            const request = await readListRequest(context, resource, args)
            const { groups } = await aggregateRecords(context.database, {
              ...request,
              groupBy: keys,
              measures: parseMeasures(resource, selected.filter(isMeasure)),
            })
            return groups.map((group) => JSON.parse(group) as Group)
          },
        }),
      ]),
    )
}
