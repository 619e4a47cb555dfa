/** What keeps an idle connection open, and what ends one whose other side says nothing any more. */
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { generateApiKey } from '../../src/api-key.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { revokeKey } from '../support/revoke-key.ts'
import { followed, type Stage, startStage } from './stage.ts'

const QUERY = 'subscription { crmAccounts { kind } }'
const PERIOD_MS = 12_000 // PROTOCOL.md

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterEach(async () => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  await followed(stage, 0)
})
afterAll(() => stage.stop())

/** From here on a period passes when it is told to. */
const holdTime = (): void => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })

/** A socket that has said who it is, and answers pings only when it is told to. */
const openSocket = async (key = stage.tenant.key) => {
  const socket = new WebSocket(stage.url.replace('http', 'ws'), 'graphql-transport-ws', {
    autoPong: false,
  })
  const say = (message: object) => socket.send(JSON.stringify(message))
  await once(socket, 'open')
  say({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } })
  await once(socket, 'message')
  return {
    socket,
    say,
    /** Until the service has heard all that was sent, and what it has sent before is here. */
    settle: async () => {
      say({ type: 'ping' })
      const [text] = await once(socket, 'message')
      expect(JSON.parse(String(text))).toEqual({ type: 'pong' })
    },
  }
}

test('a WebSocket is pinged every 12 s, and cut if it has not answered by the next', async () => {
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
  // Without a word: RFC 6455, section 7.1.5.
  expect((await closed)[0]).toBe(1006)
  expect(pings).toBe(2)
})

test('a stream of events says a comment every 12 s', async () => {
  // Yoga's period is another where it takes a process for its own tests.
  vi.stubEnv('NODE_ENV', 'production')
  holdTime()
  const leaving = new AbortController()
  const answer = await fetch(`${stage.url}?query=${encodeURIComponent(QUERY)}`, {
    headers: { authorization: `Bearer ${stage.tenant.key}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  const comment = { done: false, value: ':\n\n' }
  // It begins with one.
  expect(await reader?.read()).toEqual(comment)
  for (let period = 0; period < 3; period++) {
    const next = reader?.read()
    vi.advanceTimersByTime(PERIOD_MS)
    expect(await next).toEqual(comment)
  }
  leaving.abort()
})

test('a socket that does not read is cut within 5 s of the end of its key', async () => {
  const key = generateApiKey('development')
  await saveApiKey(stage.service.database, stage.tenant.environmentId, key)
  const { socket, say } = await openSocket(key)
  say({ id: '1', type: 'subscribe', payload: { query: QUERY } })
  await followed(stage, 1)
  socket.pause()
  const startedMs = performance.now()
  await revokeKey(stage.service, key)
  // Its subscription ends with it.
  await followed(stage, 0)
  expect(performance.now() - startedMs).toBeLessThan(5000)
  socket.terminate()
})
