/** Queries that would cost too much are rejected before they run, however the cost is hidden. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { expectError, readError } from '../support/expected-error.ts'
import { graphqlRequest } from '../support/graphql-request.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const MINE = `credentialId: "${CREDENTIAL}"`

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  for (const topic of ['crm/accounts', 'crm/notes', 'crm/contacts'])
    await service.save(
      tenant,
      CREDENTIAL,
      catalogue.get(topic),
      [1, 2].map((n) => sampleRecord(CREDENTIAL, catalogue.get(topic), n)),
    )
  // Caches the credential, so that a rejected query runs no statement.
  await send(`{ crmAccounts(${MINE}) { nodes { id } } }`)
  await send(
    `{ node(id: "${sampleRecord(CREDENTIAL, catalogue.get('crm/accounts'), 1).id}") { id } }`,
  )
})
afterAll(() => service.stop())

const send = (query: string, more: Record<string, unknown> = {}) =>
  service.server.inject(graphqlRequest(tenant.key, { query, ...more }))

/** Expects the query to be rejected on every repetition, without a statement. */
const expectRejectedEachTime = async (
  query: string,
  more: Record<string, unknown> = {},
  code: 'QUERY_TOO_COMPLEX' | 'BAD_REQUEST' = 'QUERY_TOO_COMPLEX',
): Promise<void> => {
  service.takeStatements()
  for (const _again of [1, 2, 3])
    expectError(await send(query, more), { code }, query.slice(0, 300))
  expect(service.takeStatements()).toEqual([])
}

const expectSuccess = async (query: string, more: Record<string, unknown> = {}) => {
  const response = await send(query, more)
  expect(response.statusCode, response.body.slice(0, 500)).toBe(200)
  return response.json().data
}

/** 100 accounts with 100 notes each, which belong to accounts again: a million records. */
const costlySelection = (size: string): string =>
  `crmAccounts(${MINE}, first: ${size}) { nodes { notes(first: ${size}) { nodes { account { notes(first: ${size}) { nodes { id } } } } } } }`

describe('rejects a query that costs too much', () => {
  test('by literal page sizes', async () => {
    await expectRejectedEachTime(`{ ${costlySelection('100')} }`)
    await expectSuccess(`{ ${costlySelection('3')} }`)
  })

  test('by its variables', async () => {
    await expectRejectedEachTime(`query ($n: Int) { ${costlySelection('$n')} }`, {
      variables: { n: 100 },
    })
    await expectSuccess(`query ($n: Int) { ${costlySelection('$n')} }`, { variables: { n: 3 } })
  })

  test('by the defaults of its variables', async () => {
    await expectRejectedEachTime(`query ($n: Int = 100) { ${costlySelection('$n')} }`)
    await expectRejectedEachTime(`query ($n: Int = 100) { ${costlySelection('$n')} }`, {
      variables: {},
    })
    await expectSuccess(`query ($n: Int = 100) { ${costlySelection('$n')} }`, {
      variables: { n: 3 },
    })
  })

  test('by the default page size', async () => {
    const implicit = costlySelection('1').replaceAll(', first: 1', '').replaceAll('(first: 1)', '')
    await expectRejectedEachTime(`{ ${implicit} }`)
    await expectRejectedEachTime(`query ($n: Int) { ${costlySelection('$n')} }`, {
      variables: { n: null },
    })
  })

  test('by last instead of first', async () => {
    await expectRejectedEachTime(`{ ${costlySelection('100').replaceAll('first', 'last')} }`)
  })

  test('in a fragment, an inline fragment or a node', async () => {
    await expectRejectedEachTime(`{ ...F } fragment F on Query { ${costlySelection('100')} }`)
    await expectRejectedEachTime(`{ ... on Query { ... { ${costlySelection('100')} } } }`)
    const { id } = sampleRecord(CREDENTIAL, catalogue.get('crm/accounts'), 1)
    await expectRejectedEachTime(
      `{ node(id: "${id}") { ... on CrmAccount { notes(first: 100) { nodes { account { notes(first: 100) { nodes { account { notes(first: 100) { nodes { id } } } } } } } } } } }`,
    )
  })

  test('in parts, behind aliases', async () => {
    const aliasedList = (n: number) =>
      `a${n}: crmAccounts(${MINE}, first: 100) { nodes { id a: accountName b: website c: industry d: description e: accountOwner f: id g: id h: id i: id j: id } }`
    const aliasedLists = (count: number) =>
      Array.from({ length: count }, (_, n) => aliasedList(n)).join(' ')
    await expectRejectedEachTime(`{ ${aliasedLists(49)} }`)
  })

  test('behind a directive that could exclude it and does not', async () => {
    const query = `query ($yes: Boolean!) { __typename ... @include(if: $yes) { ${costlySelection('100')} } }`
    await expectRejectedEachTime(query, { variables: { yes: true } })
    await expectSuccess(query, { variables: { yes: false } })
    await expectRejectedEachTime(
      `query ($no: Boolean = false) { __typename ... @skip(if: $no) { ${costlySelection('100')} } }`,
    )
  })

  test('next to a field with an invalid argument', async () => {
    // The variable is optional, so null passes as its value and fails only as the argument's.
    await expectRejectedEachTime(
      `query ($id: ID = "1") { crmAccount(${MINE}, id: $id) { id } ${costlySelection('100')} }`,
      { variables: { id: null } },
      'BAD_REQUEST',
    )
  })

  test('behind fragments that multiply', async () => {
    const nestedFragments = (levels: number, core: string) =>
      [
        '{ ...F0 }',
        ...Array.from(
          { length: levels },
          (_, n) => `fragment F${n} on Query { ...F${n + 1} ... on Query { ...F${n + 1} } }`,
        ),
        `fragment F${levels} on Query { ${core} }`,
      ].join('\n')
    // Depth and tokens are within their limits; only the count of nodes is not.
    for (const levels of [5, 8, 10, 12, 13, 14, 20, 30, 100])
      await expectRejectedEachTime(nestedFragments(levels, costlySelection('100')))
    for (const levels of [14, 30, 100])
      await expectRejectedEachTime(nestedFragments(levels, '__typename'))
  })

  test('in the selected operation, even if it is not the first', async () => {
    const query = `query Cheap { __typename } query Costly { ${costlySelection('100')} }`
    await expectRejectedEachTime(query, { operationName: 'Costly' })
    await expectSuccess(query, { operationName: 'Cheap' })
    await expectRejectedEachTime(query, { operationName: 'Neither' }, 'BAD_REQUEST')
    await expectRejectedEachTime(query, { operationName: '' }, 'BAD_REQUEST')
    await expectRejectedEachTime(query, {}, 'BAD_REQUEST')
    await expectRejectedEachTime(
      `{ ${costlySelection('100')} }`,
      { operationName: 'Nameless' },
      'BAD_REQUEST',
    )
    await expectRejectedEachTime(
      `{ ${costlySelection('100')} }`,
      { operationName: '' },
      'BAD_REQUEST',
    )
  })

  test('over GET as over POST', async () => {
    const response = await service.server.inject({
      url: `/graphql?query=${encodeURIComponent(`{ ${costlySelection('100')} }`)}`,
      headers: {
        authorization: `Bearer ${tenant.key}`,
        accept: 'application/graphql-response+json',
      },
    })
    expectError(response, { code: 'QUERY_TOO_COMPLEX' })
  })
})

describe('rejects a document with too much', () => {
  const nestedSelection = (levels: number): string =>
    levels === 0 ? 'id' : `notes(first: 1) { nodes { account { ${nestedSelection(levels - 1)} } } }`

  test('depth', async () => {
    await expectRejectedEachTime(`{ crmAccount(${MINE}, id: "1") { ${nestedSelection(5)} } }`)
    await expectSuccess(`{ crmAccount(${MINE}, id: "1") { ${nestedSelection(3)} } }`)
  })

  test('depth, spread over fragments', async () => {
    const fragments = Array.from(
      { length: 20 },
      (_, n) =>
        `fragment F${n} on CrmAccount { notes(first: 1) { nodes { account { ...F${n + 1} } } } }`,
    )
    await expectRejectedEachTime(
      `{ crmAccount(${MINE}, id: "1") { ...F0 } } ${fragments.join(' ')} fragment F20 on CrmAccount { id }`,
    )
  })

  test('aliases', async () => {
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, n) => `a${n}: node(id: "1") { id }`).join(' ')
    await expectRejectedEachTime(`{ ${aliases(51)} }`)
    await expectRejectedEachTime(`{ ${aliases(1000)} }`)
    await expectSuccess(`{ ${aliases(50)} }`)
  })

  test('directives', async () => {
    const directives = (count: number) =>
      Array.from({ length: count }, (_, n) => `a: __typename @include(if: true) # ${n}`).join('\n')
    await expectRejectedEachTime(`{ ${directives(51)}\n }`)
    await expectRejectedEachTime(`{ __typename ${'@nope '.repeat(1000)} }`)
  })

  test('with the same status for every accepted media type', async () => {
    for (const query of [`{ ${'__typename '.repeat(4001)}}`, `{ ${costlySelection('100')} }`]) {
      const response = await service.server.inject({
        url: '/graphql',
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}`, accept: 'application/json' },
        payload: { query },
      })
      expectError(response, { code: 'QUERY_TOO_COMPLEX' })
    }
  })

  test('tokens', async () => {
    await expectRejectedEachTime(`{ ${'__typename '.repeat(4000)} }`)
    await expectRejectedEachTime(`{ a(b: [${'1,'.repeat(100_000)}]) }`)
    await expectRejectedEachTime(`{ ${'a { '.repeat(100_000)}`)
  })

  test('nesting of brackets, too deep for any parser', async () => {
    for (const levels of [200, 1000, 1900, 2500, 3500, 100_000]) {
      const [open, close] = ['['.repeat(levels), ']'.repeat(levels)]
      for (const query of [
        `{ node(id: ${open}${close}) { id } }`,
        `{ node(id: ${'{a:'.repeat(levels)}1${'}'.repeat(levels)}) { id } }`,
        `query ($a: ${open}Int${close}) { __typename }`,
        `query ($a: Int = ${open}${close}) { __typename }`,
        `{ ${'... { '.repeat(levels)} __typename ${'}'.repeat(levels)} }`,
      ])
        for (const _again of [1, 2])
          readError(await send(query), `${levels}: ${query.slice(0, 40)}`)
    }
  })

  test('introspection within introspection', async () => {
    const nestedIntrospection = (levels: number): string =>
      levels === 0 ? 'name' : `fields { type { ${nestedIntrospection(levels - 1)} } }`
    await expectRejectedEachTime(
      `{ __schema { types { ${nestedIntrospection(8)} } } }`,
      {},
      'BAD_REQUEST',
    )
    await expectSuccess('{ __schema { types { name fields { name type { name } } } } }')
  })
})
