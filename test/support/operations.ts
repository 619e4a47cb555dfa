/** Operations called by name over REST or GraphQL, so that one test covers both transports. */
import type { GraphQLField } from 'graphql'
import { expect } from 'vitest'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import {
  entryOf,
  fieldsAt,
  graphqlName,
  isQuery,
  type Operation,
  payloadField,
} from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { Shape } from '../../src/definition/field.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { toEnumNames, toWords } from './enum-words.ts'
import type { GraphQLResponse, TestService } from './service.ts'
import { restErrorOf, USER_ERRORS } from './user-errors.ts'

export const transports = ['REST', 'GraphQL'] as const
export type Transport = (typeof transports)[number]

export interface Outcome {
  /** A user error of GraphQL has the status that REST returns. */
  readonly status: number
  /** The result without its enclosing key; undefined if the operation failed. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the result
  readonly result: any
  /** The error's code; undefined if the operation succeeded. */
  readonly code: string | undefined
  readonly message: string | undefined
  /** The fields that the error names. */
  readonly fields: readonly string[]
}

export type Input = Readonly<Record<string, unknown>>

const schema = buildSchema(catalogue)

export const operationOf = (name: string): Operation => {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new RangeError(`Unknown operation: ${name}.`)
  return found
}

/** Splits input into the values that are not of these fields and those that are. */
const splitInput = (input: Input, fields: object): readonly [Input, Input] => {
  const entries = Object.entries(input)
  const isOf = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(fields, name)
  return [
    Object.fromEntries(entries.filter((entry) => !isOf(entry))),
    Object.fromEntries(entries.filter(isOf)),
  ]
}

/** The address and body of an operation. Unknown names go into the body, or into the query if there is no body. */
export const restRequest = (operation: Operation, input: Input) => {
  const [others, inPath] = splitInput(input, fieldsAt(operation, 'path'))
  const hasBody = operation.body !== undefined
  const [rest, inQuery] = splitInput(others, fieldsAt(operation, 'query'))
  const url = operation.rest.path.replace(/:(\w+)/g, (_, name) =>
    encodeURIComponent(String(inPath[name])),
  )
  const query = new URLSearchParams(
    Object.entries(hasBody ? inQuery : others).map(([name, value]) => [name, String(value)]),
  )
  return {
    method: operation.rest.method,
    url: query.size === 0 ? url : `${url}?${query}`,
    body: hasBody ? rest : undefined,
  }
}

const callOverRest = async (
  service: TestService,
  key: string | undefined,
  operation: Operation,
  input: Input,
): Promise<Outcome> => {
  const { method, url, body } = restRequest(operation, input)
  const response = await service.send(key, method, url, body)
  const parsed = response.json()
  const { code, message, details = [] } = parsed.error ?? {}
  const { key: responseKey } = operation.response
  return {
    status: response.statusCode,
    result:
      code !== undefined ? undefined : responseKey === undefined ? parsed : parsed[responseKey],
    code,
    message,
    fields: details.map(({ field }: { field: string }) => field),
  }
}

/** The selection of everything that REST shows of a value. */
const selectionOf = (shape: Shape | undefined): string =>
  shape
    ? `{ ${Object.entries(shape.fields)
        .map(([name, { kind }]) => `${name} ${selectionOf(kind.shape)}`)
        .join(' ')} }`
    : ''

const listSelection = (entry: Shape): string =>
  `{ nodes ${selectionOf(entry)} pageInfo { hasNextPage endCursor } }`

/** The page arguments of GraphQL, by the name that the parameter has in REST. */
const PAGE_ARGUMENTS: Readonly<Record<string, string>> = { pageSize: 'first', cursor: 'after' }

/** The name of a parameter in REST. */
const restName = (operation: Operation, argument: string): string =>
  Object.keys(fieldsAt(operation, 'query')).find((name) => PAGE_ARGUMENTS[name] === argument) ??
  argument

interface Connection {
  readonly nodes: readonly unknown[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** A connection in the form of REST: a list, or a page with a cursor. */
const toRestForm = (
  { response }: Operation,
  { nodes, pageInfo: { hasNextPage, endCursor } }: Connection,
): unknown => {
  const { isList, shape } = response.value.kind
  if (isList) return nodes
  const [key = ''] = Object.keys(shape?.fields ?? {})
  const isLog = shape?.fields.hasMore !== undefined
  return {
    [key]: nodes,
    nextCursor: hasNextPage || isLog ? endCursor : null,
    ...(isLog && { hasMore: hasNextPage }),
  }
}

const fieldOf = (operation: Operation): GraphQLField<unknown, unknown> => {
  const name = graphqlName(operation)
  const root = isQuery(operation) ? schema.getQueryType() : schema.getMutationType()
  const field = root?.getFields()[name]
  if (field === undefined) throw new RangeError(`The schema has no field ${name}.`)
  return field
}

/** The GraphQL variables of an operation for an input with the words of REST. */
export const variablesOf = (operation: Operation, values: Input): Input => {
  const flat = { ...fieldsAt(operation, 'path'), ...fieldsAt(operation, 'query') }
  const [input, ownNames] = splitInput(values, flat)
  const variables = Object.fromEntries(
    Object.entries(ownNames).map(([name, value]) => [PAGE_ARGUMENTS[name] ?? name, value]),
  )
  const all = operation.body === undefined ? { ...input, ...variables } : { ...variables, input }
  const { args } = fieldOf(operation)
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      toEnumNames(args.find((arg) => arg.name === name)?.type, value),
    ]),
  )
}

/** The GraphQL document of an operation, with a variable for each argument. */
export const documentOf = (operation: Operation): string => {
  const name = graphqlName(operation)
  const field = fieldOf(operation)
  const entry = entryOf(operation)
  const result = entry ? listSelection(entry) : selectionOf(operation.response.value.kind.shape)
  const [keyword, selection] = isQuery(operation)
    ? ['query', result]
    : ['mutation', `{ ${payloadField(operation)} ${result} ${USER_ERRORS} }`]
  const declared = field.args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const passed = field.args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  return `${keyword} ${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selection} }`
}

const callOverGraphQL = async (
  service: TestService,
  key: string | undefined,
  operation: Operation,
  values: Input,
): Promise<Outcome> => {
  const { status, data, errors } = await service.graphql(
    key,
    documentOf(operation),
    variablesOf(operation, values),
  )
  const [error] = errors
  if (error) {
    const details = error.extensions.details as readonly { field: string }[] | undefined
    return {
      status,
      result: undefined,
      code: error.extensions.code,
      message: error.message,
      fields: (details ?? []).map(({ field }) => restName(operation, field)),
    }
  }
  // Safe: the schema says so.
  const value = toWords(
    fieldOf(operation).type,
    data[graphqlName(operation)],
  ) as GraphQLResponse['data']
  const success = { status, code: undefined, message: undefined, fields: [] }
  if (isQuery(operation)) {
    const isList = entryOf(operation) !== undefined && value !== null
    return { ...success, result: isList ? toRestForm(operation, value) : value }
  }
  const { [payloadField(operation)]: result, userErrors } = value
  const { details, ...userError } = restErrorOf(userErrors) ?? {}
  if (!details) return { ...success, result }
  expect([status, result]).toEqual([200, null])
  return {
    ...success,
    ...userError,
    result: undefined,
    fields: details.map(({ field }) => field),
  }
}

/** Returns a function that calls operations over the transport. */
export const callOver =
  (service: TestService, transport: Transport) =>
  (key: string | undefined, name: string, input: Input = {}): Promise<Outcome> =>
    (transport === 'REST' ? callOverRest : callOverGraphQL)(service, key, operationOf(name), input)

export type Call = ReturnType<typeof callOver>
