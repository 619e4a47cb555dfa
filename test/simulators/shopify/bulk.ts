/** Bulk operations: a query without pages whose result is a file of one record a line. */
import {
  type DocumentNode,
  getNamedType,
  isListType,
  isNonNullType,
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import { type Context, mutation, type Resolvers } from './context.ts'
import { refuse } from './errors.ts'
import type { BulkOperation, Entry } from './records.ts'
import { schema } from './schema.ts'
import { numberOf, type Shop, writeTime } from './shop.ts'

const MAX_CONNECTIONS = 5
const MAX_DEPTH = 2
const MAX_RUNNING_OPERATIONS = 5
const RESULT_MS = 7 * 86_400_000

/** The reason why a query cannot run in bulk; undefined if it can. */
const findProblem = (document: DocumentNode): string | undefined => {
  const info = new TypeInfo(schema)
  let count = 0
  let depth = 0
  let deepest = 0
  let lists = 0
  let problem: string | undefined
  const kindOf = () => {
    const type = info.getType()
    const inner = isNonNullType(type) ? type.ofType : type
    return {
      isConnection: getNamedType(type)?.name.endsWith('Connection') ?? false,
      isList: isListType(inner) && !/(Connection|Edge)$/.test(info.getParentType()?.name ?? ''),
    }
  }
  visit(
    document,
    visitWithTypeInfo(info, {
      OperationDefinition: ({ operation }) => {
        if (operation !== 'query') problem = 'Only queries are supported'
      },
      Field: {
        enter: ({ name }) => {
          const { isConnection, isList } = kindOf()
          if (isConnection && lists > 0)
            problem =
              'Queries that contain a connection field within a list field are not supported'
          if (name.value === 'node' && info.getParentType()?.name === 'QueryRoot')
            problem = 'The node and nodes fields are not supported at the top'
          if (isList) lists++
          if (!isConnection) return
          count++
          depth++
          deepest = Math.max(deepest, depth)
        },
        leave: () => {
          const { isConnection, isList } = kindOf()
          if (isList) lists--
          if (isConnection) depth--
        },
      },
    }),
  )
  if (count === 0) return 'Bulk queries must contain at least one connection'
  if (count > MAX_CONNECTIONS)
    return `Bulk queries cannot contain more than ${MAX_CONNECTIONS} connections`
  if (deepest > MAX_DEPTH) return `Bulk queries cannot nest more than ${MAX_DEPTH} connections`
  return problem
}

/** @throws UserErrors */
const parseBulk = (query: string): DocumentNode => {
  const refuseQuery = (message: string) =>
    refuse('query', `Invalid bulk query: ${message}`, 'INVALID')
  let document: DocumentNode
  try {
    document = parse(query)
  } catch (error) {
    return refuseQuery(String(error))
  }
  if (document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length !== 1)
    refuseQuery('it must have one operation')
  const [error] = validate(schema, document)
  if (error) refuseQuery(error.message)
  const problem = findProblem(document)
  return problem === undefined ? document : refuse('query', problem, 'INVALID')
}

interface Lines {
  readonly roots: JsonObject[]
  /** Every record, parents before their children. */
  readonly grouped: JsonObject[]
  readonly children: JsonObject[]
}

const nodesOf = (value: unknown): readonly JsonObject[] | undefined => {
  if (!isJsonObject(value)) return undefined
  if (Array.isArray(value.nodes)) return value.nodes
  return Array.isArray(value.edges) ? value.edges.map(({ node }) => node) : undefined
}

/** Adds a record and the records of its connections. A child names its parent in `__parentId`. */
const addRecord = (record: JsonObject, parentId: unknown, lines: Lines): void => {
  const entries = Object.entries(record)
  const own = Object.fromEntries(entries.filter(([, value]) => nodesOf(value) === undefined))
  const line = parentId === undefined ? own : { ...own, __parentId: String(parentId) }
  lines.grouped.push(line)
  const list = parentId === undefined ? lines.roots : lines.children
  list.push(line)
  for (const [, value] of entries)
    for (const child of nodesOf(value) ?? []) addRecord(child, record.id, lines)
}

const linesOf = (data: unknown): Lines => {
  const lines: Lines = { roots: [], grouped: [], children: [] }
  for (const value of Object.values(isJsonObject(data) ? data : {}))
    for (const record of nodesOf(value) ?? []) addRecord(record, undefined, lines)
  return lines
}

const RUNNING = ['CREATED', 'RUNNING', 'CANCELING']

interface BulkRequest {
  readonly id: string
  readonly document: DocumentNode
  readonly groupObjects: boolean
}

/** Executes the query and makes its result available, unless it was cancelled. */
const finish = ({ id, document, groupObjects }: BulkRequest, context: Context): void => {
  const { shop, origin } = context
  if (shop.BulkOperation.find(id)?.value.status !== 'RUNNING') return
  const { data, errors } = context.executeBulk(document)
  if (errors?.[0]) throw errors[0]
  // graphql-js creates objects without a prototype; JSON is what a client would get.
  const { roots, grouped, children } = linesOf(JSON.parse(JSON.stringify(data)))
  const records = groupObjects ? grouped : [...roots, ...children]
  const file = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  shop.results.set(String(numberOf(id)), file)
  const url = `${origin}/${shop.account.id}/bulk-results/${numberOf(id)}`
  shop.BulkOperation.change(
    id,
    {
      status: 'COMPLETED',
      completedAt: writeTime(shop.clock.nowMs()),
      objectCount: records.length,
      rootObjectCount: roots.length,
      fileSize: file.length,
      // An empty result has no file.
      url: records.length > 0 ? url : null,
    },
    'finished',
  )
}

const run = (
  { query, groupObjects }: { readonly query: string; readonly groupObjects: boolean },
  context: Context,
): object => {
  const { shop, client } = context
  const document = parseBulk(query)
  const running = shop.BulkOperation.list().filter(({ value }) => RUNNING.includes(value.status))
  if (running.length >= MAX_RUNNING_OPERATIONS)
    refuse(null, 'The limit of concurrent bulk operations is reached', 'LIMIT_REACHED')
  const operation = shop.BulkOperation.insert(shop.nextId('BulkOperation'), {
    clientId: client.clientId,
    status: 'CREATED',
    query,
    completedAt: null,
    objectCount: 0,
    rootObjectCount: 0,
    fileSize: null,
    url: null,
  })
  const { id } = operation
  const { jobMs } = shop.settings
  shop.later(jobMs / 2, () => {
    if (shop.BulkOperation.find(id)?.value.status === 'CREATED')
      shop.BulkOperation.change(id, { status: 'RUNNING' })
  })
  shop.later(jobMs, () => finish({ id, document, groupObjects }, context))
  return { bulkOperation: operation }
}

const cancel = ({ id }: { readonly id: string }, { shop }: Context): object => {
  const operation = shop.BulkOperation.find(id) ?? refuse('id', 'Bulk operation does not exist')
  if (!RUNNING.includes(operation.value.status))
    refuse(
      'id',
      `A bulk operation cannot be canceled when it is ${operation.value.status.toLowerCase()}`,
    )
  const completedAt = writeTime(shop.clock.nowMs())
  const fields = { status: 'CANCELED', completedAt }
  return { bulkOperation: shop.BulkOperation.change(id, fields, 'finished') }
}

/** The file of a result; undefined: there is none, or it has expired. */
export const findResult = (number: string, shop: Shop): Buffer | undefined => {
  const operation = shop.BulkOperation.find(`gid://shopify/BulkOperation/${number}`)
  const age = shop.clock.nowMs() - (operation?.updatedAtMs ?? 0)
  return age < RESULT_MS ? shop.results.get(number) : undefined
}

export const bulkResolvers: Resolvers = {
  BulkOperation: {
    fileSize: ({ value }: Entry<BulkOperation>) =>
      value.fileSize === null ? null : String(value.fileSize),
    objectCount: ({ value }: Entry<BulkOperation>) => String(value.objectCount),
    rootObjectCount: ({ value }: Entry<BulkOperation>) => String(value.rootObjectCount),
    // `type` of a stored record is its GraphQL type.
    type: () => 'QUERY',
  },
  Mutation: {
    bulkOperationRunQuery: mutation(run),
    bulkOperationCancel: mutation(cancel),
  },
}
