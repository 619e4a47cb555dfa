/** The schema is served within the limits of every query; user tokens read it only where GraphiQL is served. */
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../support/expected-error.ts'
import { graphqlRequest } from '../support/graphql-request.ts'
import { startService, type TestService } from '../support/service.ts'

const RUNS = [1, 2, 3]
const BIG = getIntrospectionQuery({
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
})

interface Stage {
  readonly service: TestService
  readonly key: string
  readonly token: string
}

const startStage = async (graphiql: boolean): Promise<Stage> => {
  const service = await startService({ graphiql })
  const tenant = await service.createTenant('production', [])
  const { token } = await service.tokens.issue(tenant)
  return { service, key: tenant.key, token }
}

/** With GraphiQL, as in development, and without, as in production. */
let open: Stage
let closed: Stage

beforeAll(async () => {
  open = await startStage(true)
  closed = await startStage(false)
})
afterAll(() => Promise.all([open.service.stop(), closed.service.stop()]))

const send = ({ service }: Stage, bearer: string | undefined, query: string, more: object = {}) =>
  service.server.inject(graphqlRequest(bearer, { query, ...more }))

describe('a document selects the schema once', () => {
  test.each([
    ['behind aliases', 'a: __schema { types { name } } b: __schema { types { name } }'],
    ['as two types', 'a: __type(name: "Query") { name } b: __type(name: "Node") { name }'],
    ['as a schema and a type', '__schema { types { name } } __type(name: "Query") { name }'],
    ['in a fragment', '...F __schema { types { name } }'],
  ])('and is rejected if it selects it twice %s', async (_what, fields) => {
    const query = `{ ${fields} } ${fields.includes('...F') ? 'fragment F on Query { a: __type(name: "Node") { name } }' : ''}`
    for (const _run of RUNS) {
      expectError(await send(closed, closed.key, query), { code: 'QUERY_TOO_COMPLEX' })
      expectError(await send(open, undefined, query), { code: 'QUERY_TOO_COMPLEX' })
    }
  })

  test('and is rejected if it selects it in two operations', async () => {
    const query = 'query A { __type(name: "A") { name } } query B { __type(name: "B") { name } }'
    const response = await send(open, undefined, query, { operationName: 'A' })
    expectError(response, { code: 'QUERY_TOO_COMPLEX' })
  })

  test('and gets all of it, as GraphiQL and code generators request it', async () => {
    for (const _run of RUNS) {
      const result = await send(open, undefined, BIG)
      expect(result.statusCode, result.body.slice(0, 300)).toBe(200)
      expect(result.json().data.__schema.types.length).toBeGreaterThan(200)
    }
  })
})

describe('the cost of an introspection is the number of fields that it returns', () => {
  const aliases = Array.from({ length: 900 }, (_, n) => `a${n}: __typename`).join(' ')

  test.each([
    ['of fields within fields', `__schema { types { fields { type { fields { ${aliases} } } } } }`],
    ['of a type', `__type(name: "Query") { fields { type { fields { ${aliases} } } } }`],
    [
      'in fragments',
      `__schema { types { ...T } } } fragment T on __Type { fields { type { fields { ${aliases} } } }`,
    ],
  ])('too many fields %s are rejected', async (_what, fields) => {
    for (const _run of RUNS)
      expectError(await send(open, undefined, `{ ${fields} }`), { code: 'QUERY_TOO_COMPLEX' })
  })

  test('a type that a variable names', async () => {
    const query = `query ($name: String!) { __type(name: $name) { fields { type { fields { ${aliases} } } } } }`
    const introspect = (name: string) => send(open, undefined, query, { variables: { name } })
    for (const _run of RUNS) {
      expectError(await introspect('Query'), { code: 'QUERY_TOO_COMPLEX' })
      expect((await introspect('PageInfo')).statusCode).toBe(200)
      expect((await introspect('Nope')).json()).toEqual({ data: { __type: null } })
    }
  })

  test('is added to the cost of the records in the document', async () => {
    const schema = '__schema { types { fields { name description args { name type { name } } } } }'
    const records =
      'crmAccounts(credentialIds: [], first: 100) { nodes { notes(first: 99) { nodes { id a: id b: id c: id } } } }'
    const together = `{ ${schema} ${records} }`
    for (const _run of RUNS) {
      expect((await send(closed, closed.key, `{ ${schema} }`)).statusCode).toBe(200)
      const alone = await send(closed, closed.key, `{ ${records} }`)
      expectError(alone, { code: 'INVALID_PARAMETER' })
      expectError(await send(closed, closed.key, together), { code: 'QUERY_TOO_COMPLEX' })
    }
  })
})

describe('a user token', () => {
  const QUERIES = [
    '{ __schema { types { name } } }',
    '{ a: __type(name: "Query") { name } }',
    '{ ... { ...F } } fragment F on Query { __schema { queryType { name } } }',
    'query ($yes: Boolean = true) { __schema @include(if: $yes) { queryType { name } } }',
  ]

  test.each(QUERIES)('cannot read the schema in production: %s', async (query) => {
    for (const _run of RUNS) {
      expectError(await send(closed, closed.token, query), { code: 'FORBIDDEN' })
      expect((await send(closed, closed.key, query)).statusCode).toBe(200)
    }
  })

  test.each(QUERIES)('can read it where GraphiQL is served: %s', async (query) => {
    for (const _run of RUNS) expect((await send(open, open.token, query)).statusCode).toBe(200)
  })

  test('can read type names everywhere', async () => {
    for (const _run of RUNS) {
      const response = await send(closed, closed.token, '{ __typename }')
      expect(response.json()).toEqual({ data: { __typename: 'Query' } })
    }
  })
})
