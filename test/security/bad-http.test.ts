/** Malformed or oversized HTTP: rejected in the documented form, on a listening socket. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ErrorResponse, type Expected, expectError } from '../support/expected-error.ts'
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

/** Sends bytes on a new socket. @returns everything received until it closes */
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

const parse = (text: string): ErrorResponse => {
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

  test('a valid request is answered', async () => {
    expect(parse(await send(request(`GET ${list} HTTP/1.1`)))).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('{"accounts":[]}'),
    })
  })

  const bad: Expected = { code: 'BAD_REQUEST' }

  test.each<[string, () => string | Buffer, Expected]>([
    ['bytes that are not HTTP', () => 'HELLO\r\n\r\n', bad],
    [
      'a TLS handshake',
      () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03]),
      bad,
    ],
    ['a start line of a future version', () => request('GET / HTTP/9.9'), bad],
    ['a start line without an address', () => request('GET HTTP/1.1'), bad],
    ['an invalid method', () => request('G@T / HTTP/1.1'), bad],
    ['a space in the address', () => request('GET /a b HTTP/1.1'), bad],
    ['a NUL in the address', () => request('GET /\0 HTTP/1.1'), bad],
    ['a header without a colon', () => request('GET / HTTP/1.1', 'nope'), bad],
    ['a NUL in a header', () => request('GET / HTTP/1.1', 'A: \0'), bad],
    [
      'a header that continues on the next line',
      () => request('GET / HTTP/1.1', 'A: b', ' c'),
      bad,
    ],
    [
      'two Content-Length headers',
      () => request('POST /graphql HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'),
      bad,
    ],
    [
      'a Content-Length that is not a number',
      () => request('POST /graphql HTTP/1.1', 'Content-Length: x'),
      bad,
    ],
    [
      'a negative Content-Length',
      () => request('POST /graphql HTTP/1.1', 'Content-Length: -1'),
      bad,
    ],
    [
      'Content-Length with chunked encoding',
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
    ['an address with a bare percent sign', () => request('GET /% HTTP/1.1'), bad],
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
      'a Content-Length that is too large',
      () =>
        request(
          'POST /graphql HTTP/1.1',
          'Content-Type: application/json',
          `Content-Length: ${MIB + 1}`,
        ),
      { code: 'BODY_TOO_LARGE' },
    ],
    [
      'an invalid chunk',
      () =>
        `${request('POST /graphql HTTP/1.1', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\n\r\n`,
      bad,
    ],
  ])('%s is rejected in the documented form', async (_what, bytes, expected) => {
    const response = parse(await send(bytes()))
    expectError(response, expected)
    expect(Number(response.headers['content-length'])).toBe(Buffer.byteLength(response.body))
  })

  test('a chunked body is rejected as soon as it is too large', async () => {
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

  test('a request that does not arrive in time gets 408', async () => {
    const result = new Promise<string>((resolve) => {
      service.server.server.once('connection', (socket) => {
        // Emits the error of Node's request timeout; waiting for it would take half a minute.
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
    expectError(parse(await result), { code: 'REQUEST_TIMEOUT' })
    expect(service.server.server.requestTimeout).toBeLessThanOrEqual(30_000)
  })

  test('bytes after an unreadable request are ignored', async () => {
    const smuggled = `${request('POST /graphql HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked').replace('Connection: close\r\n', '')}0\r\n\r\n${request(`GET ${list} HTTP/1.1`)}`
    const text = await send(smuggled)
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 400'])
  })

  test('the service still responds after all of these', async () => {
    expect(
      (await service.rest(tenant.key, `/crm/accounts?credentialId=${CREDENTIAL}`)).statusCode,
    ).toBe(200)
    expect((await service.server.inject('/ready')).statusCode).toBe(200)
  })
})
