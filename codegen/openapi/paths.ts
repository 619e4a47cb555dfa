/** The operations: list, count and get of every resource, and the two questions about the service itself. */

import { type ResourcePath, resourcePaths } from '../../src/api/rest/paths.ts'
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { pascalCase, type Resource } from '../../src/definition/resource.ts'
import { MAX_PAGE_SIZE } from '../../src/query/list-request.ts'
import { answer } from './answer.ts'
import { failures, failuresOf, readCodes } from './failures.ts'
import { inWords } from './in-words.ts'
import { operationPaths, operationTags } from './operations.ts'
import { countQuery, getQuery, inPath, listQuery } from './parameters.ts'
import { recordWrites } from './record-writes.ts'
import { closedObject, type JsonSchema, refTo } from './schemas.ts'

type Operation = Readonly<Record<string, unknown>>
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const categoryNames = { accounting: 'Accounting', crm: 'CRM', commerce: 'Commerce' } as const

const tagOf = ({ category, plural }: Resource): string =>
  `${categoryNames[category]}: ${inWords(plural)}`

const SERVICE_TAG = 'Service'

/** The headings over the tags, for the pages that show a document so. */
export const tagGroups = ({ resources }: Catalogue): readonly JsonSchema[] => [
  ...Object.entries(categoryNames).map(([category, name]) => ({
    name,
    tags: resources.filter((resource) => resource.category === category).map(tagOf),
  })),
  { name: 'Platform', tags: [...operationTags.map(({ name }) => name), SERVICE_TAG] },
]

/** A tag for each resource, and one for the service. */
export const tags = ({ resources }: Catalogue): readonly JsonSchema[] => [
  ...resources.map((resource) => ({ name: tagOf(resource), description: resource.doc })),
  ...operationTags,
  { name: SERVICE_TAG, description: 'The state of the service itself.' },
]

const recordPaths = (catalogue: Catalogue, resource: Resource, place: ResourcePath): Paths => {
  const { typeName, name, plural, category } = resource
  const record = refTo('schemas', typeName)
  const field = place.parent === undefined ? undefined : resource.fields[place.parent]
  const parent = field?.kind === 'reference' ? catalogue.get(field.target) : undefined
  const suffix = parent === undefined ? '' : `Of${pascalCase(parent.name)}`
  const of =
    parent === undefined ? '' : ` of ${/^[aeiou]/.test(parent.name) ? 'an' : 'a'} ${parent.name}`
  const path = place.path.replace(/:(\w+)/g, '{$1}')
  const above = parent === undefined || !place.parent ? [] : [inPath(place.parent, parent.name)]
  const tagged = { tags: [tagOf(resource)] }
  const writes = recordWrites(resource, { ...tagged, suffix, of, above })
  const list = {
    operationId: `list${pascalCase(category)}${pascalCase(plural)}${suffix}`,
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
      ...failuresOf(readCodes),
    },
  }
  const count = {
    operationId: `count${pascalCase(category)}${pascalCase(plural)}${suffix}`,
    summary: `Count ${inWords(plural)}${of}`,
    description: 'How many records a list with the same filters holds.',
    ...tagged,
    parameters: [...above, ...countQuery(resource, place.parent)],
    responses: {
      200: answer('The count.', closedObject({ count: { type: 'integer', minimum: 0 } })),
      ...failuresOf(readCodes),
    },
  }
  const get = {
    operationId: `get${typeName}${suffix}`,
    summary: `Get one ${inWords(name)}${of}`,
    description: 'Also shows a record that is deleted in the app.',
    ...tagged,
    parameters: [...above, inPath('id', inWords(name)), ...getQuery],
    responses: {
      200: answer('The record.', closedObject({ [name]: record }), ['ETag']),
      ...failuresOf(readCodes),
    },
  }
  return {
    [path]: { get: list, ...writes.ofList },
    [`${path}/count`]: { get: count },
    [`${path}/{id}`]: { get, ...writes.ofRecord },
  }
}

const statusIs = (word: string): JsonSchema => closedObject({ status: { const: word } })

const service: Paths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Is the process alive?',
      description: 'Asks neither a key nor the database.',
      tags: [SERVICE_TAG],
      security: [],
      responses: { 200: answer('It is.', statusIs('ok')), ...failures(429) },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReadiness',
      summary: 'Can the service answer with records?',
      description: 'Asks no key; it asks the database.',
      tags: [SERVICE_TAG],
      security: [],
      responses: { 200: answer('It can.', statusIs('ready')), ...failures(429, 503) },
    },
  },
}

/** Every path of the read API. */
export const paths = (catalogue: Catalogue): Paths =>
  Object.assign(
    {},
    ...catalogue.resources.flatMap((resource) =>
      resourcePaths(resource).map((place) => recordPaths(catalogue, resource, place)),
    ),
    operationPaths(),
    service,
  )
