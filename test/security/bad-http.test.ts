/** Bodies and bytes that do not fit: refused with the documented form, on a socket that really listens. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Expected, expectRefusal, readRefusal } from '../support/refusal.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const MIB = 1024 * 1024

let service: TestService
let tenant: Tenant
let port: number

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => service.stop())

const post = (payload: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
  service.server.inject({
    url: '/graphql',
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.key}`,
      accept: 'application/graphql-response+json',
      'content-type': 'application/json',
      ...headers,
    },
    payload,
  })

const QUESTION = JSON.stringify({ query: '{ __typename }' })

describe('a body', () => {
  test('that fits is answered', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON'])
      expect((await post(QUESTION, { 'content-type': type })).statusCode, type).toBe(200)
    // A byte order mark is no part of the text.
    expect((await post(`\ufeff${QUESTION}`)).statusCode).toBe(200)
  })

  const malformed: Expected = { code: 'MALFORMED_BODY' }
  const bad: Expected = { code: 'BAD_REQUEST' }

  test.each<[string, string | Buffer, Expected]>([
    ['of nothing', '', malformed],
    ['of a brace', '{', malformed],
    ['that ends early', QUESTION.slice(0, -1), malformed],
    ['with more behind it', `${QUESTION} x`, malformed],
    ['with two values', QUESTION + QUESTION, malformed],
    ['with a comment', `/* */ ${QUESTION}`, malformed],
    ['with a comma too many', '{"query":"{ __typename }",}', malformed],
    ['with single quotes', "{'query':'{ __typename }'}", malformed],
    ['with a line break in a text', '{"query":"{\n__typename }"}', malformed],
    ['with NaN', '{"query":"{ __typename }","variables":{"a":NaN}}', malformed],
    ['with an unknown escape', '{"query":"\\x"}', malformed],
    ['of text', 'hello', malformed],
    ['of a NUL', '\0', malformed],
    ['of a form', 'query=%7B__typename%7D', malformed],
    ['of XML', '<query>{ __typename }</query>', malformed],
    ['of bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), malformed],
    ['of UTF-8 that is cut', Buffer.from('{"query":"é').subarray(0, -1), malformed],
    ['of half a pair in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), malformed],
    ['of an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), malformed],
    ['of UTF-16', Buffer.from(QUESTION, 'utf16le'), malformed],
    ['of a gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), malformed],
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
    ['of a text in JSON', '"{ __typename }"', bad],
    ['of a list: several questions at once', `[${QUESTION},${QUESTION}]`, bad],
    ['of an empty list', '[]', bad],
    ['without a query', '{}', bad],
    ['with null as query', '{"query":null}', bad],
    ['with a number as query', '{"query":5}', bad],
    ['with a list as query', '{"query":["{ __typename }"]}', bad],
    ['with a text as variables', '{"query":"{ __typename }","variables":"x"}', bad],
    ['with a list as variables', '{"query":"{ __typename }","variables":[]}', bad],
    ['with a number as operationName', '{"query":"{ __typename }","operationName":5}', bad],
    ['with a list as extensions', '{"query":"{ __typename }","extensions":[]}', bad],
    ['with an unknown key', '{"query":"{ __typename }","nope":1}', bad],
    ['with a NUL in the query', '{"query":"{ \\u0000 }"}', bad],
    ['with half a pair in the query', '{"query":"{ \\ud800 }"}', bad],
  ])('%s', async (_what, payload, expected) => {
    for (const _again of [1, 2]) expectRefusal(await post(payload), expected)
  })

  test('of brackets, however deep', async () => {
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
        const answer = await post(payload)
        // Variables that no one asks for are no mistake.
        if (answer.statusCode !== 200) readRefusal(answer, `${levels} ${payload.slice(0, 50)}`)
      }
  })

  test('of more than 1 MiB', async () => {
    const fits = JSON.stringify({ query: '{ __typename }', variables: { a: '' } })
    const padded = (length: number) =>
      JSON.stringify({
        query: '{ __typename }',
        variables: { a: 'x'.repeat(length - fits.length) },
      })
    expect((await post(padded(MIB))).statusCode).toBe(200)
    expectRefusal(await post(padded(MIB + 1)), { code: 'BODY_TOO_LARGE' })
    expectRefusal(await post('x'.repeat(20 * MIB)), { code: 'BODY_TOO_LARGE' })
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
  ])('that is called %s', async (type) => {
    expectRefusal(await post(QUESTION, { 'content-type': type }), {
      code: 'UNSUPPORTED_MEDIA_TYPE',
    })
  })

  test('is not read of who has no key', async () => {
    for (const payload of ['{', 'x'.repeat(2 * MIB), QUESTION])
      expectRefusal(
        await service.server.inject({
          url: '/graphql',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          payload,
        }),
        { code: 'UNAUTHENTICATED' },
      )
  })

  test('is not taken by a method that has none', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const answer = await service.server.inject({
        url: '/graphql',
        method,
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
        payload: QUESTION,
      })
      expectRefusal(answer, { code: 'METHOD_NOT_ALLOWED' }, method)
      expect(answer.headers.allow).toBe('GET, POST')
    }
  })

  test('is not asked for in a form that there is not', async () => {
    for (const accept of ['text/xml', 'text/html', 'image/png', 'application/xml;q=1'])
      expectRefusal(await post(QUESTION, { accept }), { code: 'BAD_REQUEST' }, accept)
    for (const accept of ['*/*', 'application/*', 'application/json', 'text/xml, */*;q=0.1'])
      expect((await post(QUESTION, { accept })).statusCode, accept).toBe(200)
  })
})

/** Sends bytes on a socket of their own and answers what comes until it is closed. */
const send = (bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (piece) => {
      text += piece
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })

const parse = (text: string): Answer => {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  return { statusCode: Number(start.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

const request = (line: string, ...headers: readonly string[]): string =>
  [
    line,
    'Host: localhost',
    `Authorization: Bearer ${tenant.key}`,
    'Connection: close',
    ...headers,
    '',
    '',
  ].join('\r\n')

describe('on a socket', () => {
  const list = `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`

  test('a question is answered', async () => {
    expect(parse(await send(request(`GET ${list} HTTP/1.1`)))).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('{"accounts":[]}'),
    })
  })

  const bad: Expected = { code: 'BAD_REQUEST' }

  test.each<[string, () => string | Buffer, Expected]>([
    ['what is no HTTP', () => 'HELLO\r\n\r\n', bad],
    [
      'a TLS handshake',
      () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03]),
      bad,
    ],
    ['a start line of a version to come', () => request('GET / HTTP/9.9'), bad],
    ['a start line without an address', () => request('GET HTTP/1.1'), bad],
    ['a method that is none', () => request('G@T / HTTP/1.1'), bad],
    ['a space in the address', () => request('GET /a b HTTP/1.1'), bad],
    ['a NUL in the address', () => request('GET /\0 HTTP/1.1'), bad],
    ['a header without a colon', () => request('GET / HTTP/1.1', 'nope'), bad],
    ['a NUL in a header', () => request('GET / HTTP/1.1', 'A: \0'), bad],
    ['a header that goes on in the next line', () => request('GET / HTTP/1.1', 'A: b', ' c'), bad],
    [
      'two lengths of the body',
      () => request('POST /graphql HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'),
      bad,
    ],
    [
      'a length that is no number',
      () => request('POST /graphql HTTP/1.1', 'Content-Length: x'),
      bad,
    ],
    ['a length below none', () => request('POST /graphql HTTP/1.1', 'Content-Length: -1'), bad],
    [
      'a length and chunks',
      () =>
        `${request('POST /graphql HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      bad,
    ],
    ['a header of 17 KiB', () => request('GET / HTTP/1.1', `A: ${'x'.repeat(17 * 1024)}`), bad],
    [
      'a key of 17 KiB',
      () => request('GET / HTTP/1.1', `Authorization: Bearer ${'x'.repeat(17 * 1024)}`),
      bad,
    ],
    [
      '1,500 headers in 17 KiB',
      () => request('GET / HTTP/1.1', ...Array.from({ length: 1500 }, (_, n) => `A${n}: ${n}`)),
      bad,
    ],
    [
      'an address of 17 KiB',
      () => request(`GET ${list}&accountName=${'x'.repeat(17 * 1024)} HTTP/1.1`),
      bad,
    ],
    [
      'an address that is not UTF-8',
      () => request('GET /2024-03/one/crm/accounts/%ff HTTP/1.1'),
      bad,
    ],
    ['an address of a percent sign', () => request('GET /% HTTP/1.1'), bad],
    [
      'a parameter that is not UTF-8',
      () => request(`GET ${list}&accountName=%c3%28 HTTP/1.1`),
      { code: 'INVALID_PARAMETER', field: 'accountName' },
    ],
    [
      'a parameter of 15 KiB',
      () => request(`GET ${list}&accountName=${'x'.repeat(15 * 1024)} HTTP/1.1`),
      { code: 'INVALID_PARAMETER', field: 'accountName' },
    ],
    [
      'an id of 15 KiB',
      () =>
        request(
          `GET /2024-03/one/crm/accounts/${'x'.repeat(15 * 1024)}?credentialId=${CREDENTIAL} HTTP/1.1`,
        ),
      { code: 'NOT_FOUND' },
    ],
    [
      'a credential of 15 KiB',
      () => request(`GET /2024-03/one/crm/accounts?credentialId=${'x'.repeat(15 * 1024)} HTTP/1.1`),
      { code: 'INVALID_PARAMETER', field: 'credentialId' },
    ],
    ['the method TRACE', () => request('TRACE / HTTP/1.1'), { code: 'NOT_FOUND' }],
    ['the method PROPFIND', () => request(`PROPFIND ${list} HTTP/1.1`), { code: 'NOT_FOUND' }],
    ['the address *', () => request('OPTIONS * HTTP/1.1'), { code: 'NOT_FOUND' }],
    [
      'a body that is announced as too large',
      () =>
        request(
          'POST /graphql HTTP/1.1',
          'Content-Type: application/json',
          `Content-Length: ${MIB + 1}`,
        ),
      { code: 'BODY_TOO_LARGE' },
    ],
    [
      'a chunk that is no chunk',
      () =>
        `${request('POST /graphql HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n\r\n`,
      bad,
    ],
  ])('%s is refused in the documented form', async (_what, bytes, expected) => {
    const answer = parse(await send(bytes()))
    expectRefusal(answer, expected)
    expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.body))
  })

  test('a body in chunks is refused once it is too large', async () => {
    const head = request(
      'POST /graphql HTTP/1.1',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    )
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const { status, code } = await new Promise<{ status: number; code: string }>(
      (resolve, reject) => {
        let text = ''
        const socket = connect({ port, host: '127.0.0.1' }, () => {
          socket.write(head)
          for (let n = 0; n < 17; n++) socket.write(chunk)
        })
        socket.on('data', (piece) => {
          text += piece
          const { statusCode, body } = parse(text)
          if (!body.endsWith('}')) return
          socket.destroy()
          resolve({ status: statusCode, code: JSON.parse(body).errors[0].extensions.code })
        })
        socket.on('error', reject)
      },
    )
    expect({ status, code }).toEqual({ status: 413, code: 'BODY_TOO_LARGE' })
  })

  test('a request that does not arrive in time is refused with 408', async () => {
    const answer = new Promise<string>((resolve) => {
      service.server.server.once('connection', (socket) => {
        // What Node tells when its clock has run out; waiting for it takes half a minute.
        const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
        service.server.server.emit('clientError', late, socket)
      })
      let text = ''
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('data', (piece) => {
        text += piece
      })
      socket.on('close', () => resolve(text))
    })
    expectRefusal(parse(await answer), { code: 'REQUEST_TIMEOUT' })
    expect(service.server.server.requestTimeout).toBeLessThanOrEqual(30_000)
  })

  test('what comes behind a request that cannot be read is not answered', async () => {
    const smuggled = `${request('POST /graphql HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked').replace('Connection: close\r\n', '')}0\r\n\r\n${request(`GET ${list} HTTP/1.1`)}`
    const text = await send(smuggled)
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400'])
  })

  test('and the service goes on', async () => {
    expect(
      (await service.rest(tenant.key, `/crm/accounts?credentialId=${CREDENTIAL}`)).statusCode,
    ).toBe(200)
    expect((await service.server.inject('/ready')).statusCode).toBe(200)
  })
})
