/** The rows of the access matrix: each request that the API takes, and the objects that it names. */

import { fieldsAt, isQuery, isRead, type Operation } from '../../../src/api/operation.ts'
import type { Field, Fields } from '../../../src/definition/field.ts'
import type { Resource } from '../../../src/definition/resource.ts'
import { samples } from '../../sandbox/write-samples.ts'
import { documentOf, type Input, restRequest, variablesOf } from '../operations.ts'
import { USER_ERRORS } from '../user-errors.ts'
import { defineWorkflow } from '../workflow.ts'
import type { Ids, MatrixHarness } from './harness.ts'

/** An object that the request names, by the target of its reference. */
export interface NamedObject {
  readonly target: string
  /** The status of the response if the object does not exist. */
  readonly absentStatus: 200 | 400 | 404
}

export interface Request {
  readonly method: string
  readonly url: string
  readonly payload?: object | undefined
}

export interface Row {
  readonly name: string
  /** `open`: anyone · `keys`: API keys · `users`: API keys and user tokens. */
  readonly access: 'open' | 'keys' | 'users'
  readonly objects: readonly NamedObject[]
  readonly changes: boolean
  readonly isOfRecords: boolean
  /** The topic of a record that must exist for this request alone. */
  readonly consumes?: string | undefined
  /** The response to an allowed caller. */
  readonly allowed: { readonly status: number; readonly code?: string | undefined }
  request(ids: Ids): Request
}

export const graphqlRequest = (query: string, variables: Input): Request => ({
  method: 'POST',
  url: '/graphql',
  payload: { query, variables },
})

const OK = { status: 200 }
/** Operations that do not succeed even for an allowed caller. */
const ALLOWED: Readonly<Record<string, Row['allowed']>> = {
  // The end user has not allowed anything yet.
  chooseAuthorizationAccount: { status: 409, code: 'AUTHORIZATION_ENDED' },
  // No message was sent that could be replayed.
  replayWebhook: { status: 404, code: 'NOT_FOUND' },
}

const namedObject = (
  target: string,
  absentStatus: NamedObject['absentStatus'] = 404,
): NamedObject => ({
  target,
  absentStatus,
})

const targetsOf = (fields: Fields): readonly (readonly [string, string, boolean])[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.kind.reference ? [[name, field.kind.reference.target, field.required] as const] : [],
  )

const allFields = (operation: Operation): Fields => ({
  ...fieldsAt(operation, 'path'),
  ...fieldsAt(operation, 'query'),
  ...fieldsAt(operation, 'body'),
})

let number = 0

/** The input of an operation: its example, with existing objects in place of the example's ids. */
const inputOf = (
  operation: Operation,
  references: readonly (readonly [string, string, boolean])[],
  { tenantAccess }: MatrixHarness,
  ids: Ids,
): Input => {
  const fields = allFields(operation)
  const { input: example } = operation.example
  const values = Object.fromEntries(
    Object.entries(example).filter(([name]) => !fields[name]?.kind.reference),
  )
  const unique = `matrix-${++number}`
  const replacements: Input = {
    app: 'sandbox',
    credential: { ...tenantAccess },
    username: unique,
    slug: unique,
    name: `matrix${number}`,
    workflows: [{ slug: 'one', name: 'One', definition: defineWorkflow(unique) }],
  }
  for (const name of Object.keys(values))
    if (name in replacements) values[name] = replacements[name]
  for (const [name, target] of references)
    values[name] = fields[name]?.kind.isList ? [ids[target]] : ids[target]
  return values
}

/** An operation over one transport, once with every reference that it takes and once with the required ones. */
export const operationRows = (
  harness: MatrixHarness,
  operation: Operation,
  transport: 'REST' | 'GraphQL',
  method: string = operation.rest.method,
): readonly Row[] => {
  const all = targetsOf(allFields(operation))
  const required = all.filter(([, , isRequired]) => isRequired)
  const variants = required.length === all.length ? [all] : [all, required]
  return variants.map((references) => ({
    name: `${transport} ${method} ${operation.name}(${references.map(([name]) => name).join(', ')})`,
    access: operation.callers.includes('user') ? 'users' : 'keys',
    objects: references.map(([, target]) => namedObject(target)),
    changes: transport === 'REST' ? !isRead(operation) : !isQuery(operation),
    isOfRecords: false,
    allowed: ALLOWED[operation.name] ?? OK,
    request: (ids) => {
      const values = inputOf(operation, references, harness, ids)
      if (transport === 'REST') {
        const { url, body } = restRequest(operation, values)
        return { method, url, payload: body }
      }
      return graphqlRequest(documentOf(operation), variablesOf(operation, values))
    },
  }))
}

const base = { access: 'keys', allowed: OK, isOfRecords: true } as const

/** A route of records, with or without a parent: `/commerce/orders/:orderId/fulfillments/:id`. */
export const recordRouteRow = (
  resource: Resource,
  { method, url }: { readonly method: string; readonly url: string },
): Row => {
  const { topic } = resource
  const isOne = url.endsWith('/:id')
  const isNested = url.includes(':orderId')
  const parent = 'commerce/orders'
  const consumes = ['PUT', 'PATCH', 'DELETE'].includes(method) ? topic : undefined
  return {
    ...base,
    name: `REST ${method} ${url}`,
    changes: method !== 'GET' && method !== 'HEAD',
    consumes,
    objects: [
      namedObject('credentials'),
      ...(isOne ? [namedObject(topic)] : []),
      // Below a missing parent there is not even an empty list; a create names the parent as a reference.
      ...(isNested ? [namedObject(parent, method === 'POST' ? 400 : 404)] : []),
    ],
    request: (ids) => ({
      method,
      url: `${url.replace(':orderId', ids[parent] ?? '').replace(':id', ids[topic] ?? '')}?credentialId=${ids.credentials}`,
      payload: bodyOf(resource, method, isNested ? {} : { orderId: ids[parent] }),
    }),
  }
}

/** The value in the form of GraphQL's types. */
const toGraphQLValue = (field: Field | undefined, value: unknown): unknown => {
  const { name, shape } = field?.kind ?? {}
  if (name === 'number') return Number(value)
  if (shape && Array.isArray(value))
    return value.map((entry) => toGraphQLInput(shape.fields, entry))
  return value
}

const toGraphQLInput = (fields: Fields, input: Input): Input =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, toGraphQLValue(fields[name], value)]),
  )

const bodyOf = (resource: Resource, method: string, parentField: Input): Input | undefined => {
  const { topic, fields } = resource
  if (method === 'PUT' || method === 'PATCH') return toGraphQLInput(fields, CHANGES[topic] ?? {})
  if (method !== 'POST') return
  const { orderId: _, ...values } = toGraphQLInput(fields, samples[topic]?.create ?? {})
  return topic === 'commerce/fulfillments' ? { ...values, ...parentField } : values
}

/** An input that changes one field. */
const CHANGES: Readonly<Record<string, Input>> = Object.fromEntries(
  Object.entries(samples).map(([topic, { create, update }]) => {
    const [name = ''] = Object.keys(create).filter((field) => typeof update[field] === 'string')
    const [[other, value] = ['', undefined]] = Object.entries(update)
    return [topic, name in update ? { [name]: update[name] } : { [other]: value }]
  }),
)

/** The query fields of a resource: its list and its aggregate in each scope, and one record. */
export const recordQueryRows = (resource: Resource, field: string): readonly Row[] => {
  const row = (scope: string, target: string, query: string, value: (id: unknown) => unknown) => ({
    ...base,
    name: `GraphQL ${field}(${scope})`,
    objects: [namedObject(target)],
    changes: false,
    request: (ids: Ids) => graphqlRequest(query, { scope: value(ids[target]) }),
  })
  if (field === resource.getField)
    return [
      {
        ...base,
        name: `GraphQL ${field}`,
        objects: [namedObject('credentials'), namedObject(resource.topic, 200)],
        changes: false,
        request: (ids) =>
          graphqlRequest(
            `query ($credentialId: ID!, $id: ID!) { ${field}(credentialId: $credentialId, id: $id) { id remoteId } }`,
            { credentialId: ids.credentials, id: ids[resource.topic] },
          ),
      },
    ]
  const selection = field === resource.listField ? 'totalCount nodes { id }' : 'count'
  const list = (type: string, scope: string) =>
    `query ($scope: ${type}) { ${field}(${scope}: $scope) { ${selection} } }`
  return [
    row('credentialId', 'credentials', list('ID', 'credentialId'), (id) => id),
    row('credentialIds', 'credentials', list('[ID!]', 'credentialIds'), (id) => [id]),
    row('userId', 'users', list('ID', 'userId'), (id) => id),
  ]
}

/** The mutation field of a resource and verb. */
export const recordMutationRow = (
  resource: Resource,
  verb: 'create' | 'update' | 'delete',
): Row => {
  const { topic, typeName, name } = resource
  const method = { create: 'POST', update: 'PUT', delete: 'DELETE' }[verb]
  const field = verb + typeName
  const [declared, passed] = [
    ['$credentialId: ID!', ...(verb === 'create' ? [] : ['$id: ID!'])],
    ['credentialId: $credentialId', ...(verb === 'create' ? [] : ['id: $id'])],
  ]
  if (verb !== 'delete') {
    declared.push(`$input: ${typeName}${verb === 'update' ? 'UpdateInput' : 'Input'}!`)
    passed.push('input: $input')
  }
  return {
    ...base,
    name: `GraphQL ${field}`,
    changes: true,
    consumes: verb === 'create' ? undefined : topic,
    objects: [namedObject('credentials'), ...(verb === 'create' ? [] : [namedObject(topic)])],
    request: (ids) =>
      graphqlRequest(
        `mutation (${declared.join(', ')}) { ${field}(${passed.join(', ')}) { ${name} { id } ${USER_ERRORS} } }`,
        {
          credentialId: ids.credentials,
          ...(verb !== 'create' && { id: ids[topic] }),
          ...(verb !== 'delete' && {
            input: bodyOf(resource, method, { orderId: ids['commerce/orders'] }),
          }),
        },
      ),
  }
}

/** The objects next to records that user tokens find by their global ids. */
const FOUND_BY_USERS = ['credentials', 'installations', 'integrations']

/** `node` and `nodes`, which find a record of any resource, and objects of the control plane. */
export const nodeRows = (
  field: 'node' | 'nodes',
  resources: readonly Resource[],
): readonly Row[] => {
  const [type, argument] = field === 'node' ? ['ID!', 'id'] : ['[ID!]!', 'ids']
  const row = (target: string): Row => ({
    ...base,
    name: `GraphQL ${field}(${target})`,
    objects: [namedObject(target, 200)],
    changes: false,
    request: (ids) =>
      graphqlRequest(`query ($ids: ${type}) { ${field}(${argument}: $ids) { id } }`, {
        ids: ids[target],
      }),
  })
  return [
    ...resources.map(({ topic }) => row(topic)),
    ...FOUND_BY_USERS.map((target): Row => ({ ...row(target), access: 'users' })),
  ]
}

/** The row of a request that every caller may send. */
export const openRow = (method: string, url: string, status: number): Row => ({
  name: `REST ${method} ${url}`,
  access: 'open',
  objects: [],
  changes: false,
  isOfRecords: false,
  allowed: { status },
  request: () => ({ method, url: url.replace(/:\w+/g, 'x') }),
})
