/** The operations: list, count and get of every resource, and the two questions about the service itself. */

import { type ResourcePath, resourcePaths } from '../../src/api/rest/paths.ts'
import type { Catalogue } from '../../src/definition/catalogue.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { failures } from './failures.ts'
import { countQuery, getQuery, inPath, listQuery } from './parameters.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'

type Operation = Readonly<Record<string, unknown>>
type Paths = Readonly<Record<string, { readonly get: Operation }>>

const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** `purchaseOrders` → `purchase orders` */
const inWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const categoryNames = { accounting: 'Accounting', crm: 'CRM', commerce: 'Commerce' } as const

const tagOf = ({ category, plural }: Resource): string =>
  `${categoryNames[category]}: ${inWords(plural)}`

export const SERVICE_TAG = 'Service'

/** A tag for each resource, and one for the service. */
export const tags = ({ resources }: Catalogue): readonly JsonSchema[] => [
  ...resources.map((resource) => ({ name: tagOf(resource), description: resource.doc })),
  { name: SERVICE_TAG, description: 'The state of the service itself.' },
]

const answer = (description: string, schema: JsonSchema, headers: readonly string[] = []) => ({
  description,
  headers: Object.fromEntries(
    ['x-request-id', ...headers].map((name) => [name, refTo('headers', name)]),
  ),
  content: { 'application/json': { schema } },
})

const operations = (catalogue: Catalogue, resource: Resource, place: ResourcePath): Paths => {
  const { typeName, name, plural, category } = resource
  const record = refTo('schemas', typeName)
  const field = place.parent === undefined ? undefined : resource.fields[place.parent]
  const parent = field?.kind === 'reference' ? catalogue.get(field.target) : undefined
  const suffix = parent === undefined ? '' : `Of${pascal(parent.name)}`
  const of =
    parent === undefined ? '' : ` of ${/^[aeiou]/.test(parent.name) ? 'an' : 'a'} ${parent.name}`
  const path = place.path.replace(/:(\w+)/g, '{$1}')
  const above = parent === undefined || !place.parent ? [] : [inPath(place.parent, parent.name)]
  const tagged = { tags: [tagOf(resource)] }
  const list = {
    operationId: `list${pascal(category)}${pascal(plural)}${suffix}`,
    summary: `List ${inWords(plural)}${of}`,
    description: 'One page, oldest first unless orderBy says otherwise.',
    ...tagged,
    parameters: [...above, ...listQuery(resource, place.parent)],
    responses: {
      200: answer(
        'The page.',
        closedObject({ [plural]: { type: 'array', maxItems: MAX_PAGE_SIZE, items: record } }),
        ['Next-Cursor', 'Link'],
      ),
      ...failures(400, 401, 404, 500, 503),
    },
  }
  const count = {
    operationId: `count${pascal(category)}${pascal(plural)}${suffix}`,
    summary: `Count ${inWords(plural)}${of}`,
    description: 'How many records a list with the same filters holds.',
    ...tagged,
    parameters: [...above, ...countQuery(resource, place.parent)],
    responses: {
      200: answer('The count.', closedObject({ count: { type: 'integer', minimum: 0 } })),
      ...failures(400, 401, 404, 500, 503),
    },
  }
  const get = {
    operationId: `get${typeName}${suffix}`,
    summary: `Get one ${inWords(name)}${of}`,
    description: 'Also shows a record that is deleted in the app.',
    ...tagged,
    parameters: [...above, inPath('id', inWords(name)), ...getQuery],
    responses: {
      200: answer('The record.', closedObject({ [name]: record })),
      ...failures(400, 401, 404, 500, 503),
    },
  }
  return {
    [path]: { get: list },
    [`${path}/count`]: { get: count },
    [`${path}/{id}`]: { get },
  }
}

const statusIs = (word: string): JsonSchema => closedObject({ status: { const: word } })

const service: Paths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Is the process alive?',
      tags: [SERVICE_TAG],
      security: [],
      responses: { 200: answer('It is.', statusIs('ok')) },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReadiness',
      summary: 'Can the service answer with records?',
      tags: [SERVICE_TAG],
      security: [],
      responses: { 200: answer('It can.', statusIs('ready')), ...failures(503) },
    },
  },
}

/** Every path of the read API. */
export const paths = (catalogue: Catalogue): Paths =>
  Object.assign(
    {},
    ...catalogue.resources.flatMap((resource) =>
      resourcePaths(resource).map((place) => operations(catalogue, resource, place)),
    ),
    service,
  )
