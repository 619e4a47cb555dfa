/** A slow subscription ends with RESUME; a subscription to a quiet topic continues from the log. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { pruneChanges } from '../../src/store/changes/changes.ts'
import { sampleRecord } from '../support/sample.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import {
  account,
  CREDENTIAL,
  leads,
  type SubscriptionHarness,
  type SubscriptionResult,
  startSubscriptionHarness,
  subscribe,
  type Transport,
  transports,
  untilFollowers,
  websiteOf,
} from './subscription-harness.ts'

const QUERY =
  'subscription ($after: String) { crmAccounts(after: $after) { cursor record { website } } }'
/** Far more data than two kernel buffers and the in-memory window hold together. */
const COUNT = 600
const LONG = 'x'.repeat(60_000)

let harness: SubscriptionHarness
let open: { stop(): void }[] = []
beforeAll(async () => {
  harness = await startSubscriptionHarness({ window: { changes: 200, bytes: 10_000_000 } })
})
afterEach(async () => {
  vi.useRealTimers()
  for (const slow of open) slow.stop()
  open = []
  await untilFollowers(harness, 0)
})
afterAll(() => harness.stop())

const start = (transport: Transport, query: string, after?: string) => {
  const variables = after === undefined ? {} : { after }
  const subscribed = subscribe(transport, {
    url: harness.url,
    key: harness.tenant.key,
    query,
    variables,
  })
  open.push(subscribed)
  return subscribed
}

const endOfLog = async (): Promise<string> => {
  await untilLogReadable(harness.service)
  const response = await harness.service.rest(harness.tenant.key, '/changes?after=now')
  return response.json().nextCursor
}

/** A raw protocol client that can stop reading. */
interface Slow {
  readonly received: readonly SubscriptionResult[]
  isComplete(): boolean
  pause(): void
  resume(): void
  stop(): void
}

const openSlowSocket = async (after: string): Promise<Slow> => {
  const socket = new WebSocket(harness.url.replace('http', 'ws'), 'graphql-transport-ws')
  const received: SubscriptionResult[] = []
  let isComplete = false
  socket.on('message', (text) => {
    const message = JSON.parse(String(text))
    if (message.type === 'next') received.push(message.payload)
    if (message.type === 'complete') isComplete = true
  })
  await once(socket, 'open')
  const authorization = `Bearer ${harness.tenant.key}`
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
  await once(socket, 'message')
  const payload = { query: QUERY, variables: { after } }
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
  return {
    received,
    isComplete: () => isComplete,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    stop: () => socket.terminate(),
  }
}

const openSlowStream = async (after: string): Promise<Slow> => {
  const outgoing = request(harness.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${harness.tenant.key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
  })
  outgoing.end(JSON.stringify({ query: QUERY, variables: { after } }))
  // The client gets one result per event.
  const [stream] = (await once(outgoing, 'response')) as [IncomingMessage]
  const received: SubscriptionResult[] = []
  let isComplete = false
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const events = (rest + text).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const [, name, body] = /^event: (\w+)\ndata: ?(.*)$/.exec(event) ?? []
      if (name === 'next') received.push(JSON.parse(body ?? ''))
      if (name === 'complete') isComplete = true
    }
  })
  stream.on('error', () => {})
  return {
    received,
    isComplete: () => isComplete,
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    stop: () => void stream.destroy(),
  }
}

/** Stops one reader while another receives many changes. @returns whether the stopped one got RESUME */
const stall = async (transport: Transport): Promise<boolean> => {
  const after = await endOfLog()
  // These sockets get no pings, because a socket that does not read answers none and is closed after two (24 s).
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const slow = await (transport === 'SSE' ? openSlowStream : openSlowSocket)(after)
  open.push(slow)
  const other = start('WebSocket', QUERY, after)
  await untilFollowers(harness, 2)
  vi.useRealTimers()
  slow.pause()
  for (let n = 0; n < COUNT; n++) await harness.write([account(7, `${n} ${LONG}`)])
  // The slow client is still paused here.
  await other.until(COUNT)
  other.stop()
  slow.resume()
  await expect.poll(() => slow.isComplete() || slow.received.length === COUNT).toBe(true)
  const [error] = slow.received.at(-1)?.errors ?? []
  const reported = error ? slow.received.slice(0, -1) : slow.received
  const rest = error ? start(transport, QUERY, error.extensions.cursor) : undefined
  if (error) {
    expect(error.extensions.code).toBe('RESUME')
    expect(reported.length).toBeLessThan(COUNT)
  }
  await rest?.until(COUNT - reported.length)
  const all = [...reported, ...(rest?.received ?? [])]
  expect(all.map((received) => Number(websiteOf(received).split(' ')[0]))).toEqual(
    Array.from({ length: COUNT }, (_, n) => n),
  )
  rest?.stop()
  slow.stop()
  await untilFollowers(harness, 0)
  return error !== undefined
}

describe.each(transports)('over %s', (transport) => {
  test('a client that stops reading gets RESUME and misses nothing, and others are not delayed', async () => {
    // If it was already behind when it stopped, it continues from the log without RESUME: try again.
    let isTold = false
    for (let turns = 0; turns < 5 && !isTold; turns++) isTold = await stall(transport)
    expect(isTold).toBe(true)
  }, 400_000)

  test('a quiet topic delivers a burst completely after the in-memory window has moved on', async () => {
    const { prisma } = harness.service.database
    const quiet = start(transport, QUERY)
    const busy = start(transport, 'subscription { crmLeads { kind } }')
    await untilFollowers(harness, 2)
    const writeLead = (n: number) => harness.write([sampleRecord(CREDENTIAL, leads, n)], leads)
    const first = transports.indexOf(transport) * 10
    await writeLead(first)
    await busy.until(1)
    await untilLogReadable(harness.service)
    await prisma.$executeRaw`UPDATE change_log.changes SET at = at - interval '40 days'`
    await writeLead(first + 1)
    // The process has read past the window now.
    await busy.until(2)
    await untilLogReadable(harness.service)
    while ((await pruneChanges(harness.service.database, 30)) > 0);
    // More changes than the window holds.
    const rows = Array.from({ length: 400 }, (_, n) => account(n, `${transport} ${n}`))
    await harness.write(rows)
    const received = await quiet.until(rows.length)
    expect(received.flatMap(({ errors }) => errors ?? [])).toEqual([])
    expect(received.map(websiteOf).toSorted()).toEqual(
      rows.map(({ website }) => website).toSorted(),
    )
  })
})
