/** Keep-alive of idle connections, and the end of unresponsive ones. */
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createKey, revokeKey } from '../support/keys.ts'
import {
  type SubscriptionHarness,
  startSubscriptionHarness,
  untilFollowers,
} from './subscription-harness.ts'

const QUERY = 'subscription { crmAccounts { kind } }'
const PERIOD_MS = 12_000 // PROTOCOL.md

let harness: SubscriptionHarness
beforeAll(async () => {
  harness = await startSubscriptionHarness()
})
afterEach(async () => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  await untilFollowers(harness, 0)
})
afterAll(() => harness.stop())

/** Stops the interval timers: a period passes only when the test advances them. */
const holdTime = (): void => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })

/** An authenticated socket that answers no ping by itself. */
const openSocket = async (key = harness.tenant.key) => {
  const socket = new WebSocket(harness.url.replace('http', 'ws'), 'graphql-transport-ws', {
    autoPong: false,
  })
  const send = (message: object) => socket.send(JSON.stringify(message))
  await once(socket, 'open')
  send({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } })
  await once(socket, 'message')
  return {
    socket,
    send,
    /** Resolves when the service has processed everything sent so far. */
    settle: async () => {
      send({ type: 'ping' })
      const [text] = await once(socket, 'message')
      expect(JSON.parse(String(text))).toEqual({ type: 'pong' })
    },
  }
}

test('a WebSocket receives a ping every 12 s, and is cut if it has not answered by the next one', async () => {
  holdTime()
  const { socket, settle } = await openSocket()
  let pings = 0
  socket.on('ping', () => {
    pings += 1
  })
  const closed = once(socket, 'close')
  vi.advanceTimersByTime(PERIOD_MS - 1)
  await settle()
  expect(pings).toBe(0)
  vi.advanceTimersByTime(1)
  await settle()
  expect(pings).toBe(1)
  socket.pong()
  await settle()
  vi.advanceTimersByTime(PERIOD_MS)
  await settle()
  expect(pings).toBe(2)
  vi.advanceTimersByTime(PERIOD_MS)
  // No close frame: RFC 6455, section 7.1.5.
  expect((await closed)[0]).toBe(1006)
  expect(pings).toBe(2)
})

test('an event stream receives a comment every 12 s', async () => {
  // Yoga uses another period when NODE_ENV is `test`.
  vi.stubEnv('NODE_ENV', 'production')
  holdTime()
  const leaving = new AbortController()
  const response = await fetch(`${harness.url}?query=${encodeURIComponent(QUERY)}`, {
    headers: { authorization: `Bearer ${harness.tenant.key}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const comment = { done: false, value: ':\n\n' }
  // The stream starts with a comment.
  expect(await reader?.read()).toEqual(comment)
  for (let period = 0; period < 3; period++) {
    const next = reader?.read()
    vi.advanceTimersByTime(PERIOD_MS)
    expect(await next).toEqual(comment)
  }
  leaving.abort()
})

test('a socket that does not read is cut within 5 s after its key is revoked', async () => {
  const key = await createKey(harness.service.database, harness.tenant.environmentId)
  const { socket, send } = await openSocket(key)
  send({ id: '1', type: 'subscribe', payload: { query: QUERY } })
  await untilFollowers(harness, 1)
  socket.pause()
  const startedMs = performance.now()
  await revokeKey(harness.service, key)
  // The subscription ends with the socket.
  await untilFollowers(harness, 0)
  expect(performance.now() - startedMs).toBeLessThan(5000)
  socket.terminate()
})
