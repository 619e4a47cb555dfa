/** Invalid bodies: not JSON, not UTF-8, too large, of another media type, or not a GraphQL request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Expected, expectError, readError } from '../support/expected-error.ts'
import { graphqlRequest } from '../support/graphql-request.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const MIB = 1024 * 1024

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

const post = (payload: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  service.server.inject(graphqlRequest(tenant.key, payload, headers))

const REQUEST = JSON.stringify({ query: '{ __typename }' })

describe('a body', () => {
  test('that is valid is accepted', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF-8"',
    ])
      expect((await post(REQUEST, { 'content-type': type })).statusCode, type).toBe(200)
    expect((await post(REQUEST, { 'content-encoding': 'Identity' })).statusCode).toBe(200)
    // A byte order mark is not part of the text.
    expect((await post(`\ufeff${REQUEST}`)).statusCode).toBe(200)
  })

  const malformed: Expected = { code: 'MALFORMED_BODY' }
  const bad: Expected = { code: 'BAD_REQUEST' }
  const invalidParameter = (field: string): Expected => ({ code: 'INVALID_PARAMETER', field })

  test.each<[string, string | Buffer, Expected]>([
    ['of no bytes', '', malformed],
    [
      'with a number that would be rounded',
      '{"query":"{ __typename }","variables":{"lines":[{},{"amount":123456789012345678.5}]}}',
      invalidParameter('variables.lines[1].amount'),
    ],
    ['of a number that would be rounded', '123456789012345678.5', invalidParameter('body')],
    ['of a brace', '{', malformed],
    ['that ends early', REQUEST.slice(0, -1), malformed],
    ['with text after its end', `${REQUEST} x`, malformed],
    ['with two values', REQUEST + REQUEST, malformed],
    ['with a comment', `/* */ ${REQUEST}`, malformed],
    ['with an extra comma', '{"query":"{ __typename }",}', malformed],
    ['with single quotes', "{'query':'{ __typename }'}", malformed],
    ['with a line break in a string', '{"query":"{\n__typename }"}', malformed],
    ['with NaN', '{"query":"{ __typename }","variables":{"a":NaN}}', malformed],
    ['with an unknown escape', '{"query":"\\x"}', malformed],
    ['of plain text', 'hello', malformed],
    ['of a NUL', '\0', malformed],
    ['of a form', 'query=%7B__typename%7D', malformed],
    ['of XML', '<query>{ __typename }</query>', malformed],
    ['of bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), malformed],
    ['of UTF-8 that is cut', Buffer.from('{"query":"é').subarray(0, -1), malformed],
    ['of half a surrogate pair in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), malformed],
    ['of an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), malformed],
    ['of UTF-16', Buffer.from(REQUEST, 'utf16le'), malformed],
    ['of gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), malformed],
    ['with a key __proto__', '{"query":"{ __typename }","__proto__":{"a":1}}', malformed],
    [
      'with a key __proto__ below',
      '{"query":"{ __typename }","variables":{"a":[{"__proto__":1}]}}',
      malformed,
    ],
    [
      'with a key __proto__ in escapes',
      '{"query":"{ __typename }","\\u005f_pr\\u006fto__":{}}',
      malformed,
    ],
    [
      'with a key __PROTO__ in other escapes',
      '{"query":"{ __typename }","__\\u0070roto__":{}}',
      malformed,
    ],
    ['of null', 'null', bad],
    ['of a number', '5', bad],
    ['of true', 'true', bad],
    ['of a JSON string', '"{ __typename }"', bad],
    ['of a list: a batch of requests', `[${REQUEST},${REQUEST}]`, bad],
    ['of an empty list', '[]', bad],
    ['without a query', '{}', invalidParameter('query')],
    ['with only extensions', '{"extensions":{}}', invalidParameter('query')],
    ['with null as query', '{"query":null}', invalidParameter('query')],
    ['with a number as query', '{"query":5}', invalidParameter('query')],
    ['with a list as query', '{"query":["{ __typename }"]}', invalidParameter('query')],
    [
      'with a string as variables',
      '{"query":"{ __typename }","variables":"x"}',
      invalidParameter('variables'),
    ],
    [
      'with a list as variables',
      '{"query":"{ __typename }","variables":[]}',
      invalidParameter('variables'),
    ],
    [
      'with a number as operationName',
      '{"query":"{ __typename }","operationName":5}',
      invalidParameter('operationName'),
    ],
    [
      'with a list as extensions',
      '{"query":"{ __typename }","extensions":[]}',
      invalidParameter('extensions'),
    ],
    ['with an unknown key', '{"query":"{ __typename }","nope":1}', bad],
  ])('%s', async (_what, payload, expected) => {
    // The status does not depend on Accept: these are HTTP errors; for errors in the document GraphQL decides.
    for (const accept of ['application/graphql-response+json', 'application/json'])
      expectError(await post(payload, { accept }), expected)
  })

  test('of nested brackets is rejected at any depth', async () => {
    for (const levels of [1000, 100_000, 500_000])
      for (const payload of [
        '['.repeat(levels),
        '['.repeat(levels) + ']'.repeat(levels),
        '{"a":'.repeat(levels / 5),
        `{"query":"{ __typename }","variables":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`.slice(
          0,
          MIB,
        ),
      ]) {
        const response = await post(payload)
        // Variables that the document does not declare are no error.
        if (response.statusCode !== 200) readError(response, `${levels} ${payload.slice(0, 50)}`)
      }
  })

  test('of more than 1 MiB is rejected', async () => {
    const emptyBody = JSON.stringify({ query: '{ __typename }', variables: { a: '' } })
    const paddedBody = (length: number) =>
      JSON.stringify({
        query: '{ __typename }',
        variables: { a: 'x'.repeat(length - emptyBody.length) },
      })
    expect((await post(paddedBody(MIB))).statusCode).toBe(200)
    expectError(await post(paddedBody(MIB + 1)), { code: 'BODY_TOO_LARGE' })
    expectError(await post('x'.repeat(20 * MIB)), { code: 'BODY_TOO_LARGE' })
  })

  test.each([
    'text/plain',
    'text/html',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'application/octet-stream',
    'application/jsonp',
    'application/x-json',
    'application/vnd.api+json',
    'application/graphql+json',
    'json',
    '*/*',
    '',
  ])('with the content type %s is rejected', async (type) => {
    expectError(await post(REQUEST, { 'content-type': type }), {
      code: 'UNSUPPORTED_MEDIA_TYPE',
    })
  })

  test.each([
    ['content-encoding', 'gzip'],
    ['content-encoding', 'br'],
    ['content-encoding', 'identity, gzip'],
    ['content-type', 'application/json; charset=utf-16'],
    ['content-type', 'application/json; version=1; Charset="ISO-8859-1"'],
  ])('whose %s is %s is rejected', async (name, value) => {
    expectError(await post(REQUEST, { [name]: value }), { code: 'UNSUPPORTED_MEDIA_TYPE' })
  })

  test('is not read without a key', async () => {
    for (const payload of ['{', 'x'.repeat(2 * MIB), REQUEST])
      expectError(await service.server.inject(graphqlRequest(undefined, payload)), {
        code: 'UNAUTHENTICATED',
      })
  })

  test('is rejected with a method that has none', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const result = await service.server.inject({
        url: '/graphql',
        method,
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
        payload: REQUEST,
      })
      expectError(result, { code: 'METHOD_NOT_ALLOWED' }, method)
      expect(result.headers.allow).toBe('GET, POST')
    }
  })

  test('gets 406 if no offered media type is accepted', async () => {
    for (const accept of ['text/xml', 'text/html', 'image/png', 'application/xml;q=1'])
      expectError(await post(REQUEST, { accept }), { code: 'BAD_REQUEST' }, accept)
    for (const accept of ['*/*', 'application/*', 'application/json', 'text/xml, */*;q=0.1'])
      expect((await post(REQUEST, { accept })).statusCode, accept).toBe(200)
  })
})
