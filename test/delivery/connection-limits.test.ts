/** Limits on open WebSockets and event streams, for each process and for each key. */
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createConnections } from '../../src/api/http/connections.ts'
import { createKey } from '../support/keys.ts'
import {
  type SubscriptionHarness,
  startSubscriptionHarness,
  subscribe,
  untilFollowers,
} from './subscription-harness.ts'

const QUERY = 'subscription { crmAccounts { kind } }'

let harness: SubscriptionHarness
afterEach(() => harness.stop())

const createTenantKey = () => createKey(harness.service.database, harness.tenant.environmentId)
const open = (transport: 'WebSocket' | 'SSE', key = harness.tenant.key) =>
  subscribe(transport, { url: harness.url, key, query: QUERY })
const closeOf = (subscribed: ReturnType<typeof open>): Promise<{ code: number; reason: string }> =>
  subscribed.ended.then(
    () => Promise.reject(new Error('The subscription was not rejected.')),
    (error) => error,
  )
/** Retries until a connection is accepted: a connection frees its slot only once it is closed. */
const openInTurn = async (
  count: number,
  ...args: Parameters<typeof open>
): Promise<ReturnType<typeof open>> => {
  const subscribed = open(...args)
  const isAccepted = await Promise.race([
    untilFollowers(harness, count).then(() => true),
    subscribed.ended.catch(() => {}).then(() => false),
  ])
  return isAccepted ? subscribed : openInTurn(count, ...args)
}
/** The HTTP response to an event stream request. */
const requestEvents = async (key = harness.tenant.key) => {
  const response = await fetch(`${harness.url}?query=${encodeURIComponent(QUERY)}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  })
  const { errors } = await response.json()
  return [response.status, errors[0].extensions.code, response.headers.get('retry-after')]
}

test('a key’s limit covers both transports together, and each key has its own', async () => {
  harness = await startSubscriptionHarness({ maxConnectionsPerKey: 2 })
  const socket = open('WebSocket')
  const stream = open('SSE')
  await untilFollowers(harness, 2)
  expect(await closeOf(open('WebSocket'))).toMatchObject({
    code: 4503,
    reason: 'Too many connections of this key',
  })
  expect(await requestEvents()).toEqual([429, 'RATE_LIMITED', '10'])
  await untilFollowers(harness, 2)
  const other = open('SSE', await createTenantKey())
  await untilFollowers(harness, 3)
  // An ended subscription frees its connection slot.
  stream.stop()
  await untilFollowers(harness, 2)
  const next = await openInTurn(3, 'WebSocket')
  for (const subscribed of [socket, other, next]) subscribed.stop()
  await untilFollowers(harness, 0)
})

test('a process limits its connections over all keys', async () => {
  harness = await startSubscriptionHarness({ maxConnections: 2 })
  const socket = open('WebSocket')
  const stream = open('SSE', await createTenantKey())
  await untilFollowers(harness, 2)
  const key = await createTenantKey()
  expect(await closeOf(open('WebSocket', key))).toMatchObject({
    code: 4503,
    reason: 'Too many connections',
  })
  expect((await requestEvents(key)).slice(0, 2)).toEqual([503, 'NOT_READY'])
  await untilFollowers(harness, 2)
  socket.stop()
  await untilFollowers(harness, 1)
  const next = await openInTurn(2, 'SSE', key)
  stream.stop()
  next.stop()
  await untilFollowers(harness, 0)
})

test('unauthenticated sockets do not count towards the limit', async () => {
  harness = await startSubscriptionHarness({ maxConnections: 1 })
  const silent = Array.from(
    { length: 20 },
    () => new WebSocket(harness.url.replace('http', 'ws'), 'graphql-transport-ws'),
  )
  await Promise.all(silent.map((socket) => once(socket, 'open')))
  const good = open('WebSocket')
  await untilFollowers(harness, 1)
  for (const socket of silent) socket.terminate()
  good.stop()
})

test('the oldest unauthenticated socket is closed first, and never an authenticated one', async () => {
  harness = await startSubscriptionHarness()
  const limits = { maxConnections: 20_000, maxConnectionsPerKey: 15_000 }
  const connections = createConnections(harness.service.access, limits)
  const ended: string[] = []
  const open = (address: string, name: string) =>
    connections.open(address, (reason) => void ended.push(`${name} ${reason}`))
  open('192.0.2.1', 'good').authenticate('a key')
  const first = open('192.0.2.1', 'first')
  open('192.0.2.1', 'second')
  for (let n = 0; n < 998; n++) open('192.0.2.1', `${n}`)
  expect(ended).toEqual([])
  open('192.0.2.1', 'one more')
  expect(ended).toEqual(['first evicted'])
  expect(first.authenticate('a key')).toBe('closed')
  // Authentication frees the slot of an unauthenticated socket. Another address has its own limit.
  open('192.0.2.2', 'other').authenticate('a key')
  expect(ended).toHaveLength(1)
  // At the total limit, the address with the most sockets loses one.
  for (let address = 3; address < 10; address++)
    for (let n = 0; n < 450; n++) open(`192.0.2.${address}`, `${address}-${n}`)
  expect(ended).toContain('second evicted')
  expect(ended.filter((end) => !/^(first|second|\d+) /.test(end))).toEqual([])
})

test('a socket that closes during the key lookup does not count', async () => {
  harness = await startSubscriptionHarness()
  const limits = { maxConnections: 20_000, maxConnectionsPerKey: 2 }
  const connections = createConnections(harness.service.access, limits)
  const open = () => connections.open('192.0.2.1', () => {})
  for (let n = 0; n < 5; n++) {
    const left = open()
    left.remove()
    expect(left.authenticate('a key')).toBe('closed')
  }
  expect([open(), open(), open()].map((socket) => socket.authenticate('a key'))).toEqual([
    undefined,
    undefined,
    'key',
  ])
})

test('key lookups do not overlap while the database is slow', async () => {
  harness = await startSubscriptionHarness()
  vi.useFakeTimers()
  try {
    let lookUps = 0
    const slow = Promise.withResolvers<boolean>()
    const isKeyLive = () => {
      lookUps += 1
      return slow.promise
    }
    const limits = { maxConnections: 2, maxConnectionsPerKey: 2 }
    const connections = createConnections({ isKeyLive }, limits)
    connections.open('192.0.2.1', () => {}).authenticate('a key')
    connections.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(lookUps).toBe(1)
    slow.resolve(true)
    connections.stop()
  } finally {
    vi.useRealTimers()
  }
})
