/** The rows of the matrix: what can be asked, how, and which things the question names. */

import { fieldsAt, isRead, type Operation } from '../../../src/api/operation.ts'
import type { Field, Fields } from '../../../src/definition/field.ts'
import type { Resource } from '../../../src/definition/resource.ts'
import { samples } from '../../sandbox/write-samples.ts'
import { documentOf, type Given, restRequest } from '../operations.ts'
import { workflowNumber } from '../workflow.ts'
import type { Ids, Stage } from './world.ts'

/** A thing that the question names, by the kind that its reference says. */
export interface NamedObject {
  readonly target: string
  /** The status of the answer where it is not there. */
  readonly absentStatus: 200 | 400 | 404
}

export interface Request {
  readonly method: string
  readonly url: string
  readonly payload?: object | undefined
}

export interface Row {
  readonly name: string
  /** `open`: to all alike · `keys`: to API keys · `users`: to API keys and user tokens. */
  readonly door: 'open' | 'keys' | 'users'
  readonly objects: readonly NamedObject[]
  readonly changes: boolean
  readonly isOfRecords: boolean
  /** A record that is to be there for the question alone: its topic. */
  readonly consumes?: string | undefined
  /** What is answered to whom it is allowed, or to all. */
  readonly allowed: { readonly status: number; readonly code?: string | undefined }
  request(ids: Ids): Request
}

export const graph = (query: string, variables: Given): Request => ({
  method: 'POST',
  url: '/graphql',
  payload: { query, variables },
})

const OK = { status: 200 }
/** What an operation answers whom it is open to, where that is no success. */
const ALLOWED: Readonly<Record<string, Row['allowed']>> = {
  // None of the apps uses OAuth yet.
  oauthUrl: { status: 400, code: 'NOT_SUPPORTED' },
  // Nothing was sent that could be sent again.
  replayWebhook: { status: 404, code: 'NOT_FOUND' },
}

const named = (target: string, absentStatus: NamedObject['absentStatus'] = 404): NamedObject => ({
  ...{ target, absentStatus },
})

const targetsOf = (fields: Fields): readonly (readonly [string, string, boolean])[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'reference' || field.kind === 'references'
      ? [[name, field.target, field.required] as const]
      : [],
  )

const allFields = (operation: Operation): Fields => ({
  ...fieldsAt(operation, 'path'),
  ...fieldsAt(operation, 'query'),
  ...fieldsAt(operation, 'body'),
})

let number = 0

/** What an operation is given: its example, with things that are there in place of those that are not. */
const givenOf = (
  operation: Operation,
  references: readonly (readonly [string, string, boolean])[],
  { tenantAccess }: Stage,
  ids: Ids,
): Given => {
  const fields = allFields(operation)
  const { given } = operation.example
  const values = Object.fromEntries(
    Object.entries(given).filter(([name]) => !/^reference/.test(fields[name]?.kind ?? '')),
  )
  const unique = `matrix-${++number}`
  const there: Given = {
    ...{ app: 'sandbox', credential: { ...tenantAccess }, username: unique, slug: unique },
    workflows: [{ slug: 'one', name: 'One', definition: workflowNumber(unique) }],
  }
  for (const name of Object.keys(values)) if (name in there) values[name] = there[name]
  for (const [name, target] of references)
    values[name] = fields[name]?.kind === 'references' ? [ids[target]] : ids[target]
  return values
}

/** An operation over one face, with all that it can name, and with only what it must. */
export const operationRows = (
  stage: Stage,
  operation: Operation,
  face: 'REST' | 'GraphQL',
  method: string = operation.rest.method,
): readonly Row[] => {
  const all = targetsOf(allFields(operation))
  const must = all.filter(([, , isRequired]) => isRequired)
  const variants = must.length === all.length ? [all] : [all, must]
  return variants.map((references) => ({
    name: `${face} ${method} ${operation.name}(${references.map(([name]) => name).join(', ')})`,
    door: operation.callers.includes('user') ? 'users' : 'keys',
    objects: references.map(([, target]) => named(target)),
    changes: !isRead(operation),
    isOfRecords: false,
    allowed: ALLOWED[operation.name] ?? OK,
    request: (ids) => {
      const given = givenOf(operation, references, stage, ids)
      if (face === 'REST') {
        const { url, body } = restRequest(operation, given)
        return { method, url, payload: body }
      }
      const inBody = fieldsAt(operation, 'body')
      const [input, others] = [true, false].map((isIn) =>
        Object.fromEntries(Object.entries(given).filter(([name]) => name in inBody === isIn)),
      )
      return graph(documentOf(operation), operation.body ? { ...others, input } : given)
    },
  }))
}

const base = { door: 'keys', allowed: OK, isOfRecords: true } as const

/** A route of records: `/commerce/orders/:orderId/fulfillments/:id`, below a parent or not. */
export const recordRouteRow = (
  resource: Resource,
  { method, url }: { readonly method: string; readonly url: string },
): Row => {
  const { topic } = resource
  const isOne = url.endsWith('/:id')
  const isNested = url.includes(':orderId')
  const parent = 'commerce/orders'
  const consumes = method === 'PUT' || method === 'DELETE' ? topic : undefined
  return {
    ...base,
    name: `REST ${method} ${url}`,
    changes: method !== 'GET' && method !== 'HEAD',
    consumes,
    objects: [
      named('credentials'),
      ...(isOne ? [named(topic)] : []),
      // Below what is not there is nothing, not even an empty list; what is created names it as a reference.
      ...(isNested ? [named(parent, method === 'POST' ? 400 : 404)] : []),
    ],
    request: (ids) => ({
      method,
      url: `${url.replace(':orderId', ids[parent] ?? '').replace(':id', ids[topic] ?? '')}?credentialId=${ids.credentials}`,
      payload: bodyOf(resource, method, isNested ? {} : { orderId: ids[parent] }),
    }),
  }
}

/** A value as GraphQL's types take it too. */
const typed = (field: Field | undefined, value: unknown): unknown => {
  if (field?.kind === 'number') return Number(value)
  if (field?.kind === 'list' && Array.isArray(value))
    return value.map((entry) => typedFields(field.shape.fields, entry))
  return value
}

const typedFields = (fields: Fields, given: Given): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typed(fields[name], value)]),
  )

const bodyOf = (resource: Resource, method: string, above: Given): Given | undefined => {
  const { topic, fields } = resource
  if (method === 'PUT') return typedFields(fields, CHANGES[topic] ?? {})
  if (method !== 'POST') return
  const { orderId: _, ...given } = typedFields(fields, samples[topic]?.create ?? {})
  return topic === 'commerce/fulfillments' ? { ...given, ...above } : given
}

/** A change of one field. */
const CHANGES: Readonly<Record<string, Given>> = Object.fromEntries(
  Object.entries(samples).map(([topic, { create, update }]) => {
    const [name = ''] = Object.keys(create).filter((field) => typeof update[field] === 'string')
    const [[other, value] = ['', undefined]] = Object.entries(update)
    return [topic, name in update ? { [name]: update[name] } : { [other]: value }]
  }),
)

/** The query fields of a resource: its list by each scope, and one record. */
export const recordQueryRows = (resource: Resource, field: string): readonly Row[] => {
  const row = (scope: string, target: string, query: string, value: (id: unknown) => unknown) => ({
    ...base,
    name: `GraphQL ${field}(${scope})`,
    objects: [named(target)],
    changes: false,
    request: (ids: Ids) => graph(query, { scope: value(ids[target]) }),
  })
  if (field === resource.getField)
    return [
      {
        ...base,
        name: `GraphQL ${field}`,
        objects: [named('credentials'), named(resource.topic, 200)],
        changes: false,
        request: (ids) =>
          graph(
            `query ($credentialId: ID!, $id: ID!) { ${field}(credentialId: $credentialId, id: $id) { id remoteId } }`,
            { credentialId: ids.credentials, id: ids[resource.topic] },
          ),
      },
    ]
  const list = (type: string, scope: string) =>
    `query ($scope: ${type}) { ${field}(${scope}: $scope) { totalCount nodes { id } } }`
  return [
    row('credentialId', 'credentials', list('ID', 'credentialId'), (id) => id),
    row('credentialIds', 'credentials', list('[ID!]', 'credentialIds'), (id) => [id]),
    row('userId', 'users', list('ID', 'userId'), (id) => id),
  ]
}

/** The mutation field of a resource that a verb stands for. */
export const recordMutationRow = (
  resource: Resource,
  verb: 'create' | 'update' | 'delete',
): Row => {
  const { topic, typeName } = resource
  const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[verb]
  const field = verb + typeName
  const [declared, passed] = [
    ['$credentialId: ID!', ...(verb === 'create' ? [] : ['$id: ID!'])],
    ['credentialId: $credentialId', ...(verb === 'create' ? [] : ['id: $id'])],
  ]
  if (verb !== 'delete') {
    declared.push(`$input: ${typeName}Input!`)
    passed.push('input: $input')
  }
  return {
    ...base,
    name: `GraphQL ${field}`,
    changes: true,
    consumes: verb === 'create' ? undefined : topic,
    objects: [named('credentials'), ...(verb === 'create' ? [] : [named(topic)])],
    request: (ids) =>
      graph(`mutation (${declared.join(', ')}) { ${field}(${passed.join(', ')}) { id } }`, {
        credentialId: ids.credentials,
        ...(verb !== 'create' && { id: ids[topic] }),
        ...(verb !== 'delete' && {
          input: bodyOf(resource, method, { orderId: ids['commerce/orders'] }),
        }),
      }),
  }
}

/** `node`, which finds a record of any resource. */
export const nodeRow = ({ topic }: Resource): Row => ({
  ...base,
  name: `GraphQL node(${topic})`,
  objects: [named(topic, 200)],
  changes: false,
  request: (ids) => graph('query ($id: ID!) { node(id: $id) { id } }', { id: ids[topic] }),
})

/** A question that is answered to all alike. */
export const openRow = (method: string, url: string, status: number): Row => ({
  name: `REST ${method} ${url}`,
  door: 'open',
  objects: [],
  changes: false,
  isOfRecords: false,
  allowed: { status },
  request: () => ({ method, url: url.replace(/:\w+/g, 'x') }),
})
