/** The app client: requests, responses, retries, the circuit breaker and apps in this process. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppRequest, Connector, CredentialValues } from '../../src/definition/connector.ts'
import { defineConnector } from '../../src/definition/connector.ts'
import { isAppError } from '../../src/outbound/app-error.ts'
import { type AppClient, type AppClientOptions, createAppClient } from '../../src/outbound/http.ts'
import { readRetryAfter } from '../../src/outbound/retry.ts'

const SECRET = 'sk_live_0123456789'

const connector: Connector = defineConnector({
  app: 'shop',
  name: 'Shop',
  doc: 'An app for tests.',
  auth: {
    key: {
      type: 'apiKey',
      fields: { url: { doc: 'Address.', secret: false }, key: { doc: 'Key.', secret: true } },
      baseUrl: '{url}',
      request: { headers: { authorization: 'Bearer {key}' } },
    },
  },
  readFailure: ({ body }) =>
    typeof body === 'object' && body !== null && 'problem' in body
      ? { kind: 'refused', reason: String(body.problem) }
      : undefined,
  check: { method: 'GET', path: '/check' },
  resources: {},
})

let server: Server
let respond: RequestListener
let requests: { method: string; url: string; body: string; atMs: number }[] = []
let url = ''
let clients: AppClient[] = []

beforeEach(async () => {
  requests = []
  clients = []
  respond = (_request, response) => response.end('{}')
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = await request.toArray()
    const body = Buffer.concat(chunks).toString()
    const { method = '', url = '' } = request
    requests.push({ method, url, body, atMs: performance.now() })
    respond(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens on TCP has an address of that kind.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

afterEach(async () => {
  for (const client of clients) await client.stop()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const clientOf = (options: Partial<AppClientOptions> = {}): AppClient => {
  const client = createAppClient({
    allowPrivateAddresses: true,
    firstPauseMs: 1,
    maxPauseMs: 5,
    deadlineMs: 5000,
    ...options,
  })
  clients.push(client)
  return client
}

const credentialOf = (values: CredentialValues = {}) => ({
  method: null,
  values: { url, key: SECRET, ...values },
})

const get: AppRequest = { method: 'GET', path: '/orders?limit=5' }

const send = (request: AppRequest = get, options: Partial<AppClientOptions> = {}, key = SECRET) =>
  clientOf(options).send(connector, credentialOf({ key }), request)

/** The error of a failed request; none contains the secret. */
const failureOf = async (response: Promise<unknown>): Promise<unknown> => {
  const error = await response.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(isAppError(error)).toBe(true)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(SECRET.slice(0, 12))
  return error
}

describe('a request', () => {
  it('is sent below the base address, as JSON, with the credential', async () => {
    let headers: NodeJS.Dict<string | string[]> = {}
    respond = (request, response) => {
      headers = request.headers
      response.end('{"done":true}')
    }
    const response = await send({ method: 'POST', path: '/orders', body: { total: '1.10' } })
    expect(response).toMatchObject({ status: 200, body: { done: true } })
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/orders',
      body: '{"total":"1.10"}',
    })
    expect(headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'content-type': 'application/json',
    })
  })

  it.each([
    ['a parameter', { query: { api_key: '{key}' } }, `/v1/orders?limit=5&api_key=${SECRET}`],
    ['HTTP Basic', { basic: { user: '{key}', password: '' } }, '/v1/orders?limit=5'],
  ])('is authenticated by %s, which no error contains', async (_name, authentication, path) => {
    const { key: method } = connector.auth
    if (!method) throw new Error('The connector has no method.')
    const other = { ...connector, auth: { key: { ...method, request: authentication } } }
    const basic = Buffer.from(`${SECRET}:`).toString('base64')
    respond = ({ url, headers }, response) => {
      response.end(JSON.stringify({ problem: `no ${url} for ${headers.authorization}` }))
    }
    const failure = await failureOf(clientOf().send(other, credentialOf(), get))
    expect(failure).toMatchObject({ code: 'APP_REFUSED', request: 'GET /orders' })
    expect(inspect(failure)).not.toContain(basic)
    expect(requests[0]?.url).toBe(path)
  })

  it.each(['@evil.example/', '.evil.example/', '/../admin', 'orders', '/..', '/%2e%2e/admin'])(
    'that would leave the base address is not sent: %s',
    async (path) => {
      expect(await failureOf(send({ method: 'GET', path }))).toMatchObject({ code: 'APP_ADDRESS' })
      expect(requests).toEqual([])
    },
  )

  it.each([
    ['a URL', (base: string) => `${base}/orders?page=2`],
    ['a path of the host', () => '/v1/orders?page=2'],
    ['a query', () => '?page=2'],
  ])('follows a link of the app that is %s', async (_what, linkFrom) => {
    await send({ ...get, link: linkFrom(url) })
    expect(requests[0]?.url).toBe('/v1/orders?page=2')
  })

  it.each([
    'https://evil.example/v1/orders?page=2',
    '//evil.example/v1/orders',
    '/admin',
    '/v1/../admin',
    '../admin',
    'javascript:alert(1)',
    'http://[',
  ])('does not follow a link out of the base address: %s', async (link) => {
    const failure = await failureOf(send({ ...get, link }))
    expect(failure).toMatchObject({
      code: 'APP_ADDRESS',
      reason: 'its link leads out of the base address',
    })
    expect(requests).toEqual([])
  })

  it('with a form is retried with the same body if it reads', async () => {
    const types = new Set<unknown>()
    respond = (request, response) => {
      types.add(request.headers['content-type'])
      response.writeHead(requests.length === 1 ? 503 : 200).end('{}')
    }
    const file = { name: 'file', filename: 'a.txt', contentType: 'text/plain', content: 'é' }
    const parts = [file, { name: 'kind', value: 'note' }]
    await send({ method: 'POST', path: '/search', multipart: parts, read: true })
    expect(requests).toHaveLength(2)
    expect(requests[0]?.body).toBe(requests[1]?.body)
    expect([...types]).toEqual([expect.stringMatching(/^multipart\/form-data; boundary=/)])
  })

  it('whose path looks like another host stays below the base address', async () => {
    await send({ method: 'GET', path: '//evil.example/x' })
    expect(requests[0]?.url).toBe('/v1//evil.example/x')
  })

  it.each(['', 'not a url', 'ftp://example.com', 'file:///etc/passwd', 'https://a:b@example.com'])(
    'to an invalid base address is not sent: %s',
    async (base) => {
      const response = clientOf().send(connector, credentialOf({ url: base }), get)
      expect(await failureOf(response)).toMatchObject({ code: 'APP_ADDRESS' })
    },
  )

  it('without the values of its address or its headers is not sent', async () => {
    const failureWith = (values: CredentialValues) =>
      failureOf(clientOf().send(connector, { method: null, values }, get))
    expect(await failureWith({ key: SECRET })).toMatchObject({ code: 'APP_ADDRESS' })
    expect(await failureWith({ url })).toMatchObject({ code: 'APP_AUTHENTICATION' })
    const unknown = { ...credentialOf(), method: 'carrierPigeon' }
    expect(await failureOf(clientOf().send(connector, unknown, get))).toMatchObject({
      code: 'APP_AUTHENTICATION',
    })
    expect(requests).toEqual([])
  })

  it('to a private address is not sent', async () => {
    const failure = await failureOf(send(get, { allowPrivateAddresses: false }))
    expect(failure).toMatchObject({ code: 'APP_ADDRESS' })
    expect(requests).toEqual([])
  })

  it('with a credential that no header can carry is not sent, and not shown', async () => {
    const failure = await failureOf(send(get, {}, `${SECRET}\nx`))
    expect(failure).toMatchObject({ code: 'APP_AUTHENTICATION' })
    expect(requests).toEqual([])
  })
})

describe('a response', () => {
  it.each([
    [401, 'APP_AUTHENTICATION'],
    [403, 'APP_REFUSED'],
    [404, 'APP_REFUSED'],
    [422, 'APP_REFUSED'],
    [429, 'APP_RATE_LIMITED'],
    [408, 'APP_UNAVAILABLE'],
    [500, 'APP_UNAVAILABLE'],
    [503, 'APP_UNAVAILABLE'],
  ])('with status %i is %s, also as an HTML page', async (status, code) => {
    respond = (_request, response) => response.writeHead(status).end('<h1>Sorry</h1>')
    expect(await failureOf(send({ ...get, method: 'DELETE' }))).toMatchObject({ code })
  })

  it('is a failure if the connector reads one from it, whatever its status', async () => {
    respond = (_request, response) => response.end(`{"problem":"No ${SECRET} here"}`)
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ code: 'APP_REFUSED', reason: 'No [redacted] here' })
  })

  it('that redirects is rejected and not followed', async () => {
    respond = (_request, response) => response.writeHead(302, { location: '/v1/elsewhere' }).end()
    expect(await failureOf(send())).toMatchObject({ code: 'APP_REFUSED', kind: 'refused' })
    expect(requests).toHaveLength(1)
  })

  it.each(['{"a":', '<html>', '{"a":1}x', '\u0000'])('that is not JSON fails: %j', async (text) => {
    respond = (_request, response) => response.end(text)
    const failure = await failureOf(send({ ...get, method: 'POST' }))
    expect(failure).toMatchObject({ code: 'APP_UNAVAILABLE', problem: 'malformed' })
  })

  it.each([
    ['lists', '['.repeat(65) + ']'.repeat(65)],
    ['objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`],
    [
      'a list behind a text with quotes and brackets',
      `["\\\\\\"]]]]",${'['.repeat(64)}${']'.repeat(64)}]`,
    ],
  ])('with %s nested too deep fails', async (_what, text) => {
    respond = (_request, response) => response.end(text)
    const failure = await failureOf(send({ ...get, method: 'POST' }))
    expect(failure).toMatchObject({
      code: 'APP_UNAVAILABLE',
      problem: 'malformed',
      reason: 'the response is nested more than 64 levels deep',
    })
  })

  it('that fails and is nested too deep is judged by its status', async () => {
    respond = (_request, response) => response.writeHead(422).end('['.repeat(9000))
    expect(await failureOf(send())).toMatchObject({ code: 'APP_REFUSED' })
  })

  it.each([
    ['as deep as allowed', '['.repeat(64) + ']'.repeat(64)],
    ['long and flat', `[${'[{}],'.repeat(1000)}1]`],
    ['with brackets in its texts', JSON.stringify(['['.repeat(99), '\\"', '{"'.repeat(99)])],
  ])('is read if it is %s', async (_what, text) => {
    respond = (_request, response) => response.end(text)
    expect((await send()).body).toEqual(JSON.parse(text))
  })

  it('that may be text is read as text, unless it is JSON', async () => {
    const xml = '<orders count="2"/>'
    const bodyOf = async (type: string, text: string) => {
      respond = (_request, response) => response.writeHead(200, { 'content-type': type }).end(text)
      return (await send({ ...get, expect: 'text' })).body
    }
    expect(await bodyOf('application/xml', xml)).toBe(xml)
    expect(await bodyOf('text/csv; charset=utf-8', '')).toBe('')
    expect(await bodyOf('application/problem+json; charset=utf-8', '{"a":1}')).toEqual({ a: 1 })
    respond = (_request, response) =>
      response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>')
    const failure = await failureOf(send({ method: 'POST', path: '/x', expect: 'text' }))
    expect(failure).toMatchObject({ code: 'APP_UNAVAILABLE', problem: 'server' })
  })

  it('without a body has none', async () => {
    respond = (_request, response) => response.writeHead(204).end()
    expect(await send()).toMatchObject({ status: 204, body: undefined })
  })

  it('that would exceed the shared memory is aborted, and others are read', async () => {
    const waiting: (() => void)[] = []
    const text = JSON.stringify('x'.repeat(60_000))
    respond = (request, response) => {
      if (request.url !== '/v1/slow') return void response.end('{}')
      response.write(text.slice(0, -1))
      waiting.push(() => response.end('"'))
    }
    const responseBudget = { totalBytes: 400_000, bytesPerHolder: 150_000 }
    const client = clientOf({ responseBudget })
    const sendSlowRequest = () =>
      client.send(connector, credentialOf(), { method: 'POST', path: '/slow' })
    const all = [sendSlowRequest(), sendSlowRequest(), sendSlowRequest(), sendSlowRequest()]
    const refused = all.map((sending) =>
      sending.then(
        () => 'read',
        ({ problem }) => problem,
      ),
    )
    await expect.poll(() => waiting.length).toBe(4)
    // Two responses fit in memory. The first rejection shows that both are held.
    await Promise.race(
      refused.map((ended) => ended.then((end) => end === 'memory-limit' || Promise.reject())),
    )
    expect((await client.send(connector, credentialOf(), get)).body).toEqual({})
    for (const end of waiting) end()
    expect((await Promise.all(refused)).sort()).toEqual([
      'memory-limit',
      'memory-limit',
      'read',
      'read',
    ])
    // Reading a response frees its memory.
    waiting.length = 0
    const again = sendSlowRequest()
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]?.()
    expect((await again).body).toBe('x'.repeat(60_000))
  })

  it('that never ends is cut at the size limit', async () => {
    respond = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const writeOn = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', writeOn)
      }
      writeOn()
    }
    const failure = await failureOf(send(get, { maxResponseBytes: 1_000_000 }))
    expect(failure).toMatchObject({ problem: 'too-large' })
    expect(requests).toHaveLength(1)
  })

  it('that is small only while compressed is cut at the size limit', async () => {
    const compressedBody = gzipSync(Buffer.alloc(50_000_000, ' '))
    expect(compressedBody.length).toBeLessThan(100_000)
    respond = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressedBody)
    const failure = await failureOf(send(get, { maxResponseBytes: 1_000_000 }))
    expect(failure).toMatchObject({ problem: 'too-large' })
  })

  it('that arrives too slowly is cut at the deadline', async () => {
    respond = (_request, response) => {
      const drip = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(drip))
    }
    // Without the deadline, the request would never end.
    const failure = await failureOf(send(get, { deadlineMs: 300, maxRetries: 0 }))
    expect(failure).toMatchObject({ problem: 'deadline' })
  })
})

describe('a failed request', () => {
  const failOnce = (status: number, headers: Record<string, string> = {}): void => {
    respond = (_request, response) => {
      if (requests.length === 1) response.writeHead(status, headers).end()
      else response.end('{}')
    }
  }

  it('is retried if it reads', async () => {
    failOnce(503)
    await send()
    expect(requests).toHaveLength(2)
  })

  it('is retried if its connector marks it as a read', async () => {
    failOnce(503)
    await send({ method: 'POST', path: '/graphql', body: { query: '{ orders }' }, read: true })
    expect(requests).toHaveLength(2)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'is not retried if it writes: %s',
    async (method) => {
      failOnce(503)
      await failureOf(send({ method, path: '/orders' }))
      expect(requests).toHaveLength(1)
    },
  )

  it('is retried when the app’s Retry-After has passed, and no sooner', async () => {
    failOnce(429, { 'retry-after': '1' })
    await send()
    const [first, second] = requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1000)
  })

  it('is left to the caller if Retry-After exceeds the wait limit', async () => {
    failOnce(429, { 'retry-after': '61' })
    expect(await failureOf(send())).toMatchObject({ retryAfterMs: 61_000 })
    expect(requests).toHaveLength(1)
  })

  it('is given up after a few attempts', async () => {
    respond = (_request, response) => response.writeHead(500).end()
    await failureOf(send(get, { maxRetries: 3 }))
    expect(requests).toHaveLength(4)
  })

  it('ends its pause when the caller aborts', async () => {
    respond = (_request, response) => response.writeHead(429, { 'retry-after': '30' }).end()
    const control = new AbortController()
    const response = clientOf().send(connector, credentialOf(), get, control.signal)
    while (requests.length === 0) await wait(5)
    await wait(20)
    control.abort(new Error('stopped'))
    await expect(response).rejects.toThrow()
  })
})

describe('an app that is down', () => {
  it('gets no requests after failures in a row, then one', async () => {
    respond = (_request, response) => response.writeHead(500).end()
    const client = clientOf({ maxRetries: 0, breakAfter: 3, halfOpenAfterMs: 1000 })
    const request = () => client.send(connector, credentialOf(), get)
    for (let time = 0; time < 3; time++) await failureOf(request())
    expect(await failureOf(request())).toMatchObject({
      problem: 'circuit-open',
      reason: 'it answered 500; requests are paused for some seconds',
    })
    expect(requests).toHaveLength(3)
    await wait(1100)
    respond = (_request, response) => response.end('{}')
    await request()
    await request()
    expect(requests).toHaveLength(5)
  })

  it('does not mean one that rejects requests', async () => {
    respond = (_request, response) => response.writeHead(404).end()
    const client = clientOf({ breakAfter: 2 })
    for (let time = 0; time < 5; time++)
      await failureOf(client.send(connector, credentialOf(), get))
    expect(requests).toHaveLength(5)
  })

  it('does not mean a request that cannot be sent, which is our own bug', async () => {
    respond = (_request, response) => response.end('{}')
    const client = clientOf({ breakAfter: 2 })
    const credential = credentialOf()
    const unsendable: AppRequest = { ...get, body: {} }
    for (let time = 0; time < 3; time++)
      for (const request of [client.send, client.pass])
        await expect(request(connector, credential, unsendable)).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
    await client.send(connector, credential, get)
  })

  it('does not mean a failure caused by one caller’s input', async () => {
    respond = ({ url: path }, response) => response.writeHead(path === '/v1/odd' ? 500 : 200).end()
    const client = clientOf({ breakAfter: 2 })
    const credential = credentialOf()
    for (let time = 0; time < 3; time++)
      await client.pass(connector, credential, { method: 'GET', path: '/odd' })
    await client.send(connector, credential, get)
  })

  it('is tracked by address: another address of the same host does not affect it', async () => {
    respond = ({ url: path }, response) =>
      response.writeHead(path?.startsWith('/v1/') ? 200 : 500).end()
    const client = clientOf({ maxRetries: 0, breakAfter: 2 })
    for (let time = 0; time < 3; time++)
      await failureOf(client.send(connector, credentialOf({ url: `${url}x` }), get))
    await client.send(connector, credentialOf(), get)
  })
})

describe('an app in this process', () => {
  const localUrl = 'http://sandbox.local/v1'
  const sendTo = (app: (request: Request) => Promise<Response>, deadlineMs = 10_000) =>
    clientOf({
      deadlineMs,
      maxRetries: 0,
      allowPrivateAddresses: false,
      localApps: new Map([['http://sandbox.local', app]]),
    }).send(connector, credentialOf({ url: localUrl }), get)

  it('is called without a socket', async () => {
    const requests: string[] = []
    const response = await sendTo(async (request) => {
      requests.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`)
      return Response.json({ here: true })
    })
    expect(response).toMatchObject({ status: 200, body: { here: true } })
    expect(requests).toEqual([`GET ${localUrl}/orders?limit=5 Bearer ${SECRET}`])
  })

  it('has the same deadline', async () => {
    const neverRespond = () => new Promise<Response>(() => {})
    expect(await failureOf(sendTo(neverRespond, 50))).toMatchObject({ problem: 'deadline' })
    const respondEndlessly = async () => new Response(new ReadableStream({ pull: () => wait(10) }))
    expect(await failureOf(sendTo(respondEndlessly, 50))).toMatchObject({ problem: 'deadline' })
  })
})

it.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [
    { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
    30_000,
  ],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('the Retry-After header %j means a wait of %s ms', (headers, expected) => {
  expect(readRetryAfter(headers)).toBe(expected)
})
