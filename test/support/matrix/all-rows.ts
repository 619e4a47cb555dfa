/** Every route of the server and every field of its schema, as rows of the access matrix. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { GraphQLObjectType, GraphQLSchema } from 'graphql'
import { graphqlName } from '../../../src/api/operation.ts'
import { operations } from '../../../src/api/operations.ts'
import { catalogue } from '../../../src/generated/registry.ts'
import type { MatrixHarness } from './harness.ts'
import {
  graphqlRequest,
  nodeRows,
  openRow,
  operationRows,
  type Row,
  recordMutationRow,
  recordQueryRows,
  recordRouteRow,
} from './rows.ts'

export interface Route {
  readonly method: string
  readonly url: string
}

/** The result of `start`, and every route of the servers that it creates. */
export const collectRoutes = async <T>(
  start: () => Promise<T>,
): Promise<readonly [T, readonly Route[]]> => {
  const routes: Route[] = []
  const onRoute = ({ method, url }: RouteOptions): void => {
    for (const name of [method].flat()) routes.push({ method: name, url })
  }
  const onServer = (message: unknown): void => {
    // Fastify publishes each instance here: https://fastify.dev/docs/latest/Reference/Hooks/#diagnostics-channel-hooks
    const { fastify } = message as { readonly fastify: FastifyInstance }
    fastify.addHook('onRoute', onRoute)
  }
  subscribe('fastify.initialization', onServer)
  const started = await start()
  unsubscribe('fastify.initialization', onServer)
  return [started, routes]
}

const PUBLIC =
  /^\/(health|ready|openapi\.json|schema\.graphql|llms\.txt|docs|docs\/(apps\/)?[\w-]+\.md|docs\/assets\/[0-9a-f]{12}\/[\w.-]+|sdk\.js|connect|connect\/assets\/[0-9a-f]{12}\/[\w./-]+)$/
/** Pages of an authorization in a browser: without a ticket or a state, they are errors. */
const AUTHORIZATION_PAGE = /^\/(oauth\/start\/:ticket|oauth\/callback|sandbox\/oauth\/authorize)$/
const PREFIX = '/2024-03/one'
const NESTED = `${PREFIX}/commerce/orders/:orderId/fulfillments`

const resourceAt = (url: string) =>
  catalogue.resources.find(({ topic, restPath }) =>
    [PREFIX + restPath, ...(topic === 'commerce/fulfillments' ? [NESTED] : [])].some((path) =>
      [path, `${path}/:id`, `${path}/count`, `${path}/aggregate`].includes(url),
    ),
  )

/** The methods of an address by its definition; undefined if the address is not defined. */
const methodsAt = (url: string): readonly string[] | undefined => {
  if (PUBLIC.test(url)) return ['GET']
  const operationsAtUrl = operations.filter(({ rest }) => rest.path === url)
  if (operationsAtUrl.length > 0) return operationsAtUrl.map(({ rest }) => rest.method)
  const verbs = resourceAt(url)?.verbs
  if (verbs === undefined) return
  if (url.endsWith('/count') || url.endsWith('/aggregate')) return ['GET']
  return url.endsWith('/:id')
    ? [
        'GET',
        ...(verbs.includes('update') ? ['PUT', 'PATCH'] : []),
        ...(verbs.includes('delete') ? ['DELETE'] : []),
      ]
    : ['GET', ...(verbs.includes('create') ? ['POST'] : [])]
}

const GRAPHQL_METHODS: Readonly<Record<string, Row['allowed']>> = {
  GET: { status: 200 },
  POST: { status: 200 },
}

const graphqlRow = (method: string): Row => ({
  name: `REST ${method} /graphql`,
  access: 'users',
  objects: [],
  changes: false,
  isOfRecords: false,
  allowed: GRAPHQL_METHODS[method] ?? { status: 405, code: 'METHOD_NOT_ALLOWED' },
  request: () =>
    method === 'POST'
      ? graphqlRequest('{ __typename }', {})
      : { method, url: `/graphql${method === 'GET' ? '?query={__typename}' : ''}` },
})

/** @throws RangeError for a route without a definition */
export const restRows = (harness: MatrixHarness, { method, url }: Route): readonly Row[] => {
  if (url === '/graphql') return [graphqlRow(method)]
  if (AUTHORIZATION_PAGE.test(url)) {
    // A HEAD request would use up a ticket.
    const isAllowed = method === 'GET' || url.startsWith('/sandbox/')
    return [openRow(method, url, isAllowed ? 400 : 405)]
  }
  const methods = methodsAt(url)
  if (methods === undefined) throw new RangeError(`${method} ${url} has no definition.`)
  const requestedMethod = method === 'HEAD' ? 'GET' : method
  const isForUsers = operations.some(
    ({ rest, callers }) => rest.path === url && callers.includes('user'),
  )
  if (method === 'OPTIONS' && isForUsers) return [openRow(method, url, 204)]
  if (!methods.includes(requestedMethod)) return [openRow(method, url, 405)]
  if (PUBLIC.test(url)) return [openRow(method, url, 200)]
  const operation = operations.find(
    ({ rest }) => rest.path === url && rest.method === requestedMethod,
  )
  if (operation) return operationRows(harness, operation, 'REST', method)
  const resource = resourceAt(url)
  return resource ? [recordRouteRow(resource, { method, url })] : []
}

/** The routes that the definitions require: `GET /health`. */
export const definedRoutes = (): readonly string[] => [
  ...[
    '/health',
    '/ready',
    '/docs',
    '/openapi.json',
    '/schema.graphql',
    '/llms.txt',
    '/connect',
    '/sdk.js',
  ].map((url) => `GET ${url}`),
  ...operations.map(({ rest }) => `${rest.method} ${rest.path}`),
  ...catalogue.resources.flatMap(({ topic, restPath }) =>
    [PREFIX + restPath, ...(topic === 'commerce/fulfillments' ? [NESTED] : [])].flatMap((path) =>
      [path, `${path}/:id`, `${path}/count`, `${path}/aggregate`].flatMap((url) =>
        (methodsAt(url) ?? []).map((method) => `${method} ${url}`),
      ),
    ),
  ),
  ...['GET', 'POST'].map((method) => `${method} /graphql`),
]

const fieldNames = (type: GraphQLObjectType | null | undefined): readonly string[] =>
  Object.keys(type?.getFields() ?? {})

const VERBS = ['create', 'update', 'delete'] as const

/** @throws RangeError for a field without a definition */
const fieldRows = (harness: MatrixHarness, name: string): readonly Row[] => {
  const operation = operations.find((operation) => graphqlName(operation) === name)
  if (operation) return operationRows(harness, operation, 'GraphQL')
  if (name === 'node' || name === 'nodes') return nodeRows(name, catalogue.resources)
  for (const resource of catalogue.resources) {
    const { listField, getField, typeName } = resource
    if ([listField, getField, `${listField}Aggregate`].includes(name))
      return recordQueryRows(resource, name)
    for (const verb of VERBS)
      if (name === verb + typeName) return [recordMutationRow(resource, verb)]
  }
  throw new RangeError(`The field ${name} has no definition.`)
}

export const graphqlRows = (harness: MatrixHarness, schema: GraphQLSchema): readonly Row[] =>
  [schema.getQueryType(), schema.getMutationType()]
    .flatMap(fieldNames)
    .flatMap((name) => fieldRows(harness, name))
