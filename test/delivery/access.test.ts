/** Authentication, expiry and limits of subscriptions. */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { createKey, revokeKey } from '../support/keys.ts'
import {
  account,
  type SubscriptionHarness,
  type SubscriptionResult,
  startSubscriptionHarness,
  subscribe,
  transports,
  untilFollowers,
} from './subscription-harness.ts'

let harness: SubscriptionHarness
beforeAll(async () => {
  harness = await startSubscriptionHarness()
})
afterAll(() => harness.stop())

const QUERY = 'subscription { crmAccounts { kind } }'

const createTenantKey = () => createKey(harness.service.database, harness.tenant.environmentId)

interface SocketOptions {
  readonly protocol?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

/** A raw WebSocket that keeps its messages and its close code. */
const openSocket = async ({
  protocol = 'graphql-transport-ws',
  headers = {},
  path,
}: SocketOptions = {}) => {
  const url = path === undefined ? harness.url : new URL(path, harness.url).href
  const socket = new WebSocket(url.replace('http', 'ws'), protocol, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: messages of every kind
  const messages: any[] = []
  socket.on('message', (text) => messages.push(JSON.parse(String(text))))
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  const failed = once(socket, 'error')
  failed.catch(() => {})
  await Promise.race([once(socket, 'open'), failed.then(([error]) => Promise.reject(error))])
  const send = (message: object) => socket.send(JSON.stringify(message))
  const until = (type: string) =>
    expect
      .poll(() => messages.find((message) => message.type === type), {
        timeout: 60_000,
        interval: 5,
      })
      .toBeDefined()
      .then(() => messages.find((message) => message.type === type))
  const init = (authorization?: string) =>
    send({ type: 'connection_init', ...(authorization && { payload: { authorization } }) })
  return { socket, messages, closed, send, until, init, stop: () => socket.terminate() }
}

const openReadySocket = async () => {
  const socket = await openSocket()
  socket.init(`Bearer ${harness.tenant.key}`)
  await socket.until('connection_ack')
  return socket
}

describe('a WebSocket', () => {
  test('accepts an API key in connection_init or in the upgrade header', async () => {
    const header = await openSocket({ headers: { authorization: `bearer ${harness.tenant.key}` } })
    header.init()
    expect(await header.until('connection_ack')).toEqual({ type: 'connection_ack' })
    header.stop()
    const params = await openSocket({ headers: { authorization: 'Bearer unknown' } })
    params.init(`Bearer ${harness.tenant.key}`)
    await params.until('connection_ack')
    params.stop()
  })

  test.each<[string, () => Promise<string | undefined> | string | undefined, number]>([
    ['no key', () => undefined, 4401],
    ['an unknown key', () => `Bearer ${generateApiKey('development')}`, 4401],
    ['another authentication scheme', () => 'Basic eDp5', 4401],
    [
      'a revoked key',
      async () => {
        const key = await createTenantKey()
        await revokeKey(harness.service, key)
        return `Bearer ${key}`
      },
      4401,
    ],
    [
      'a forged token',
      async () =>
        `Bearer ${await new SignJWT({ env: harness.tenant.environmentId })
          .setProtectedHeader({ alg: 'HS256', typ: 'trunkline-user+jwt' })
          .setSubject(harness.tenant.userId)
          .setExpirationTime('1h')
          .sign(new Uint8Array(32))}`,
      4401,
    ],
    [
      'a user token',
      async () => {
        const { environmentId, userId } = harness.tenant
        return `Bearer ${(await harness.service.tokens.issue({ environmentId, userId })).token}`
      },
      4403,
    ],
  ])('rejects %s at connection_init', async (_what, authorization, code) => {
    const socket = await openSocket()
    socket.init(await authorization())
    expect((await socket.closed).code).toBe(code)
    expect(socket.messages.map(({ type }) => type)).not.toContain('next')
  })

  test('rejects an expired user token', async () => {
    const { environmentId, userId } = harness.tenant
    const { token } = await harness.service.tokens.issue({ environmentId, userId })
    const { clock } = harness.service
    const later = vi.spyOn(clock, 'nowMs').mockReturnValue(clock.nowMs() + 2 * 3_600_000)
    try {
      expect(await harness.service.tokens.verify(token)).toBe('expired')
      const socket = await openSocket()
      socket.init(`Bearer ${token}`)
      expect((await socket.closed).code).toBe(4401)
    } finally {
      later.mockRestore()
    }
  })

  test('is closed when it does not send connection_init in time', async () => {
    const socket = await openSocket()
    expect(await socket.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' })
  })

  test.each<[string, object | string, number]>([
    ['subscribes first', { id: '1', type: 'subscribe', payload: { query: QUERY } }, 4401],
    ['sends invalid JSON', 'x', 4400],
    ['sends an unknown message type', { type: 'hello' }, 4400],
    ['sends more than 256 KiB', 'x'.repeat(256 * 1024 + 1), 1009],
  ])('is closed when it %s', async (_what, message, code) => {
    const socket = await openSocket()
    if (typeof message === 'string') socket.socket.send(message)
    else socket.send(message)
    expect((await socket.closed).code).toBe(code)
  })

  test('is closed on a second connection_init and on a duplicate subscription id', async () => {
    const twice = await openReadySocket()
    twice.init(`Bearer ${harness.tenant.key}`)
    expect((await twice.closed).code).toBe(4429)
    const same = await openReadySocket()
    for (const _again of [1, 2])
      same.send({ id: 'a', type: 'subscribe', payload: { query: QUERY } })
    expect((await same.closed).code).toBe(4409)
  })

  test('is rejected for another subprotocol or path', async () => {
    await expect(openSocket({ path: '/elsewhere' })).rejects.toThrow('404')
    const other = await openSocket({ protocol: 'graphql-ws' }).catch((error) => error)
    expect(other instanceof Error || (await other.closed).code === 4406).toBe(true)
  })

  test.each<[string, string, string]>([
    ['a query', '{ __typename }', 'BAD_REQUEST'],
    [
      'a mutation',
      'mutation { createUser(input: { username: "x" }) { user { userId } } }',
      'BAD_REQUEST',
    ],
    ['no document', '}', 'BAD_REQUEST'],
    ['an unknown field', 'subscription { nope }', 'BAD_REQUEST'],
    [
      'a wrong argument',
      'subscription { changes(topics: ["nope"]) { topic } }',
      'INVALID_PARAMETER',
    ],
    ['a skipped field', 'subscription { changes @skip(if: true) { cursor } }', 'BAD_REQUEST'],
    [
      'a skipped fragment',
      'subscription { ...F @include(if: false) } fragment F on Subscription { changes { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'a skipped field in a fragment',
      'subscription { ... { ...F } } fragment F on Subscription { changes @include(if: false) { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'a field that a variable may skip',
      'subscription ($no: Boolean = false) { changes @include(if: $no) { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'a document that is too deep',
      `subscription { crmAccounts { record ${'{ contacts { nodes { account '.repeat(5)} { id } ${'} } }'.repeat(5)} } }`,
      'QUERY_TOO_COMPLEX',
    ],
    [
      'a document that is too long',
      `subscription { changes { cursor } } #${'x'.repeat(64 * 1024)}`,
      'QUERY_TOO_COMPLEX',
    ],
    [
      'a document that costs too much',
      'subscription { crmAccounts { record { contacts(first: 100) { nodes { account { contacts(first: 100) { nodes { account { contacts(first: 100) { nodes { id } } } } } } } } } } }',
      'QUERY_TOO_COMPLEX',
    ],
  ])('rejects %s and stays open', async (_what, query, code) => {
    const socket = await openReadySocket()
    socket.send({ id: '1', type: 'subscribe', payload: { query } })
    const { payload } = await socket.until('error')
    expect(payload[0].extensions.code).toBe(code)
    expect(payload[0].extensions).not.toHaveProperty('http')
    socket.send({ type: 'ping' })
    await socket.until('pong')
    socket.stop()
  })

  test.each([
    ['omits it', undefined],
    ['names no operation of the document', 'C'],
  ])('returns an error about operationName when the message %s', async (_what, operationName) => {
    const socket = await openReadySocket()
    const query = 'subscription A { changes { cursor } } subscription B { changes { cursor } }'
    socket.send({ id: '1', type: 'subscribe', payload: { query, operationName } })
    const { payload } = await socket.until('error')
    expect(payload[0].message).toContain('operationName')
    socket.stop()
  })

  test('allows 100 subscriptions and rejects the next one', async () => {
    await untilFollowers(harness, 0)
    const socket = await openReadySocket()
    for (let n = 0; n <= 100; n++)
      socket.send({ id: `${n}`, type: 'subscribe', payload: { query: QUERY } })
    const error = await socket.until('error')
    expect([error.id, error.payload[0].extensions.code]).toEqual(['100', 'RATE_LIMITED'])
    await untilFollowers(harness, 100)
    await harness.write([account(1)])
    await expect
      .poll(() => socket.messages.filter(({ type }) => type === 'next').length, { timeout: 60_000 })
      .toBe(100)
    socket.stop()
    await untilFollowers(harness, 0)
  })

  test('counts subscriptions towards the caller’s requests per minute', async () => {
    const limited = await startSubscriptionHarness({ requestsPerMinute: 3 })
    const received: (string | undefined)[] = []
    for (let n = 0; n < 5; n++) {
      const subscribed = subscribe('WebSocket', {
        url: limited.url,
        key: limited.tenant.key,
        query: 'subscription { nope }',
      })
      const errors = await subscribed.ended.catch((errors) => errors)
      received.push(errors[0].extensions.code)
      subscribed.stop()
    }
    expect(received).toEqual([...Array(3).fill('BAD_REQUEST'), 'RATE_LIMITED', 'RATE_LIMITED'])
    await limited.stop()
  })

  test('tolerates a client that disconnects during the handshake', async () => {
    const { port, hostname } = new URL(harness.url)
    for (const text of [
      'GET /graphql HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ]) {
      const socket = createConnection(Number(port), hostname)
      socket.resume()
      socket.write(text)
      await once(socket, 'close')
    }
    const socket = await openReadySocket()
    socket.stop()
  })
})

describe.each(transports)('over %s', (transport) => {
  test('a revoked key ends its own subscriptions within 5 s, and no others', async () => {
    const key = await createTenantKey()
    const revoked = subscribe(transport, { url: harness.url, key, query: QUERY })
    const other = subscribe(transport, { url: harness.url, key: harness.tenant.key, query: QUERY })
    await untilFollowers(harness, 2)
    const startedMs = performance.now()
    await revokeKey(harness.service, key)
    const reason = await revoked.ended.then(
      () => 'complete',
      (error) => error,
    )
    expect(performance.now() - startedMs).toBeLessThan(5000)
    if (transport === 'WebSocket') expect(reason).toMatchObject({ code: 4401 })
    else expect(reason).not.toBe('complete')
    await untilFollowers(harness, 1)
    await harness.write([account(1, `${transport} ${Math.random()}`)])
    await other.until(1)
    other.stop()
    await untilFollowers(harness, 0)
  })

  test('rejects a user token', async () => {
    const { environmentId, userId } = harness.tenant
    const { token } = await harness.service.tokens.issue({ environmentId, userId })
    const subscribed = subscribe(transport, { url: harness.url, key: token, query: QUERY })
    const [received] = await subscribed
      .until(1)
      .catch((error) => [error as SubscriptionResult & { code?: number }])
    const code = received?.errors?.[0]?.extensions.code ?? (received as { code?: number }).code
    expect(code).toBe(transport === 'WebSocket' ? 4403 : 'FORBIDDEN')
    subscribed.stop()
  })
})

test('rejects a subscription from a client that does not accept events, and follows nothing', async () => {
  const { status, errors } = await harness.service.graphql(harness.tenant.key, QUERY)
  expect([status, errors[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST'])
  expect(errors[0]?.message).toContain('text/event-stream')
  expect(harness.service.live.followers).toBe(0)
})
