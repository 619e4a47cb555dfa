/** A document with several operations: each request runs only the operation that it names. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { expectError } from '../support/expected-error.ts'
import { graphqlRequest } from '../support/graphql-request.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const RUNS = [1, 2, 3, 4]

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  const notes = catalogue.get('crm/notes')
  const rows = Array.from({ length: 20 }, (_, n) => sampleRecord(CREDENTIAL, notes, n + 1))
  await service.save(tenant, CREDENTIAL, notes, rows)
})
afterAll(() => service.stop())

// A new document for each test, so that no test runs what another one compiled.
let document: string
let tests = 0
beforeEach(() => {
  tests += 1
  document = `mutation M($name: String!) { createUser(input: { username: $name }) { user { username } } }
    query Q { crmNotes(credentialId: "${CREDENTIAL}") { totalCount } }
    # ${tests}`
})

const post = (query: string, more: object) =>
  service.server.inject(graphqlRequest(tenant.key, { query, ...more }))

const get = (query: string, operationName: string, variables: object = {}) =>
  service.server.inject({
    url: `/graphql?${new URLSearchParams({ query, operationName, variables: JSON.stringify(variables) })}`,
    headers: {
      authorization: `Bearer ${tenant.key}`,
      accept: 'application/graphql-response+json',
    },
  })

const countUsers = () =>
  service.database.prisma.endUser.count({ where: { environmentId: tenant.environmentId } })

/** Runs the mutation until it is compiled. */
const compileMutation = async (): Promise<void> => {
  for (const run of RUNS) {
    const username = `${tests}-${run}`
    const response = await post(document, { operationName: 'M', variables: { name: username } })
    expect(response.json()).toEqual({ data: { createUser: { user: { username } } } })
  }
}

describe('a mutation that has run before', () => {
  beforeEach(compileMutation)

  test('does not run instead of the query of its document', async () => {
    const before = await countUsers()
    for (const _run of RUNS) {
      const response = await post(document, { operationName: 'Q' })
      expect(response.json()).toEqual({ data: { crmNotes: { totalCount: 20 } } })
    }
    expect(await countUsers()).toBe(before)
  })

  test('does not run over GET, under any name', async () => {
    const before = await countUsers()
    for (const run of RUNS) {
      const refused = await get(document, 'M', { name: `get-${run}` })
      expectError(refused, { code: 'METHOD_NOT_ALLOWED' })
      const result = await get(document, 'Q', { name: `get-${run}` })
      expect(result.json()).toEqual({ data: { crmNotes: { totalCount: 20 } } })
    }
    expect(await countUsers()).toBe(before)
  })

  test('does not run if the name is missing, empty or unknown', async () => {
    const before = await countUsers()
    const variables = { name: 'nobody' }
    for (const _run of RUNS)
      for (const operationName of [undefined, null, '', 'q', 'Mutation'])
        expectError(await post(document, { operationName, variables }), { code: 'BAD_REQUEST' })
    expect(await countUsers()).toBe(before)
  })

  test('runs again after the query has run', async () => {
    for (const _run of RUNS) await post(document, { operationName: 'Q' })
    const variables = { name: `after-${tests}` }
    for (const _run of RUNS) await post(document, { operationName: 'M', variables })
    expect(
      await service.database.prisma.endUser.count({ where: { username: variables.name } }),
    ).toBe(1)
  })
})

test('the cost of one operation does not admit another', async () => {
  const page = (size: string) =>
    `crmNotes(credentialId: "${CREDENTIAL}", first: ${size}) { nodes { id } }`
  const query = `query Sized($n: Int!) { ${page('$n')} } query One { ${page('1')} }`
  const sizeOf = async (operationName: string, n: number) => {
    const response = await post(query, { operationName, variables: { n } })
    return response.json().data.crmNotes.nodes.length
  }
  for (const _run of RUNS) expect(await sizeOf('Sized', 2)).toBe(2)
  for (const _run of RUNS) expect(await sizeOf('One', 20)).toBe(1)
  for (const _run of RUNS) expect(await sizeOf('Sized', 20)).toBe(20)
})

test('operations that share a fragment each return their own fields', async () => {
  const query = `query Count { crmNotes(credentialId: "${CREDENTIAL}") { ...Page } }
    query Page { crmNotes(credentialId: "${CREDENTIAL}", first: 1) { ...Page nodes { __typename } } }
    fragment Page on CrmNoteConnection { totalCount }`
  for (const _run of RUNS) {
    const [count, page] = [
      await post(query, { operationName: 'Count' }),
      await post(query, { operationName: 'Page' }),
    ]
    expect(count.json().data).toEqual({ crmNotes: { totalCount: 20 } })
    expect(page.json().data).toEqual({
      crmNotes: { totalCount: 20, nodes: [{ __typename: 'CrmNote' }] },
    })
  }
})

test('an operation without a name runs each time, with a null name or none', async () => {
  const query = `{ crmNotes(credentialId: "${CREDENTIAL}") { totalCount } }`
  for (const _run of RUNS)
    for (const more of [{}, { operationName: null }])
      expect((await post(query, more)).json().data).toEqual({ crmNotes: { totalCount: 20 } })
})
