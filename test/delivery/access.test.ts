/** Who may subscribe, until when, and how much. */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { generateApiKey } from '../../src/api-key.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { revokeKey } from '../support/revoke-key.ts'
import {
  account,
  followed,
  type Heard,
  type Stage,
  startStage,
  subscribe,
  transports,
} from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.stop())

const QUERY = 'subscription { crmAccounts { kind } }'

const newKey = async (): Promise<string> => {
  const key = generateApiKey('development')
  await saveApiKey(stage.service.database, stage.tenant.environmentId, key)
  return key
}

interface SocketOptions {
  readonly protocol?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

/** A socket by hand: what it hears, and how it ends. */
const openSocket = async ({
  protocol = 'graphql-transport-ws',
  headers = {},
  path,
}: SocketOptions = {}) => {
  const url = path === undefined ? stage.url : new URL(path, stage.url).href
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
  const say = (message: object) => socket.send(JSON.stringify(message))
  const until = (type: string) =>
    expect
      .poll(() => messages.find((one) => one.type === type), { timeout: 60_000, interval: 5 })
      .toBeDefined()
      .then(() => messages.find((one) => one.type === type))
  const init = (authorization?: string) =>
    say({ type: 'connection_init', ...(authorization && { payload: { authorization } }) })
  return { socket, messages, closed, say, until, init, stop: () => socket.terminate() }
}

const ready = async () => {
  const one = await openSocket()
  one.init(`Bearer ${stage.tenant.key}`)
  await one.until('connection_ack')
  return one
}

describe('a socket', () => {
  test('opens by a key in connection_init, or in the header of the upgrade', async () => {
    const header = await openSocket({ headers: { authorization: `bearer ${stage.tenant.key}` } })
    header.init()
    expect(await header.until('connection_ack')).toEqual({ type: 'connection_ack' })
    header.stop()
    const params = await openSocket({ headers: { authorization: 'Bearer nobody' } })
    params.init(`Bearer ${stage.tenant.key}`)
    await params.until('connection_ack')
    params.stop()
  })

  test.each<[string, () => Promise<string | undefined> | string | undefined, number]>([
    ['no key', () => undefined, 4401],
    ['an unknown key', () => `Bearer ${generateApiKey('development')}`, 4401],
    ['no bearer', () => 'Basic eDp5', 4401],
    [
      'a revoked key',
      async () => {
        const key = await newKey()
        await revokeKey(stage.service, key)
        return `Bearer ${key}`
      },
      4401,
    ],
    [
      'a forged token',
      async () =>
        `Bearer ${await new SignJWT({ env: stage.tenant.environmentId })
          .setProtectedHeader({ alg: 'HS256', typ: 'trunkline-user+jwt' })
          .setSubject(stage.tenant.userId)
          .setExpirationTime('1h')
          .sign(new Uint8Array(32))}`,
      4401,
    ],
    [
      'a user token',
      async () => {
        const { environmentId, userId } = stage.tenant
        return `Bearer ${(await stage.service.tokens.issue({ environmentId, userId })).token}`
      },
      4403,
    ],
  ])('does not open by %s', async (_what, authorization, code) => {
    const one = await openSocket()
    one.init(await authorization())
    expect((await one.closed).code).toBe(code)
    expect(one.messages.map(({ type }) => type)).not.toContain('next')
  })

  test('does not open by a user token that has expired', async () => {
    const { environmentId, userId } = stage.tenant
    const { token } = await stage.service.tokens.issue({ environmentId, userId })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    try {
      expect(await stage.service.tokens.verify(token)).toBe('expired')
      const one = await openSocket()
      one.init(`Bearer ${token}`)
      expect((await one.closed).code).toBe(4401)
    } finally {
      vi.useRealTimers()
    }
  })

  test('is closed when it does not say who it is', async () => {
    const one = await openSocket()
    expect(await one.closed).toEqual({ code: 4408, reason: 'Connection initialisation timeout' })
  })

  test.each<[string, object | string, number]>([
    ['subscribes first', { id: '1', type: 'subscribe', payload: { query: QUERY } }, 4401],
    ['says what is no JSON', 'x', 4400],
    ['says what is no message', { type: 'hello' }, 4400],
    ['says more than 256 KiB', 'x'.repeat(256 * 1024 + 1), 1009],
  ])('that %s is closed', async (_what, message, code) => {
    const one = await openSocket()
    if (typeof message === 'string') one.socket.send(message)
    else one.say(message)
    expect((await one.closed).code).toBe(code)
  })

  test('that says twice who it is, or subscribes twice by one id, is closed', async () => {
    const twice = await ready()
    twice.init(`Bearer ${stage.tenant.key}`)
    expect((await twice.closed).code).toBe(4429)
    const same = await ready()
    for (const _again of [1, 2]) same.say({ id: 'a', type: 'subscribe', payload: { query: QUERY } })
    expect((await same.closed).code).toBe(4409)
  })

  test('of another protocol, or at another address, is not served', async () => {
    await expect(openSocket({ path: '/elsewhere' })).rejects.toThrow('404')
    const other = await openSocket({ protocol: 'graphql-ws' }).catch((error) => error)
    expect(other instanceof Error || (await other.closed).code === 4406).toBe(true)
  })

  test.each<[string, string, string]>([
    ['a query', '{ __typename }', 'BAD_REQUEST'],
    ['a mutation', 'mutation { createUser(input: { username: "x" }) { userId } }', 'BAD_REQUEST'],
    ['no document', '}', 'BAD_REQUEST'],
    ['an unknown field', 'subscription { nope }', 'BAD_REQUEST'],
    [
      'a wrong argument',
      'subscription { changes(topics: ["nope"]) { topic } }',
      'INVALID_PARAMETER',
    ],
    [
      'a field that is left out',
      'subscription { changes @skip(if: true) { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'a fragment that is left out',
      'subscription { ...F @include(if: false) } fragment F on Subscription { changes { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'a field that is left out in a fragment',
      'subscription { ... { ...F } } fragment F on Subscription { changes @include(if: false) { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'a field that a variable may leave out',
      'subscription ($no: Boolean = false) { changes @include(if: $no) { cursor } }',
      'BAD_REQUEST',
    ],
    [
      'one that is too deep',
      `subscription { crmAccounts { record ${'{ contacts { nodes { account '.repeat(5)} { id } ${'} } }'.repeat(5)} } }`,
      'QUERY_TOO_COMPLEX',
    ],
    [
      'one that costs too much',
      'subscription { crmAccounts { record { contacts(first: 100) { nodes { account { contacts(first: 100) { nodes { account { contacts(first: 100) { nodes { id } } } } } } } } } } }',
      'QUERY_TOO_COMPLEX',
    ],
  ])('is refused %s, and goes on', async (_what, query, code) => {
    const one = await ready()
    one.say({ id: '1', type: 'subscribe', payload: { query } })
    const { payload } = await one.until('error')
    expect(payload[0].extensions.code).toBe(code)
    expect(payload[0].extensions).not.toHaveProperty('http')
    one.say({ type: 'ping' })
    await one.until('pong')
    one.stop()
  })

  test.each([
    ['leaves open which of two it means', undefined],
    ['names none of them', 'C'],
  ])('that %s is told of operationName', async (_what, operationName) => {
    const one = await ready()
    const query = 'subscription A { changes { cursor } } subscription B { changes { cursor } }'
    one.say({ id: '1', type: 'subscribe', payload: { query, operationName } })
    const { payload } = await one.until('error')
    expect(payload[0].message).toContain('operationName')
    one.stop()
  })

  test('holds 100 subscriptions, and is refused one more', async () => {
    await followed(stage, 0)
    const one = await ready()
    for (let n = 0; n <= 100; n++)
      one.say({ id: `${n}`, type: 'subscribe', payload: { query: QUERY } })
    const error = await one.until('error')
    expect([error.id, error.payload[0].extensions.code]).toEqual(['100', 'RATE_LIMITED'])
    await followed(stage, 100)
    await stage.write([account(1)])
    await expect
      .poll(() => one.messages.filter(({ type }) => type === 'next').length, { timeout: 60_000 })
      .toBe(100)
    one.stop()
    await followed(stage, 0)
  })

  test('takes from its caller’s requests a minute', async () => {
    const limited = await startStage({ requestsPerMinute: 3 })
    const heard: (string | undefined)[] = []
    for (let n = 0; n < 5; n++) {
      const one = subscribe('WebSocket', {
        ...{ url: limited.url, key: limited.tenant.key },
        query: 'subscription { nope }',
      })
      const errors = await one.ended.catch((errors) => errors)
      heard.push(errors[0].extensions.code)
      one.stop()
    }
    expect(heard).toEqual([...Array(3).fill('BAD_REQUEST'), 'RATE_LIMITED', 'RATE_LIMITED'])
    await limited.stop()
  })

  test('that breaks off in the middle of a handshake harms nobody', async () => {
    const { port, hostname } = new URL(stage.url)
    for (const text of [
      'GET /graphql HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ]) {
      const socket = createConnection(Number(port), hostname)
      socket.resume()
      socket.write(text)
      await once(socket, 'close')
    }
    const one = await ready()
    one.stop()
  })
})

describe.each(transports)('over %s', (transport) => {
  test('a key that is revoked ends what it opened within 5 s, and no other', async () => {
    const key = await newKey()
    const revoked = subscribe(transport, { url: stage.url, key, query: QUERY })
    const other = subscribe(transport, { url: stage.url, key: stage.tenant.key, query: QUERY })
    await followed(stage, 2)
    const startedMs = performance.now()
    await revokeKey(stage.service, key)
    const reason = await revoked.ended.then(
      () => 'complete',
      (error) => error,
    )
    expect(performance.now() - startedMs).toBeLessThan(5000)
    if (transport === 'WebSocket') expect(reason).toMatchObject({ code: 4401 })
    else expect(reason).not.toBe('complete')
    await followed(stage, 1)
    await stage.write([account(1, `${transport} ${Math.random()}`)])
    await other.until(1)
    other.stop()
    await followed(stage, 0)
  })

  test('a user token is refused', async () => {
    const { environmentId, userId } = stage.tenant
    const { token } = await stage.service.tokens.issue({ environmentId, userId })
    const one = subscribe(transport, { url: stage.url, key: token, query: QUERY })
    const [heard] = await one.until(1).catch((error) => [error as Heard & { code?: number }])
    const code = heard?.errors?.[0]?.extensions.code ?? (heard as { code?: number }).code
    expect(code).toBe(transport === 'WebSocket' ? 4403 : 'FORBIDDEN')
    one.stop()
  })
})

test('a subscription that does not take events is refused, and followed by nobody', async () => {
  const { status, errors } = await stage.service.graphql(stage.tenant.key, QUERY)
  expect([status, errors[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST'])
  expect(errors[0]?.message).toContain('text/event-stream')
  expect(stage.service.live.followers).toBe(0)
})
