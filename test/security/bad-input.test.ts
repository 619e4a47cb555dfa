/** Input that does not fit: refused with a 4xx that names what is wrong, over REST and over GraphQL. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { encodeCursor, orderFields } from '../../src/query/cursor.ts'
import { filterParameters } from '../../src/query/filter.ts'
import { type Expected, expectRefusal, readRefusal } from '../support/refusal.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const SEED = 20_261_121
const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const NEVER = '99999999-0000-4000-8000-000000000009'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  for (const resource of catalogue.resources)
    await service.save(
      tenant,
      CREDENTIAL,
      resource,
      [1, 2, 3].map((n) => sampleRecord(CREDENTIAL, resource, n)),
    )
})
afterAll(() => service.stop())

const rest = (path: string) => service.rest(tenant.key, path)

/** A GraphQL answer as a client of the present media type has it: its status says what became of it. */
const graph = (query: string, variables?: unknown) =>
  service.server.inject({
    url: '/graphql',
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.key}`,
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
    },
    payload: JSON.stringify({ query, variables }),
  })

const TOPICS = catalogue.resources.map((resource) => [resource.topic, resource] as const)
const HALF = '\ud800'
const LONG = 'x'.repeat(1001)

describe('a value of the wrong form is refused, by name,', () => {
  const times = [
    '',
    'yesterday',
    '2024-02-30',
    '2023-02-29',
    '2024-13-01',
    '2024-00-10',
    '0000-01-01',
    '10000-01-01',
    '-000001-01-01',
    '2024-1-1',
    '20240101',
    '1704067200',
    '2024-01-01 00:00:00',
    '2024-01-01T25:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00:00+99:00',
    '2024-01-01T00:00:00.000Z; DROP TABLE x',
    '2024-01-01%00',
    'infinity',
    'now',
    'epoch',
  ]
  const numbers = [
    '',
    'x',
    '1e5',
    '0x10',
    '1,5',
    '1.',
    '.5',
    '--1',
    '+1',
    '1_000',
    'NaN',
    'Infinity',
  ]
  const badTexts: Readonly<Record<string, readonly string[]>> = {
    text: [LONG, 'a%00b', '%00'],
    integer: [...numbers, '1.5', '99999999999', '2147483648', '-2147483648', ' 1', '٣', '1%00'],
    number: [...numbers, ' 1', '٣', '9'.repeat(31), '1%00'],
    decimal: [...numbers, ' 1', '٣', '9'.repeat(31), '1%00'],
    boolean: ['', '1', 'yes', 'TRUE', 'null', 'true%00'],
    timestamp: times,
    date: times,
    enumeration: ['', 'NOPE', 'ACTIVE ', LONG, '%00'],
    reference: ['', LONG, '%00'],
  }
  const badValues: Readonly<Record<string, readonly unknown[]>> = {
    text: [LONG, 'a\0b', HALF, 5, true, ['x', 'y'], {}],
    integer: ['1', 1.5, 2_147_483_648, true, [1, 2], {}],
    number: ['1', true, [1, 2], {}],
    decimal: ['1', true, [1, 2], {}],
    boolean: ['true', 1, 0, [true, false], {}],
    timestamp: [...times.filter((text) => !text.includes('%')), 5, true, {}, '2024-01-01\0', HALF],
    date: [...times.filter((text) => !text.includes('%')), 5, true, {}, '2024-01-01\0', HALF],
    enumeration: ['', 'NOPE', 5, true, {}, HALF],
    reference: ['', LONG, '\0', HALF, 1.5, true, {}],
  }

  test.each(TOPICS)('in every filter of %s', async (_topic, resource) => {
    for (const { name, kind, operator } of filterParameters(resource).values()) {
      const given = [...(badTexts[kind] ?? [])]
      if (kind === 'date' && operator === 'equals') given.push('2024-01-01T00:00:00.000Z')
      expect(given.length).toBeGreaterThan(0)
      for (const value of given) {
        const written = value.includes('%00') ? value : encodeURIComponent(value)
        for (const path of [resource.restPath, `${resource.restPath}/count`])
          expectRefusal(
            await rest(`${path}?credentialId=${CREDENTIAL}&${name}=${written}`),
            { code: 'INVALID_PARAMETER', field: name },
            `${name}=${value}`,
          )
      }
    }
  })

  test.each(TOPICS)('in every field of the GraphQL filter of %s', async (_topic, resource) => {
    const query = `query ($filter: ${resource.typeName}Filter) {
      ${resource.listField}(credentialId: "${CREDENTIAL}", filter: $filter) { nodes { id } }
    }`
    for (const { name, kind } of filterParameters(resource).values())
      for (const value of badValues[kind] ?? []) {
        const answer = await graph(query, { filter: { [name]: value } })
        const { code } = readRefusal(answer, `${name}: ${JSON.stringify(value)}`)
        expect(['INVALID_PARAMETER', 'BAD_REQUEST']).toContain(code)
        expectRefusal(answer, { code, field: name }, JSON.stringify(value))
      }
  })
})

describe('over REST', () => {
  const list = '/accounting/vendors'
  const invalid = (field: string): Expected => ({ code: 'INVALID_PARAMETER', field })

  test.each<[string, string, Expected]>([
    ['an unknown parameter', 'nope=1', invalid('nope')],
    ['a parameter of another case', 'VendorName=x', invalid('VendorName')],
    ['a parameter of another resource', 'billNumber=1', invalid('billNumber')],
    ['a comparison that the field does not offer', 'vendorNameMin=1', invalid('vendorNameMin')],
    ['__proto__ as a parameter', '__proto__=1', invalid('__proto__')],
    ['constructor as a parameter', 'constructor=1', invalid('constructor')],
    ['a nested parameter', 'vendorName[contains]=1', invalid('vendorName[contains]')],
    ['a parameter without a name', '=1', invalid('')],
    ['a parameter with a NUL in its name', 'a%00b=1', invalid('query')],
    ['a parameter of 1,001 letters', `${LONG}=1`, invalid('query')],
    ['a page of none', 'pageSize=0', invalid('pageSize')],
    ['a page of 101', 'pageSize=101', invalid('pageSize')],
    ['a page of one and a half', 'pageSize=1.5', invalid('pageSize')],
    ['a page of abc', 'pageSize=abc', invalid('pageSize')],
    ['a page of nothing', 'pageSize=', invalid('pageSize')],
    ['a page of less than none', 'pageSize=-1', invalid('pageSize')],
    ['a page of 1e1', 'pageSize=1e1', invalid('pageSize')],
    ['a page of a number with a space', 'pageSize=%201', invalid('pageSize')],
    ['page number 0', 'pageNumber=0', invalid('pageNumber')],
    ['page number x', 'pageNumber=x', invalid('pageNumber')],
    ['a page number too large to skip to', 'pageNumber=10000001', invalid('pageNumber')],
    ['a page number no computer can hold', `pageNumber=${'9'.repeat(400)}`, invalid('pageNumber')],
    ['an order by nothing', 'orderBy=', invalid('orderBy')],
    ['an order by an unknown field', 'orderBy=nope', invalid('orderBy')],
    ['an order by a list', 'orderBy=addresses', invalid('orderBy')],
    ['an order by a column', 'orderBy=vendor_name', invalid('orderBy')],
    ['an order by SQL', 'orderBy=createdAt;DROP TABLE x', invalid('orderBy')],
    ['a third direction', 'orderBy=createdAt:up', invalid('orderBy')],
    ['an order by two', 'orderBy=createdAt,updatedAt', invalid('orderBy')],
    ['includeDeleted=maybe', 'includeDeleted=maybe', invalid('includeDeleted')],
    ['a cursor that is none', 'cursor=nope', { code: 'INVALID_CURSOR', field: 'cursor' }],
    ['an empty cursor', 'cursor=', { code: 'INVALID_CURSOR', field: 'cursor' }],
    ['a cursor with a NUL', 'cursor=%00', invalid('cursor')],
    ['a cursor of 1,001 letters', `cursor=${LONG}`, invalid('cursor')],
    ['a parameter given twice', 'vendorName=a&vendorName=b', invalid('vendorName')],
    ['a credential given twice', `credentialId=${CREDENTIAL}`, invalid('credentialId')],
    ['bytes that are not UTF-8', 'vendorName=%ff', invalid('vendorName')],
    ['half a surrogate pair', 'vendorName=%ED%A0%80', invalid('vendorName')],
    ['a percent sign alone', 'vendorName=100%', invalid('vendorName')],
    ['percent-encoding without digits', 'vendorName=%zz', invalid('vendorName')],
    ['a name that is not UTF-8', '%ff=1', invalid('query')],
  ])('%s', async (_what, query, expected) => {
    expectRefusal(await rest(`${list}?credentialId=${CREDENTIAL}&${query}`), expected)
  })

  test.each<[string, string, Expected]>([
    ['no credential', '', invalid('credentialId')],
    ['an empty credential', '?credentialId=', invalid('credentialId')],
    [
      'two credentials',
      `?credentialId=${CREDENTIAL}&credentialId=${NEVER}`,
      invalid('credentialId'),
    ],
    ['an unknown credential', `?credentialId=${NEVER}`, { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential that is no id', '?credentialId=1', { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential of SQL', "?credentialId=' OR 1=1 --", { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential with a NUL', '?credentialId=%00', invalid('credentialId')],
    ['a credential that is not UTF-8', '?credentialId=%ff', invalid('credentialId')],
    ['a credential of 1,001 letters', `?credentialId=${LONG}`, invalid('credentialId')],
    ['a credential in braces', `?credentialId={${CREDENTIAL}}`, { code: 'CREDENTIAL_NOT_FOUND' }],
  ])('%s', async (_what, query, expected) => {
    for (const path of [list, `${list}/count`, `${list}/1`])
      expectRefusal(await rest(`${path}${query}`), expected, path)
  })

  test.each<[string, string, Expected]>([
    ['an id that no record has', '/nope', { code: 'NOT_FOUND' }],
    ['an id with a NUL', '/%00', { code: 'INVALID_PARAMETER', field: 'id' }],
    ['an id that is not UTF-8', '/%ff', { code: 'BAD_REQUEST' }],
    ['an id with a percent sign alone', '/100%', { code: 'BAD_REQUEST' }],
    ['an id of 513 letters', `/${'x'.repeat(513)}`, { code: 'NOT_FOUND' }],
    ['an id of 10,000 letters', `/${'x'.repeat(10_000)}`, { code: 'NOT_FOUND' }],
    ['an id that climbs', '/..%2f..%2fcrm%2faccounts', { code: 'NOT_FOUND' }],
    ['a filter beside an id', '/1?vendorName=x', invalid('credentialId')],
  ])('%s', async (_what, path, expected) => {
    const query = path.includes('?') ? '' : `?credentialId=${CREDENTIAL}`
    expectRefusal(await rest(`${list}${path}${query}`), expected)
  })

  test('a parameter of a list beside an id', async () => {
    for (const name of ['pageSize', 'cursor', 'orderBy', 'vendorName'])
      expectRefusal(await rest(`${list}/1?credentialId=${CREDENTIAL}&${name}=1`), invalid(name))
    for (const name of ['pageSize', 'pageNumber', 'cursor', 'orderBy'])
      expectRefusal(await rest(`${list}/count?credentialId=${CREDENTIAL}&${name}=1`), invalid(name))
    const cursor = encodeCursor(
      { field: 'createdAt', descending: false },
      { value: null, id: NEVER },
    )
    expectRefusal(
      await rest(`${list}?credentialId=${CREDENTIAL}&pageNumber=1&cursor=${cursor}`),
      invalid('pageNumber'),
    )
  })

  test('a message is short and holds no HTML of the caller’s as HTML', async () => {
    const answer = await rest(`${list}?credentialId=${CREDENTIAL}&<script>alert(1)</script>=1`)
    expectRefusal(answer, { code: 'INVALID_PARAMETER' })
    expect(answer.headers['content-type']).toContain('application/json')
    const long = await rest(`${list}?credentialId=${CREDENTIAL}&${'x'.repeat(1000)}=1`)
    expect(long.body.length).toBeLessThan(3000)
  })

  test('an address where nothing is', async () => {
    for (const url of [
      '/',
      '/nope',
      '/2024-03',
      '/2024-03/one',
      '/2024-03/one/accounting',
      '/2024-03/one/accounting/nope',
      '/2024-03/one/accounting/VENDORS',
      '/2024-03/one/accounting/taxRates',
      '/2024-03/one/accounting/vendors/1/2',
      '/2024-03/two/accounting/vendors',
      '/2023-12/one/accounting/vendors',
      '/2024-03/one//accounting/vendors',
      '/.env',
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/graphql/nope',
      `/${'x'.repeat(10_000)}`,
    ])
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
        expectRefusal(
          await service.server.inject({
            url,
            method,
            headers: { authorization: `Bearer ${tenant.key}` },
          }),
          { code: 'NOT_FOUND' },
          `${method} ${url}`,
        )
  })
})

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
      'a user that is no id',
      '{ crmAccounts(userId: "\\u0000") { nodes { id } } }',
      { code: 'USER_NOT_FOUND', field: 'userId' },
    ],
    [
      'a credential with a NUL',
      String.raw`{ crmAccounts(credentialId: "\u0000") { nodes { id } } }`,
      { code: 'CREDENTIAL_NOT_FOUND' },
    ],
    [
      'a credential with half a pair',
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
      'a page of none',
      `{ crmAccounts(${mine}, first: 0) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'first' },
    ],
    [
      'a page of 101',
      `{ crmAccounts(${mine}, first: 101) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'first' },
    ],
    [
      'a page of one and a half',
      `{ crmAccounts(${mine}, first: 1.5) ${nodes} }`,
      { code: 'BAD_REQUEST' },
    ],
    ['a page of "abc"', `{ crmAccounts(${mine}, first: "abc") ${nodes} }`, { code: 'BAD_REQUEST' }],
    [
      'a page of more than an Int',
      `{ crmAccounts(${mine}, first: 99999999999) ${nodes} }`,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a last page of none',
      `{ crmAccounts(${mine}, last: 0) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'last' },
    ],
    [
      'a first and a last page',
      `{ crmAccounts(${mine}, first: 1, last: 1) ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'last' },
    ],
    [
      'a cursor that is none',
      `{ crmAccounts(${mine}, after: "zz") ${nodes} }`,
      { code: 'INVALID_CURSOR', field: 'after' },
    ],
    [
      'a cursor before that is none',
      `{ crmAccounts(${mine}, before: "zz") ${nodes} }`,
      { code: 'INVALID_CURSOR', field: 'before' },
    ],
    [
      'a cursor of 5,000 letters',
      `{ crmAccounts(${mine}, after: "${'x'.repeat(5000)}") ${nodes} }`,
      { code: 'INVALID_PARAMETER', field: 'after' },
    ],
    [
      'a page of a linked list of none',
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
      'a fragment of itself',
      `fragment F on Query { ...F } { ...F }`,
      { code: 'BAD_REQUEST', field: 'F' },
    ],
    ['no selection', `{ crmAccounts(${mine}) }`, { code: 'BAD_REQUEST', field: 'crmAccounts' }],
    ['a document that ends early', '{ crmAccounts(', { code: 'BAD_REQUEST' }],
    ['a document of letters that GraphQL has not', '{ \u0007 }', { code: 'BAD_REQUEST' }],
    ['a document with a NUL', '{ \0 }', { code: 'BAD_REQUEST' }],
    ['a document with half a pair', `{ ${HALF} }`, { code: 'BAD_REQUEST' }],
    ['a document of nothing', '', { code: 'BAD_REQUEST' }],
    ['a document of a comment', '# nothing', { code: 'BAD_REQUEST' }],
    ['a document of types', 'type Query { a: Int }', { code: 'BAD_REQUEST' }],
    [
      'two operations without a choice',
      'query A { __typename } query B { __typename }',
      { code: 'BAD_REQUEST' },
    ],
  ])('%s', async (_what, query, expected) => {
    // Three times: an operation that comes again is compiled, and is to be refused alike.
    for (const _again of [1, 2, 3]) expectRefusal(await graph(query), expected, query.slice(0, 200))
  })

  test.each<[string, unknown, string]>([
    ['missing', {}, '$id'],
    ['null', { id: null, credentialId: CREDENTIAL }, '$id'],
    ['a list', { id: ['1', '2'], credentialId: CREDENTIAL }, '$id'],
    ['an object', { id: {}, credentialId: CREDENTIAL }, '$id'],
    ['a fraction', { id: 1.5, credentialId: CREDENTIAL }, '$id'],
    ['true', { id: true, credentialId: CREDENTIAL }, '$id'],
    ['not an object at all', 'x', ''],
    ['a list of variables', [1], ''],
    ['a number', 5, ''],
  ])('variables that are %s', async (_what, variables, field) => {
    const query =
      'query ($credentialId: ID!, $id: ID!) { crmAccount(credentialId: $credentialId, id: $id) { id } }'
    for (const _again of [1, 2, 3])
      expectRefusal(await graph(query, variables), { code: 'BAD_REQUEST', field })
  })

  test('a failure of one field leaves the others, and says which', async () => {
    const { data, errors, status } = await service.graphql(
      tenant.key,
      `{ one: crmAccounts(${mine}, first: 0) ${nodes} two: crmAccounts(${mine}, first: 1) ${nodes} }`,
    )
    expect(status).toBe(200)
    expect(data).toMatchObject({ one: null, two: { nodes: { length: 1 } } })
    expect(errors).toMatchObject([
      { path: ['one'], extensions: { code: 'INVALID_PARAMETER', details: [{ field: 'first' }] } },
    ])
  })
})

describe('a cursor is one that was given out, or is refused:', () => {
  const cursorOf = (parts: unknown): string =>
    Buffer.from(JSON.stringify(parts)).toString('base64url')

  const put = async (resource: Resource, orderBy: string, cursor: string) => {
    const { statusCode, ...answer } = await rest(
      `${resource.restPath}?credentialId=${CREDENTIAL}&orderBy=${orderBy}&cursor=${encodeURIComponent(cursor)}`,
    )
    if (statusCode !== 200) {
      const { code } = readRefusal({ statusCode, ...answer, body: answer.body }, cursor)
      expect(['INVALID_CURSOR', 'INVALID_PARAMETER'], cursor).toContain(code)
    }
    return statusCode
  }

  test('random bytes', async () => {
    const resource = catalogue.get('crm/accounts')
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc
            .uint8Array({ maxLength: 200 })
            .map((bytes) => Buffer.from(bytes).toString('base64url')),
          fc.string({ unit: 'binary', maxLength: 100 }).filter((text) => text.isWellFormed()),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
          fc.array(fc.jsonValue(), { minLength: 2, maxLength: 4 }).map(cursorOf),
        ),
        async (cursor) => {
          expect(await put(resource, 'createdAt', cursor)).toBe(400)
        },
      ),
      { seed: SEED, numRuns: 500 },
    )
  })

  test('truncated at every letter, and with every letter changed', async () => {
    const resource = catalogue.get('crm/accounts')
    const page = await rest(`/crm/accounts?credentialId=${CREDENTIAL}&orderBy=createdAt&pageSize=1`)
    const cursor = String(page.headers['next-cursor'])
    expect(await put(resource, 'createdAt', cursor)).toBe(200)
    for (let length = 0; length < cursor.length; length++)
      expect(await put(resource, 'createdAt', cursor.slice(0, length)), `${length}`).toBe(400)
    for (let place = 0; place < cursor.length; place++)
      await put(
        resource,
        'createdAt',
        `${cursor.slice(0, place)}${cursor[place] === 'A' ? 'B' : 'A'}${cursor.slice(place + 1)}`,
      )
  })

  test('made up with values that the field cannot have', async () => {
    const values = [
      '',
      'x',
      'NaN',
      'Infinity',
      '1e999',
      '2147483648',
      '-2147483649',
      '9'.repeat(600),
      '-0.0',
      '1.',
      '0000-01-01T00:00:00.000Z',
      '2024-02-30T00:00:00.000Z',
      '2024-01-01T24:00:00.000Z',
      '2024-01-01T23:59:60.000Z',
      '99999-01-01T00:00:00.000Z',
      '-0001-01-01T00:00:00.000Z',
      'infinity',
      'now',
      "'; DROP TABLE x; --",
      'a\0b',
      '\ufeff',
      5,
      true,
      {},
      [],
    ]
    for (const resource of [
      'crm/accounts',
      'accounting/payments',
      'commerce/orders',
      'crm/users',
    ].map(catalogue.get)) {
      const { id } = sampleRecord(CREDENTIAL, resource, 1)
      for (const field of orderFields(resource)) {
        const { kind } = resource.allFields[field] ?? {}
        for (const value of values) {
          const status = await put(resource, field, cursorOf([field, value, id]))
          if (typeof value !== 'string') expect(status).toBe(400)
          if (value === 'x' && kind !== 'text' && kind !== 'enumeration') expect(status).toBe(400)
        }
        expect(await put(resource, field, cursorOf([field, null, id]))).toBe(200)
        expect(await put(resource, field, cursorOf([field, id]))).toBe(200)
        expect(await put(resource, field, cursorOf([field, null, NEVER]))).toBe(400)
        expect(await put(resource, field, cursorOf([field, null, id, 1]))).toBe(400)
        expect(await put(resource, field, cursorOf([`${field}"`, null, id]))).toBe(400)
        expect(await put(resource, field, cursorOf({ field, value: null, id }))).toBe(400)
      }
    }
  })
})
