/** An invalid GraphQL request gets a 4xx that names the error, on every repetition. */
import { describe, expect, test } from 'vitest'
import { type Expected, expectError } from '../support/expected-error.ts'
import { CREDENTIAL, NEVER, shareServiceWithRecords } from '../support/service-with-records.ts'

const harness = shareServiceWithRecords()
const { graph } = harness

const HALF = '\ud800'
const LONG = 'x'.repeat(1001)

describe('over GraphQL', () => {
  const nodes = '{ nodes { id } }'
  const mine = `credentialId: "${CREDENTIAL}"`

  test.each<[string, string, Expected]>([
    [
      'no credential',
      `{ crmAccounts ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    [
      'an empty credential',
      `{ crmAccounts(credentialId: "") ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    [
      'null as credential',
      `{ crmAccounts(credentialId: null) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    [
      'no credentials',
      `{ crmAccounts(credentialIds: []) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialIds' },
    ],
    [
      'an empty one of several credentials',
      `{ crmAccounts(credentialIds: ["${CREDENTIAL}", ""]) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    [
      '101 credentials',
      `{ crmAccounts(credentialIds: [${`"${CREDENTIAL}",`.repeat(101)}]) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialIds' },
    ],
    [
      'a credential and credentials',
      `{ crmAccounts(${mine}, credentialIds: ["${CREDENTIAL}"]) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    [
      'a credential and a user',
      `{ crmAccounts(${mine}, userId: "1") ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    [
      'a credential twice',
      `{ crmAccounts(${mine}, ${mine}) ${nodes} }`,
      { code: 'BAD_REQUEST', field: 'credentialId' },
    ],
    [
      'an unknown credential',
      `{ crmAccounts(credentialId: "${NEVER}") ${nodes} }`,
      { code: 'CREDENTIAL_NOT_FOUND', field: 'credentialId' },
    ],
    [
      'an unknown one of several',
      `{ crmAccounts(credentialIds: ["${CREDENTIAL}", "${NEVER}"]) ${nodes} }`,
      { code: 'CREDENTIAL_NOT_FOUND', field: 'credentialId' },
    ],
    [
      'an unknown user',
      `{ crmAccounts(userId: "${NEVER}") ${nodes} }`,
      { code: 'USER_NOT_FOUND', field: 'userId' },
    ],
    [
      'a user that is not an id',
      '{ crmAccounts(userId: "\\u0000") { nodes { id } } }',
      { code: 'USER_NOT_FOUND', field: 'userId' },
    ],
    [
      'a credential with a NUL',
      String.raw`{ crmAccounts(credentialId: "\u0000") { nodes { id } } }`,
      { code: 'CREDENTIAL_NOT_FOUND' },
    ],
    [
      'a credential with half a surrogate pair',
      String.raw`{ crmAccounts(credentialId: "\ud800") { nodes { id } } }`,
      { code: 'BAD_REQUEST' },
    ],
    [
      'an id with a NUL',
      String.raw`{ crmAccount(${mine}, id: "\u0000") { id } }`,
      { code: 'INVALID_PARAMETER', field: 'id' },
    ],
    [
      'an id of 1,001 letters',
      `{ crmAccount(${mine}, id: "${LONG}") { id } }`,
      { code: 'INVALID_PARAMETER', field: 'id' },
    ],
    [
      'a page size of 0',
      `{ crmAccounts(${mine}, first: 0) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'first' },
    ],
    [
      'a page size of 101',
      `{ crmAccounts(${mine}, first: 101) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'first' },
    ],
    [
      'a page size of 1.5',
      `{ crmAccounts(${mine}, first: 1.5) ${nodes} }`,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a page size of "abc"',
      `{ crmAccounts(${mine}, first: "abc") ${nodes} }`,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a page size above Int',
      `{ crmAccounts(${mine}, first: 99999999999) ${nodes} }`,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a last page size of 0',
      `{ crmAccounts(${mine}, last: 0) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'last' },
    ],
    [
      'both first and last',
      `{ crmAccounts(${mine}, first: 1, last: 1) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'last' },
    ],
    [
      'an invalid cursor',
      `{ crmAccounts(${mine}, after: "zz") ${nodes} }`,
      { code: 'INVALID_CURSOR', field: 'after' },
    ],
    [
      'an invalid before cursor',
      `{ crmAccounts(${mine}, before: "zz") ${nodes} }`,
      { code: 'INVALID_CURSOR', field: 'before' },
    ],
    [
      'a cursor of 5,000 letters',
      `{ crmAccounts(${mine}, after: "${'x'.repeat(5000)}") ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'after' },
    ],
    [
      'a page size of 0 in a linked list',
      `{ crmAccount(${mine}, id: "1") { notes(first: 0) ${nodes} } }`,
      { code: 'INVALID_PARAMETER', field: 'first' },
    ],
    [
      'an unknown order',
      `{ crmAccounts(${mine}, orderBy: { field: NOPE }) ${nodes} }`,
      { code: 'BAD_REQUEST', field: 'NOPE' },
    ],
    [
      'an unknown field',
      `{ crmAccounts(${mine}) { nodes { nope } } }`,
      { code: 'BAD_REQUEST', field: 'nope' },
    ],
    [
      'an unknown argument',
      `{ crmAccounts(${mine}, nope: 1) ${nodes} }`,
      { code: 'BAD_REQUEST', field: 'nope' },
    ],
    [
      'an unknown filter',
      `{ crmAccounts(${mine}, filter: { nope: 1 }) ${nodes} }`,
      { code: 'BAD_REQUEST', field: 'nope' },
    ],
    [
      'an unknown type',
      `{ node(id: "1") { ... on Nope { id } } }`,
      { code: 'BAD_REQUEST', field: 'Nope' },
    ],
    ['an unknown operation', 'mutation { nope }', { code: 'BAD_REQUEST' }],
    [
      'a fragment that spreads itself',
      `fragment F on Query { ...F } { ...F }`,
      { code: 'BAD_REQUEST', field: 'F' },
    ],
    ['no selection', `{ crmAccounts(${mine}) }`, { code: 'BAD_REQUEST', field: 'crmAccounts' }],
    ['a document that ends early', '{ crmAccounts(', { code: 'BAD_REQUEST' }],
    [
      'a document with characters that GraphQL does not have',
      '{ \u0007 }',
      { code: 'BAD_REQUEST' },
    ],
    ['a document with a NUL', '{ \0 }', { code: 'BAD_REQUEST' }],
    ['a document with half a surrogate pair', `{ ${HALF} }`, { code: 'BAD_REQUEST' }],
    ['an empty document', '', { code: 'BAD_REQUEST' }],
    ['a document with only a comment', '# nothing', { code: 'BAD_REQUEST' }],
    ['a document with only types', 'type Query { a: Int }', { code: 'BAD_REQUEST' }],
    [
      'two operations without operationName',
      'query A { __typename } query B { __typename }',
      { code: 'BAD_REQUEST' },
    ],
  ])('%s', async (_what, query, expected) => {
    // Three times: a repeated operation is compiled, and must be rejected in the same way.
    for (const _again of [1, 2, 3]) expectError(await graph(query), expected, query.slice(0, 200))
  })

  test.each<[string, unknown, string]>([
    ['missing', {}, '$credentialId'],
    ['null', { id: null, credentialId: CREDENTIAL }, '$id'],
    ['a list', { id: ['1', '2'], credentialId: CREDENTIAL }, '$id'],
    ['an object', { id: {}, credentialId: CREDENTIAL }, '$id'],
    ['a fraction', { id: 1.5, credentialId: CREDENTIAL }, '$id'],
    ['true', { id: true, credentialId: CREDENTIAL }, '$id'],
  ])('rejects variables that are %s', async (_what, variables, field) => {
    const query =
      'query ($credentialId: ID!, $id: ID!) { crmAccount(credentialId: $credentialId, id: $id) { id } }'
    for (const _again of [1, 2, 3])
      expectError(await graph(query, variables), { code: 'BAD_REQUEST', field })
  })

  test.each([
    ['no query', {}, 'query'],
    ['an operationName without a query', { operationName: '' }, 'query'],
    ['variables that are not JSON', { query: '{ __typename }', variables: 'x' }, 'variables'],
    ['variables that end early', { query: '{ __typename }', variables: '{' }, 'variables'],
    [
      'variables that are not an object',
      { query: '{ __typename }', variables: '[1]' },
      'variables',
    ],
    ['extensions that are not JSON', { query: '{ __typename }', extensions: '{' }, 'extensions'],
    [
      'extensions that are not an object',
      { query: '{ __typename }', extensions: '5' },
      'extensions',
    ],
  ])('rejects a GET with %s', async (_what, parameters, field) => {
    for (const accept of ['application/json', 'text/event-stream']) {
      const response = await harness.service.server.inject({
        url: `/graphql?${new URLSearchParams(parameters)}`,
        headers: { authorization: `Bearer ${harness.tenant.key}`, accept },
      })
      expectError(response, { code: 'INVALID_PARAMETER', field }, accept)
    }
  })

  test('an error in one field leaves the other fields, and names its field', async () => {
    const { data, errors, status } = await harness.service.graphql(
      harness.tenant.key,
      `{ one: crmAccounts(${mine}, first: 0) ${nodes} two: crmAccounts(${mine}, first: 1) ${nodes} }`,
    )
    expect(status).toBe(200)
    expect(data).toMatchObject({ one: null, two: { nodes: { length: 1 } } })
    expect(errors).toMatchObject([
      { path: ['one'], extensions: { code: 'INVALID_PARAMETER', details: [{ field: 'first' }] } },
    ])
  })
})
