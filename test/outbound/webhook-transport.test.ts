/** The webhook transport: the outcome of each kind of endpoint, and how much of a response is read. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createWebhookTransport,
  type WebhookTransport,
} from '../../src/outbound/webhook-transport.ts'

type Behaviour = (response: ServerResponse, body: string, request: IncomingMessage) => void

let endResponse: Behaviour = (response) => void response.end()
let received: string[] = []
/** Responses whose connection closed before their end. */
let cutOff = 0
const server = createServer((request, response) => {
  received.push(request.url ?? '')
  response.once('close', () => {
    if (!response.writableFinished) cutOff++
  })
  let body = ''
  request.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => endResponse(response, body, request))
})
let origin = ''
/** A transport with a short deadline, and one with enough time for a busy machine. */
let shortTransport: WebhookTransport
let longTransport: WebhookTransport

const DEADLINE_MS = 1000
const MAX_RESPONSE_BYTES = 10_000
const STORED_RESPONSE_BYTES = 12

const open = (path = '/hook', transport = longTransport) => transport.open(new URL(path, origin))
const post = (channel = open(), body = 'a message') =>
  channel.post(['content-type', 'text/plain', 'x-name', 'value'], Buffer.from(body))
const failureOf = (posted: Promise<unknown>): Promise<unknown> =>
  posted.then(
    () => expect.unreachable('it was delivered'),
    (error: unknown) => error,
  )

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address of that kind.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const limits = {
    maxResponseBytes: MAX_RESPONSE_BYTES,
    storedResponseBytes: STORED_RESPONSE_BYTES,
  }
  shortTransport = createWebhookTransport({
    allowPrivateAddresses: true,
    deadlineMs: DEADLINE_MS,
    ...limits,
  })
  longTransport = createWebhookTransport({
    allowPrivateAddresses: true,
    deadlineMs: 60_000,
    ...limits,
  })
})
afterEach(() => {
  received = []
  cutOff = 0
})
afterAll(async () => {
  await shortTransport.stop()
  await longTransport.stop()
  server.closeAllConnections()
  server.close()
})

test('sends the bytes unchanged, with their headers, to the path and its query', async () => {
  endResponse = (response, body, { headers, method }) =>
    response
      .writeHead(body === 'Ålesund "Fisk"' && method === 'POST' ? 200 : 400)
      .end([headers['x-name'], headers['content-length']].join())
  expect(await post(open('/hook?a=b'), 'Ålesund "Fisk"')).toEqual({
    status: 200,
    retryAfterMs: undefined,
    beginning: 'value,15',
  })
  expect(received).toEqual(['/hook?a=b'])
})

test('gives up a hanging endpoint at the deadline and closes its connection', async () => {
  endResponse = () => {}
  const startedMs = performance.now()
  const failure = await failureOf(post(open('/hook', shortTransport)))
  expect(failure).toMatchObject({
    code: 'EXCHANGE_FAILED',
    problem: 'deadline',
    message: `no complete response within ${DEADLINE_MS} ms`,
  })
  // Timers count in whole milliseconds.
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(DEADLINE_MS - 1)
  await expect.poll(() => cutOff).toBe(1)
})

test('gives up a slow response at the deadline, however often bytes arrive', async () => {
  endResponse = (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(timer))
  }
  expect(await failureOf(post(open('/hook', shortTransport)))).toMatchObject({
    problem: 'deadline',
  })
  await expect.poll(() => cutOff).toBe(1)
})

test('each request has its own deadline, and a hanging one delays no other', async () => {
  endResponse = (response, body) => {
    if (body === 'completes') response.end()
  }
  const channel = open('/hook', shortTransport)
  const first = failureOf(post(channel, 'hangs'))
  await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS / 4))
  const startedMs = performance.now()
  const second = failureOf(post(channel, 'hangs too'))
  expect(await post(channel, 'completes')).toMatchObject({ status: 200 })
  expect(await first).toMatchObject({ problem: 'deadline' })
  expect(await second).toMatchObject({ problem: 'deadline' })
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(DEADLINE_MS - 1)
})

test('the deadline includes the time to connect', async () => {
  const silent = createTcpServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  // The handshake never ends.
  const channel = shortTransport.open(new URL(`https://127.0.0.1:${port}/`))
  expect(await failureOf(post(channel))).toMatchObject({ problem: 'deadline' })
  silent.close()
})

test('cuts off an endless response', async () => {
  endResponse = (response) => {
    const writeOn = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1000)));
      if (!response.destroyed) response.once('drain', writeOn)
    }
    writeOn()
  }
  expect(await failureOf(post())).toMatchObject({
    problem: 'too-large',
    message: `the response is larger than ${MAX_RESPONSE_BYTES} bytes`,
  })
  await expect.poll(() => cutOff).toBe(1)
})

test('accepts a response of the maximum length and keeps its first bytes', async () => {
  endResponse = (response) => {
    response.write('é'.repeat(3))
    setTimeout(() => response.end('z'.repeat(MAX_RESPONSE_BYTES - 6)), 20)
  }
  expect(await post()).toMatchObject({ status: 200, beginning: 'ééézzzzzz' })
})

test('returns a redirect like any other response and never follows it', async () => {
  endResponse = (response) =>
    void response.writeHead(307, { location: `${origin}/elsewhere` }).end()
  expect(await post()).toMatchObject({ status: 307 })
  expect(received).toEqual(['/hook'])
})

test.each([
  ['2', 2000],
  ['soon', undefined],
  [undefined, undefined],
])('the Retry-After header %s means a wait of %s ms', async (value, retryAfterMs) => {
  const headers = value === undefined ? {} : { 'retry-after': value }
  endResponse = (response) => void response.writeHead(503, headers).end()
  expect(await post()).toEqual({ status: 503, retryAfterMs, beginning: '' })
})

test('ignores an informational response', async () => {
  endResponse = (response) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.end('then'))
  }
  expect(await post()).toMatchObject({ status: 200, beginning: 'then' })
})

test('a response that breaks off is a failure', async () => {
  endResponse = (response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('half', () => response.destroy())
  }
  expect(await failureOf(post())).toMatchObject({ code: 'EXCHANGE_FAILED', problem: 'network' })
})

test('a closed transport aborts its requests and accepts no more', async () => {
  endResponse = (response, body) => {
    if (body === 'slow') setTimeout(() => response.end(), 100)
  }
  const [channel, other] = [open(), open()]
  const broken = failureOf(post(channel, 'hangs'))
  const otherResponse = post(other, 'slow')
  await expect.poll(() => received.length).toBe(2)
  channel.close()
  expect(await broken).toMatchObject({ code: 'CHANNEL_CLOSED' })
  expect(await otherResponse).toMatchObject({ status: 200 })
  expect(await failureOf(post(channel))).toMatchObject({ code: 'CHANNEL_CLOSED' })
  expect(received).toHaveLength(2)
})
