/** The parameters of the read operations, with the bounds that the query layer checks. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { commonFields, type Resource } from '../../src/definition/resource.ts'
import { orderFields } from '../../src/query/cursor.ts'
import {
  type FilterParameter,
  filterParameters,
  INT32_MAX,
  MAX_TEXT_LENGTH,
} from '../../src/query/filter.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_NUMBER, MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { CREDENTIAL_ID, exampleFilter, REMOTE_ID } from './examples.ts'
import { enumerationSchema, type JsonSchema, refTo, uuid } from './schemas.ts'

/** A parameter of an operation, or a reference to one in the components. */
export type Parameter = Readonly<Record<string, unknown>>

const inQuery = (
  name: string,
  description: string,
  schema: JsonSchema,
  example?: unknown,
): Parameter => ({
  ...{ name, in: 'query', description, schema },
  ...(example !== undefined && { example }),
})

const text: JsonSchema = { type: 'string', maxLength: MAX_TEXT_LENGTH }
const day: JsonSchema = { type: 'string', format: 'date' }
const dayOrInstant: JsonSchema = { anyOf: [day, { type: 'string', format: 'date-time' }] }

/** What a parameter takes; and what its reader must know of it beside its meaning. */
const filterValue = ({ kind, operator, definition }: FilterParameter): [JsonSchema, string?] => {
  if (definition.kind === 'enumeration') return [enumerationSchema(definition)]
  switch (kind) {
    case 'integer':
      return [{ type: 'integer', format: 'int32', minimum: -INT32_MAX, maximum: INT32_MAX }]
    case 'number':
    case 'decimal':
      return [{ type: 'number' }]
    case 'boolean':
      return [{ type: 'boolean' }]
    case 'date':
      if (operator === 'equals') return [day]
      return [dayOrInstant, 'A bare date stands for its whole day in UTC.']
    case 'timestamp':
      return [dayOrInstant, 'A bare date stands for its whole day in UTC.']
    case 'reference':
      return [{ ...text, minLength: 1 }, "The service's id or the app's."]
    default:
      return [text]
  }
}

const deletedRecords =
  'true: only the records that are deleted in the app. false, as without it: only the others.'

const filter = (
  catalogue: Catalogue,
  resource: Resource,
  parameter: FilterParameter,
): Parameter => {
  const [schema, note] = filterValue(parameter)
  const { name, field, definition } = parameter
  const value = exampleFilter(catalogue, resource, field, definition)
  const example =
    definition.kind === 'date'
      ? String(value).slice(0, 10)
      : definition.kind === 'decimal'
        ? Number(value)
        : value
  const doc = note === undefined ? parameter.doc : `${parameter.doc} ${note}`
  return inQuery(name, name === 'remoteDeleted' ? deletedRecords : doc, schema, example)
}

const orderBy = (resource: Resource): Parameter =>
  inQuery(
    'orderBy',
    'Field to order by, ties by id; records without a value come last.',
    {
      type: 'string',
      enum: orderFields(resource).flatMap((name) => [name, `${name}:asc`, `${name}:desc`]),
      default: 'createdAt',
    },
    'createdAt:desc',
  )

const shared: readonly Parameter[] = [
  {
    ...inQuery('credentialId', 'Credential of the app that is asked.', uuid, CREDENTIAL_ID),
    required: true,
  },
  // No default in the schema: programs that send defaults would send it beside a cursor, which is refused.
  inQuery(
    'pageNumber',
    'Page, counted from 1; 1 unless given. Not together with cursor.',
    { type: 'integer', minimum: 1, maximum: MAX_PAGE_NUMBER },
    1,
  ),
  inQuery(
    'pageSize',
    `Records a page, at most ${MAX_PAGE_SIZE}.`,
    { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
    MAX_PAGE_SIZE,
  ),
  // Without an example: a cursor is good for the list that gave it out.
  inQuery('cursor', 'Next-Cursor of the page before, with the same filters and order.', text),
  inQuery(
    'includeDeleted',
    'true: also the records that are deleted in the app.',
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
    'Names the request: sent again with the same key, within 24 hours, it is answered the same and done once.',
    { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
    'c1f7a3d0-93b2-4e57-8a6c-2d40b91e7f35',
  ),
  inHeader(
    'If-Match',
    'The ETag of the record as it was read: one that has changed since is a WRITE_CONFLICT.',
    { type: 'string' },
    '"2026-03-02T09:30:00.000Z"',
  ),
]

const isCommon = ({ field }: FilterParameter): boolean => field in commonFields

/** Where a parameter stands in the components: those of one resource under its type's name. */
const componentName = (resource: Resource, parameter: FilterParameter): string =>
  isCommon(parameter) ? parameter.name : `${resource.typeName}.${parameter.name}`

const orderName = ({ typeName }: Resource): string => `${typeName}.orderBy`

/** The parameters of all lists, each once, by the name that operations refer to them by. */
export const parameterComponents = (catalogue: Catalogue): Readonly<Record<string, Parameter>> => {
  const named = new Map(
    [...shared, ...headers].map((parameter) => [String(parameter.name), parameter]),
  )
  for (const resource of catalogue.resources) {
    named.set(orderName(resource), orderBy(resource))
    for (const parameter of filterParameters(resource).values())
      named.set(componentName(resource, parameter), filter(catalogue, resource, parameter))
  }
  return Object.fromEntries(named)
}

const byName = (...names: readonly string[]): Parameter[] =>
  names.map((name) => refTo('parameters', name))

/** The identifier of a record in a path. */
export const inPath = (name: string, of: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: `Identifier of the ${of}: the service's id or the app's.`,
  schema: { type: 'string', minLength: 1 },
  example: REMOTE_ID,
})

/** `filled`: the reference that the path fills in, which is no parameter of the query then. */
const filters = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...[...filterParameters(resource).values()]
    .filter(({ name }) => name !== filled)
    .map((parameter) => refTo('parameters', componentName(resource, parameter))),
  refTo('parameters', 'includeDeleted'),
]

export const listQuery = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...byName('credentialId', 'pageNumber', 'pageSize', 'cursor'),
  refTo('parameters', orderName(resource)),
  ...filters(resource, filled),
]

export const countQuery = (resource: Resource, filled: string | undefined): Parameter[] => [
  ...byName('credentialId'),
  ...filters(resource, filled),
]

export const getQuery: readonly Parameter[] = byName('credentialId')
