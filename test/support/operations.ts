/** Operations put over either face, told by name, so that one test speaks for both. */
import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql'
import { buildSchema } from '../../src/api/graphql/schema.ts'
import { argumentName, fieldsAt, type Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { catalogue } from '../../src/generated/registry.ts'
import type { TestService } from './service.ts'

export const faces = ['REST', 'GraphQL'] as const
export type Face = (typeof faces)[number]

export interface Outcome {
  readonly status: number
  /** What the operation answers, without the key around it; undefined: it failed. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  readonly result: any
  /** The error's code; undefined: it succeeded. */
  readonly code: string | undefined
  readonly message: string | undefined
  /** The fields that a refusal names. */
  readonly fields: readonly string[]
}

export type Given = Readonly<Record<string, unknown>>

const schema = buildSchema(catalogue)

export const operationOf = (name: string): Operation => {
  const found = operations.find((operation) => operation.name === name)
  if (found === undefined) throw new RangeError(`There is no operation ${name}.`)
  return found
}

/** Those of the given values that are of none of these fields, and those that are. */
const divide = (given: Given, fields: object): readonly [Given, Given] => {
  const entries = Object.entries(given)
  const isOf = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(fields, name)
  return [
    Object.fromEntries(entries.filter((entry) => !isOf(entry))),
    Object.fromEntries(entries.filter(isOf)),
  ]
}

/** The address and body of an operation. What no place knows goes where the most can be said of it. */
export const restRequest = (operation: Operation, given: Given) => {
  const [others, inPath] = divide(given, fieldsAt(operation, 'path'))
  const hasBody = operation.body !== undefined
  const [rest, inQuery] = divide(others, fieldsAt(operation, 'query'))
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

const overRest = async (
  service: TestService,
  key: string | undefined,
  operation: Operation,
  given: Given,
): Promise<Outcome> => {
  const { method, url, body } = restRequest(operation, given)
  const answer = await service.send(key, method, url, body)
  const parsed = answer.json()
  const { code, message, details = [] } = parsed.error ?? {}
  const { key: around } = operation.answer
  return {
    status: answer.statusCode,
    result: code !== undefined ? undefined : around === undefined ? parsed : parsed[around],
    code,
    message,
    fields: details.map(({ field }: { field: string }) => field),
  }
}

const selectionOf = (type: GraphQLOutputType): string => {
  const named = getNamedType(type)
  if (!isObjectType(named)) return ''
  const fields = Object.values(named.getFields())
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(field.type)}`).join(' ')} }`
}

/** The document of an operation, with a variable for each argument. */
export const documentOf = ({ name, rest }: Operation): string => {
  const [root, word] =
    rest.method === 'GET'
      ? [schema.getQueryType(), 'query']
      : [schema.getMutationType(), 'mutation']
  const field = root?.getFields()[name]
  if (field === undefined) throw new RangeError(`The schema has no field ${name}.`)
  const declared = field.args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const passed = field.args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  return `${word} ${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selectionOf(field.type)} }`
}

const overGraphQL = async (
  service: TestService,
  key: string | undefined,
  operation: Operation,
  given: Given,
): Promise<Outcome> => {
  const flat = { ...fieldsAt(operation, 'path'), ...fieldsAt(operation, 'query') }
  const [input, ownNames] = divide(given, flat)
  const variables = Object.fromEntries(
    Object.entries(ownNames).map(([name, value]) => [argumentName(operation, name), value]),
  )
  const { status, data, errors } = await service.graphql(
    key,
    documentOf(operation),
    operation.body === undefined ? { ...input, ...variables } : { ...variables, input },
  )
  const [error] = errors
  const details = error?.extensions.details as readonly { field: string }[] | undefined
  return {
    status,
    result: error ? undefined : data[operation.name],
    code: error?.extensions.code,
    message: error?.message,
    fields: (details ?? []).map(({ field }) => field),
  }
}

/** Puts an operation over a face. */
export const callOver =
  (service: TestService, face: Face) =>
  (key: string | undefined, name: string, given: Given = {}): Promise<Outcome> =>
    (face === 'REST' ? overRest : overGraphQL)(service, key, operationOf(name), given)

export type Call = ReturnType<typeof callOver>
