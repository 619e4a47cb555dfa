import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AppRequest, Connector } from '../../src/definition/connector.ts'
import { defineConnector } from '../../src/definition/connector.ts'
import { isAppError } from '../../src/outbound/app-error.ts'
import { type AppClient, type AppClientOptions, createAppClient } from '../../src/outbound/http.ts'
import { readRetryAfter } from '../../src/outbound/retry.ts'

const SECRET = 'sk_live_0123456789'

const connector: Connector = defineConnector({
  app: 'shop',
  name: 'Shop',
  doc: 'An app for tests.',
  credential: { url: { doc: 'Address.', secret: false }, key: { doc: 'Key.', secret: true } },
  baseUrl: ({ url = '' }) => url,
  authorize: ({ key = '' }) => ({ authorization: `Bearer ${key}` }),
  readFailure: ({ body }) =>
    typeof body === 'object' && body !== null && 'problem' in body
      ? { kind: 'refused', reason: String(body.problem) }
      : undefined,
  check: { method: 'GET', path: '/check' },
  resources: {},
})

let server: Server
let respond: RequestListener = (_request, response) => response.end('{}')
let requests: { method: string; url: string; body: string; atMs: number }[] = []
let url = ''
let clients: AppClient[] = []

beforeEach(async () => {
  requests = []
  clients = []
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
    ...{ allowPrivateAddresses: true, firstPauseMs: 1, maxPauseMs: 5, deadlineMs: 5000 },
    ...options,
  })
  clients.push(client)
  return client
}

const get: AppRequest = { method: 'GET', path: '/orders?limit=5' }

const send = (request: AppRequest = get, options: Partial<AppClientOptions> = {}, key = SECRET) =>
  clientOf(options).send(connector, { url, key }, request)

/** What came instead of an answer; none of it holds the secret. */
const failureOf = async (answer: Promise<unknown>): Promise<unknown> => {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(isAppError(error)).toBe(true)
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(SECRET.slice(0, 12))
  return error
}

describe('a request', () => {
  it('goes below the base address, as JSON, with the credential', async () => {
    let headers: NodeJS.Dict<string | string[]> = {}
    respond = (request, response) => {
      headers = request.headers
      response.end('{"done":true}')
    }
    const answer = await send({ method: 'POST', path: '/orders', body: { total: '1.10' } })
    expect(answer).toMatchObject({ status: 200, body: { done: true } })
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

  it.each(['@evil.example/', '.evil.example/', '/../admin', 'orders', '/..', '/%2e%2e/admin'])(
    'that would lead out of the base address is not sent: %s',
    async (path) => {
      expect(await failureOf(send({ method: 'GET', path }))).toMatchObject({ code: 'APP_ADDRESS' })
      expect(requests).toEqual([])
    },
  )

  it('whose path looks like another host stays below the base address', async () => {
    await send({ method: 'GET', path: '//evil.example/x' })
    expect(requests[0]?.url).toBe('/v1//evil.example/x')
  })

  it.each(['', 'not a url', 'ftp://example.com', 'file:///etc/passwd', 'https://a:b@example.com'])(
    'to a base address that is none is not sent: %s',
    async (base) => {
      const answer = clientOf().send(connector, { url: base, key: SECRET }, get)
      expect(await failureOf(answer)).toMatchObject({ code: 'APP_ADDRESS' })
    },
  )

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

describe('an answer', () => {
  it.each([
    [401, 'APP_AUTHENTICATION'],
    [403, 'APP_REFUSED'],
    [404, 'APP_REFUSED'],
    [422, 'APP_REFUSED'],
    [429, 'APP_RATE_LIMITED'],
    [408, 'APP_UNAVAILABLE'],
    [500, 'APP_UNAVAILABLE'],
    [503, 'APP_UNAVAILABLE'],
  ])('of status %i is %s, also as a page of HTML', async (status, code) => {
    respond = (_request, response) => response.writeHead(status).end('<h1>Sorry</h1>')
    expect(await failureOf(send({ ...get, method: 'DELETE' }))).toMatchObject({ code })
  })

  it('is a failure if the connector reads one out of it, whatever its status', async () => {
    respond = (_request, response) => response.end(`{"problem":"No ${SECRET} here"}`)
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ code: 'APP_REFUSED', reason: 'No [redacted] here' })
  })

  it('that redirects is refused and not followed', async () => {
    respond = (_request, response) => response.writeHead(302, { location: '/v1/elsewhere' }).end()
    expect(await failureOf(send())).toMatchObject({ code: 'APP_REFUSED', kind: 'refused' })
    expect(requests).toHaveLength(1)
  })

  it.each(['{"a":', '<html>', '{"a":1}x', '\u0000'])('that is no JSON fails: %j', async (text) => {
    respond = (_request, response) => response.end(text)
    const failure = await failureOf(send({ ...get, method: 'POST' }))
    expect(failure).toMatchObject({ code: 'APP_UNAVAILABLE', problem: 'malformed' })
  })

  it('without a body has none', async () => {
    respond = (_request, response) => response.writeHead(204).end()
    expect(await send()).toMatchObject({ status: 204, body: undefined })
  })

  it('that never ends is cut at the cap', async () => {
    respond = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, 'x')
      const pour = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', pour)
      }
      pour()
    }
    const failure = await failureOf(send(get, { maxAnswerBytes: 1_000_000 }))
    expect(failure).toMatchObject({ problem: 'too-large' })
    expect(requests).toHaveLength(1)
  })

  it('that is small only while compressed is cut at the cap', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
    expect(bomb.length).toBeLessThan(100_000)
    respond = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    const failure = await failureOf(send(get, { maxAnswerBytes: 1_000_000 }))
    expect(failure).toMatchObject({ problem: 'too-large' })
  })

  it('that drips is cut at the deadline', async () => {
    respond = (_request, response) => {
      const drip = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(drip))
    }
    // Without it, this would never end.
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

  it('is sent again if it reads', async () => {
    failOnce(503)
    await send()
    expect(requests).toHaveLength(2)
  })

  it('is sent again if its connector calls it a read', async () => {
    failOnce(503)
    await send({ method: 'POST', path: '/graphql', body: { query: '{ orders }' }, read: true })
    expect(requests).toHaveLength(2)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'is not sent again if it writes: %s',
    async (method) => {
      failOnce(503)
      await failureOf(send({ method, path: '/orders' }))
      expect(requests).toHaveLength(1)
    },
  )

  it('is sent again when the app has asked for it, and no sooner', async () => {
    failOnce(429, { 'retry-after': '1' })
    await send()
    const [first, second] = requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1000)
  })

  it('is left to the caller if the app asks for more than is waited', async () => {
    failOnce(429, { 'retry-after': '61' })
    expect(await failureOf(send())).toMatchObject({ retryAfterMs: 61_000 })
    expect(requests).toHaveLength(1)
  })

  it('is given up after a few tries', async () => {
    respond = (_request, response) => response.writeHead(500).end()
    await failureOf(send(get, { maxRetries: 3 }))
    expect(requests).toHaveLength(4)
  })

  it('lets go of its pause when the caller breaks off', async () => {
    respond = (_request, response) => response.writeHead(429, { 'retry-after': '30' }).end()
    const control = new AbortController()
    const answer = clientOf().send(connector, { url, key: SECRET }, get, control.signal)
    while (requests.length === 0) await wait(5)
    await wait(20)
    control.abort(new Error('stopped'))
    await expect(answer).rejects.toThrow()
  })
})

describe('an app that is down', () => {
  it('is left alone after failures in a row, then asked once', async () => {
    respond = (_request, response) => response.writeHead(500).end()
    const client = clientOf({ maxRetries: 0, breakAfter: 3, halfOpenAfterMs: 1000 })
    const ask = () => client.send(connector, { url, key: SECRET }, get)
    for (let time = 0; time < 3; time++) await failureOf(ask())
    expect(await failureOf(ask())).toMatchObject({ problem: 'circuit-open' })
    expect(requests).toHaveLength(3)
    await wait(1100)
    respond = (_request, response) => response.end('{}')
    await ask()
    await ask()
    expect(requests).toHaveLength(5)
  })

  it('is not one that refuses', async () => {
    respond = (_request, response) => response.writeHead(404).end()
    const client = clientOf({ breakAfter: 2 })
    for (let time = 0; time < 5; time++)
      await failureOf(client.send(connector, { url, key: SECRET }, get))
    expect(requests).toHaveLength(5)
  })

  it('is not one that was sent nothing: a request that cannot be sent is a mistake of ours', async () => {
    respond = (_request, response) => response.end('{}')
    const client = clientOf({ breakAfter: 2 })
    const credential = { url, key: SECRET }
    const unsendable: AppRequest = { ...get, body: {} }
    for (let time = 0; time < 3; time++)
      for (const ask of [client.send, client.pass])
        await expect(ask(connector, credential, unsendable)).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
    await client.send(connector, credential, get)
  })

  it('is not one that fails at what a caller passes on, which no other asks', async () => {
    respond = ({ url: asked }, response) =>
      response.writeHead(asked === '/v1/odd' ? 500 : 200).end()
    const client = clientOf({ breakAfter: 2 })
    const credential = { url, key: SECRET }
    for (let time = 0; time < 3; time++)
      await client.pass(connector, credential, { method: 'GET', path: '/odd' })
    await client.send(connector, credential, get)
  })

  it('is one at that address alone: whoever names another of its host leaves the first be', async () => {
    respond = ({ url: asked }, response) =>
      response.writeHead(asked?.startsWith('/v1/') ? 200 : 500).end()
    const client = clientOf({ maxRetries: 0, breakAfter: 2 })
    for (let time = 0; time < 3; time++)
      await failureOf(client.send(connector, { url: `${url}x`, key: SECRET }, get))
    await client.send(connector, { url, key: SECRET }, get)
  })
})

describe('an app in this process', () => {
  const localUrl = 'http://sandbox.local/v1'
  const sendTo = (app: (request: Request) => Promise<Response>, deadlineMs = 10_000) =>
    clientOf({
      ...{ deadlineMs, maxRetries: 0, allowPrivateAddresses: false },
      localApps: new Map([['http://sandbox.local', app]]),
    }).send(connector, { url: localUrl, key: SECRET }, get)

  it('is asked without a socket', async () => {
    const asked: string[] = []
    const answer = await sendTo(async (request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`)
      return Response.json({ here: true })
    })
    expect(answer).toMatchObject({ status: 200, body: { here: true } })
    expect(asked).toEqual([`GET ${localUrl}/orders?limit=5 Bearer ${SECRET}`])
  })

  it('is bound by the deadline too', async () => {
    const never = () => new Promise<Response>(() => {})
    expect(await failureOf(sendTo(never, 50))).toMatchObject({ problem: 'deadline' })
    const endless = async () => new Response(new ReadableStream({ pull: () => wait(10) }))
    expect(await failureOf(sendTo(endless, 50))).toMatchObject({ problem: 'deadline' })
  })
})

it.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [
    { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
    30_000,
  ],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('reads %j as %s ms', (headers, expected) => {
  expect(readRetryAfter(headers)).toBe(expected)
})
