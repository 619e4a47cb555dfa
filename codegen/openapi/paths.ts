/** The OpenAPI paths: the operations of every resource, the other operations and the health checks. */
import { type ResourcePath, resourcePaths } from '../../src/api/rest/paths.ts'
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { pascalCase, type Resource } from '../../src/definition/resource.ts'
import { MAX_GROUPS } from '../../src/query/aggregate.ts'
import { MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { failures, failuresOf, readCodes } from './failures.ts'
import { inWords, withArticle } from './in-words.ts'
import { operationPaths, operationTags } from './operations.ts'
import { aggregateQuery, countQuery, getQuery, inPath, listQuery } from './parameters.ts'
import { recordWrites } from './record-writes.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'
import { successResponse } from './success-response.ts'

type Operation = Readonly<Record<string, unknown>>
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const categoryNames = { accounting: 'Accounting', crm: 'CRM', commerce: 'Commerce' } as const

const tagOf = ({ category, plural }: Resource): string =>
  `${categoryNames[category]}: ${inWords(plural)}`

const SERVICE_TAG = 'Service'

/** The tag groups, for viewers that support `x-tagGroups`. */
export const tagGroups = ({ resources }: Catalogue): readonly JsonSchema[] => [
  ...Object.entries(categoryNames).map(([category, name]) => ({
    name,
    tags: resources.filter((resource) => resource.category === category).map(tagOf),
  })),
  { name: 'Platform', tags: [...operationTags.map(({ name }) => name), SERVICE_TAG] },
]

/** The tags: one for each resource, those of the operations, and one for the service. */
export const tags = ({ resources }: Catalogue): readonly JsonSchema[] => [
  ...resources.map((resource) => ({ name: tagOf(resource), description: resource.doc })),
  ...operationTags,
  { name: SERVICE_TAG, description: 'Health checks of the service.' },
]

const recordPaths = (catalogue: Catalogue, resource: Resource, place: ResourcePath): Paths => {
  const { typeName, name, plural, category } = resource
  const record = refTo('schemas', typeName)
  const reference = resource.fields[place.parent ?? '']?.kind.reference
  const parent = reference && catalogue.get(reference.target)
  const suffix = parent === undefined ? '' : `Of${pascalCase(parent.name)}`
  const of = parent === undefined ? '' : ` of ${withArticle(inWords(parent.name))}`
  const words = inWords(plural)
  const path = place.path.replace(/:(\w+)/g, '{$1}')
  const above = parent === undefined || !place.parent ? [] : [inPath(place.parent, parent.name)]
  const tagged = { tags: [tagOf(resource)] }
  const writes = recordWrites(resource, { ...tagged, suffix, of, above })
  const list = {
    operationId: `list${pascalCase(category)}${pascalCase(plural)}${suffix}`,
    summary: `List ${words}${of}`,
    description: `Returns one page of the ${words}, oldest first unless orderBy is set.`,
    ...tagged,
    parameters: [...above, ...listQuery(resource, place.parent)],
    responses: {
      200: successResponse(
        `A page of ${words}.`,
        closedObject({ [plural]: { type: 'array', maxItems: MAX_PAGE_SIZE, items: record } }),
        ['Next-Cursor', 'Link', 'Synced-At'],
      ),
      ...failuresOf(readCodes),
    },
  }
  const count = {
    operationId: `count${pascalCase(category)}${pascalCase(plural)}${suffix}`,
    summary: `Count ${words}${of}`,
    description: `Returns the number of ${words} that match the filters.`,
    ...tagged,
    parameters: [...above, ...countQuery(resource, place.parent)],
    responses: {
      200: successResponse(
        `The number of ${words}.`,
        closedObject({ count: { type: 'integer', minimum: 0 } }),
        ['Synced-At'],
      ),
      ...failuresOf(readCodes),
    },
  }
  const aggregate = {
    operationId: `aggregate${pascalCase(category)}${pascalCase(plural)}${suffix}`,
    summary: `Aggregate ${words}${of}`,
    description: `Returns the number of ${words} that match the filters, and exact sums, averages and bounds of their numbers, in groups.`,
    ...tagged,
    parameters: [...above, ...aggregateQuery(resource, place.parent)],
    responses: {
      200: successResponse(
        `The groups of ${words}, in the order of their keys.`,
        closedObject({
          groups: {
            type: 'array',
            maxItems: MAX_GROUPS,
            items: refTo('schemas', `${typeName}Group`),
          },
        }),
      ),
      ...failuresOf(readCodes),
    },
  }
  const get = {
    operationId: `get${typeName}${suffix}`,
    summary: `Get ${withArticle(inWords(name))}${of}`,
    description: `Returns one ${inWords(name)}, even if it is deleted in the app.`,
    ...tagged,
    parameters: [...above, inPath('id', inWords(name)), ...getQuery],
    responses: {
      200: successResponse(`The ${inWords(name)}.`, closedObject({ [name]: record }), [
        'ETag',
        'Synced-At',
      ]),
      ...failuresOf(readCodes),
    },
  }
  return {
    [path]: { get: list, ...writes.ofList },
    [`${path}/count`]: { get: count },
    [`${path}/aggregate`]: { get: aggregate },
    [`${path}/{id}`]: { get, ...writes.ofRecord },
  }
}

const statusIs = (word: string): JsonSchema => closedObject({ status: { const: word } })

const service: Paths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Check liveness',
      description:
        'Returns 200 while the process runs. It needs no API key and does not query the database.',
      tags: [SERVICE_TAG],
      security: [],
      responses: {
        200: successResponse('The process is alive.', statusIs('ok')),
        ...failures(429),
      },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReadiness',
      summary: 'Check readiness',
      description:
        'Returns 200 if the service can serve requests. It needs no API key and queries the database.',
      tags: [SERVICE_TAG],
      security: [],
      responses: {
        200: successResponse('The service is ready.', statusIs('ready')),
        ...failures(429, 503),
      },
    },
  },
}

/** Every path of the API. */
export const paths = (catalogue: Catalogue): Paths =>
  Object.assign(
    {},
    ...catalogue.resources.flatMap((resource) =>
      resourcePaths(resource).map((place) => recordPaths(catalogue, resource, place)),
    ),
    operationPaths(),
    service,
  )
