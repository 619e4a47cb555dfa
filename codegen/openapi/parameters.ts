/** The parameters of the record operations, with the limits that the query layer enforces. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { MAX_TEXT_LENGTH } from '../../src/definition/kinds/limits.ts'
import { commonFields, type Resource } from '../../src/definition/resource.ts'
import {
  aggregateFunctions,
  groupKeys,
  MAX_GROUP_KEYS,
  MAX_GROUPS,
  measuredFields,
} from '../../src/query/aggregate.ts'
import { MAX_ORDER_FIELDS, orderFields } from '../../src/query/cursor.ts'
import { type FilterParameter, filterParameters } from '../../src/query/filter.ts'
import {
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_NUMBER,
  MAX_PAGE_SIZE,
  MAX_STALENESS_SECONDS,
} from '../../src/query/list-request.ts'
import { CREDENTIAL_ID, exampleFilter, REMOTE_ID } from './examples.ts'
import { type JsonSchema, refTo, uuid } from './schemas.ts'

/** A parameter of an operation, or a `$ref` to a component. */
export type Parameter = Readonly<Record<string, unknown>>

const inQuery = (
  name: string,
  description: string,
  schema: JsonSchema,
  example?: unknown,
): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...(example !== undefined && { example }),
})

const text: JsonSchema = { type: 'string', maxLength: MAX_TEXT_LENGTH }
const deletedRecords =
  'true: return only records that are deleted in the app. false (default): return only the others.'

const severalValues = String.raw`Separated by commas; a comma in a value is written \,.`

const filter = (
  catalogue: Catalogue,
  resource: Resource,
  parameter: FilterParameter,
): Parameter => {
  const { name, type } = parameter
  const { jsonSchema, isList, note } = type
  const example = exampleFilter(catalogue, resource, parameter)
  const doc = [parameter.doc, note, isList && severalValues].filter(Boolean).join(' ')
  return {
    ...inQuery(name, name === 'remoteDeleted' ? deletedRecords : doc, jsonSchema, example),
    ...(isList && { style: 'form', explode: false }),
  }
}

const orderBy = (resource: Resource): Parameter => ({
  ...inQuery(
    'orderBy',
    'Fields to sort by, separated by commas, with the id as tie-breaker. Records without a value come last.',
    {
      type: 'array',
      items: {
        type: 'string',
        enum: orderFields(resource).flatMap((name) => [name, `${name}:asc`, `${name}:desc`]),
      },
      maxItems: MAX_ORDER_FIELDS,
      default: ['createdAt'],
    },
    ['createdAt:desc'],
  ),
  style: 'form',
  explode: false,
})

/** A parameter with several of these words. */
const wordsInQuery = (
  name: string,
  description: string,
  { words, maxItems }: { readonly words: readonly string[]; readonly maxItems?: number },
): Parameter => ({
  ...inQuery(
    name,
    description,
    { type: 'array', items: { type: 'string', enum: words }, ...(maxItems && { maxItems }) },
    words.slice(0, 1),
  ),
  style: 'form',
  explode: false,
})

/** The parameters of an aggregate of a resource that are not filters. */
const aggregateParameters = (resource: Resource): Parameter[] => {
  const measures = aggregateFunctions.flatMap((of) =>
    measuredFields(resource).map((field) => `${of}.${field}`),
  )
  return [
    wordsInQuery(
      'groupBy',
      `The keys of the groups, separated by commas. Without keys, one group has all records. At most ${MAX_GROUPS} groups.`,
      { words: [...groupKeys(resource).keys()], maxItems: MAX_GROUP_KEYS },
    ),
    ...(measures.length === 0
      ? []
      : [
          wordsInQuery(
            'measures',
            'What is computed for each group in addition to the number of records, separated by commas.',
            { words: measures },
          ),
        ]),
  ]
}

const shared: readonly Parameter[] = [
  {
    ...inQuery(
      'credentialId',
      'Id of the credential whose records are requested.',
      uuid,
      CREDENTIAL_ID,
    ),
    required: true,
  },
  // No default in the schema: clients that send defaults would combine it with a cursor, which is an error.
  inQuery(
    'pageNumber',
    'Number of the page, starting at 1 (default). Cannot be combined with cursor.',
    { type: 'integer', minimum: 1, maximum: MAX_PAGE_NUMBER },
    1,
  ),
  inQuery(
    'pageSize',
    `Records per page, at most ${MAX_PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
    MAX_PAGE_SIZE,
  ),
  // No example: a cursor is valid only for the list that returned it.
  inQuery(
    'cursor',
    'The Next-Cursor header of the previous page. Keep the same filters and order.',
    text,
  ),
  inQuery(
    'maxStalenessSeconds',
    'If the last completed sync of the resource started longer ago, waits up to 5 s for another one, unless the sync is paused or fails. The response has the header Synced-At.',
    { type: 'integer', minimum: 0, maximum: MAX_STALENESS_SECONDS },
    60,
  ),
  inQuery(
    'includeDeleted',
    'true: include records that are deleted in the app.',
    { type: 'boolean', default: false },
    true,
  ),
]

const inHeader = (
  name: string,
  description: string,
  schema: JsonSchema,
  example: string,
): Parameter => ({ name, in: 'header', description, schema, example })

const headers: readonly Parameter[] = [
  inHeader(
    'Idempotency-Key',
    'Unique key of the request. A retry with the same key within 24 hours does not write again and returns the original response.',
    { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    'c1f7a3d0-93b2-4e57-8a6c-2d40b91e7f35',
  ),
  inHeader(
    'If-Match',
    'The ETag of the record. If the record has changed since, the request fails with WRITE_CONFLICT.',
    { type: 'string' },
    '"2026-03-02T09:30:00.000Z"',
  ),
]

const isCommon = ({ field }: FilterParameter): boolean => field in commonFields

/** The component name of a parameter; for the own fields of a resource, prefixed with its type name. */
const componentName = (resource: Resource, parameter: FilterParameter): string =>
  isCommon(parameter) ? parameter.name : `${resource.typeName}.${parameter.name}`

const orderName = ({ typeName }: Resource): string => `${typeName}.orderBy`

/** The parameter components, by name. */
export const parameterComponents = (catalogue: Catalogue): Readonly<Record<string, Parameter>> => {
  const named = new Map(
    [...shared, ...headers].map((parameter) => [String(parameter.name), parameter]),
  )
  for (const resource of catalogue.resources) {
    named.set(orderName(resource), orderBy(resource))
    for (const parameter of aggregateParameters(resource))
      named.set(`${resource.typeName}.${parameter.name}`, parameter)
    for (const parameter of filterParameters(resource).values())
      named.set(componentName(resource, parameter), filter(catalogue, resource, parameter))
  }
  return Object.fromEntries(named)
}

const referToParameters = (...names: readonly string[]): Parameter[] =>
  names.map((name) => refTo('parameters', name))

/** The path parameter with the id of a record. */
export const inPath = (name: string, of: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: `Id of the ${of}: the service's id or the app's.`,
  schema: { type: 'string', minLength: 1 },
  example: REMOTE_ID,
})

/** The filters of a resource. `filled` is the reference that the path sets, so it is not a query parameter. */
const filters = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...[...filterParameters(resource).values()]
    .filter(({ name }) => name !== filled)
    .map((parameter) => refTo('parameters', componentName(resource, parameter))),
  refTo('parameters', 'includeDeleted'),
]

export const listQuery = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...referToParameters('credentialId', 'pageNumber', 'pageSize', 'cursor', 'maxStalenessSeconds'),
  refTo('parameters', orderName(resource)),
  ...filters(resource, filled),
]

export const countQuery = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...referToParameters('credentialId', 'maxStalenessSeconds'),
  ...filters(resource, filled),
]

export const aggregateQuery = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...referToParameters('credentialId'),
  ...aggregateParameters(resource).map(({ name }) =>
    refTo('parameters', `${resource.typeName}.${name}`),
  ),
  ...filters(resource, filled),
]

export const getQuery: readonly Parameter[] = referToParameters(
  'credentialId',
  'maxStalenessSeconds',
)
