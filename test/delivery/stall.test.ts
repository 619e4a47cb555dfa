/** Who falls behind what the process remembers: slow ones resume, those who were only quiet are caught up. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { pruneChanges } from '../../src/store/changes.ts'
import { sampleRecord } from '../support/sample.ts'
import { settled } from '../support/settled.ts'
import {
  account,
  CREDENTIAL,
  followed,
  type Heard,
  leads,
  type Stage,
  startStage,
  subscribe,
  type Transport,
  transports,
  websiteOf,
} from './stage.ts'

const QUERY =
  'subscription ($after: String) { crmAccounts(after: $after) { cursor record { website } } }'
/** Far more changes of this length than the two kernels hold between them, and than the process remembers. */
const COUNT = 600
const LONG = 'x'.repeat(60_000)

let stage: Stage
let open: { stop(): void }[] = []
beforeAll(async () => {
  stage = await startStage({ window: { changes: 200, length: 5_000_000 } })
})
afterEach(async () => {
  for (const one of open) one.stop()
  open = []
  await followed(stage, 0)
})
afterAll(() => stage.stop())

const start = (transport: Transport, query: string, after?: string) => {
  const variables = after === undefined ? {} : { after }
  const one = subscribe(transport, { url: stage.url, key: stage.tenant.key, query, variables })
  open.push(one)
  return one
}

const endOfLog = async (): Promise<string> => {
  await settled(stage.service)
  const answer = await stage.service.rest(stage.tenant.key, '/changes?after=now')
  return answer.json().nextCursor
}

/** One that speaks the protocol by hand, and can stop to read. */
interface Slow {
  readonly heard: readonly Heard[]
  isComplete(): boolean
  pause(): void
  resume(): void
  stop(): void
}

const openSlowSocket = async (after: string): Promise<Slow> => {
  const socket = new WebSocket(stage.url.replace('http', 'ws'), 'graphql-transport-ws')
  const heard: Heard[] = []
  let isComplete = false
  socket.on('message', (text) => {
    const message = JSON.parse(String(text))
    if (message.type === 'next') heard.push(message.payload)
    if (message.type === 'complete') isComplete = true
  })
  await once(socket, 'open')
  const authorization = `Bearer ${stage.tenant.key}`
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
  await once(socket, 'message')
  const payload = { query: QUERY, variables: { after } }
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
  return {
    ...{ heard, isComplete: () => isComplete },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    stop: () => socket.terminate(),
  }
}

const openSlowStream = async (after: string): Promise<Slow> => {
  const asked = request(stage.url, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${stage.tenant.key}`, accept: 'text/event-stream' },
      'content-type': 'application/json',
    },
  })
  asked.end(JSON.stringify({ query: QUERY, variables: { after } }))
  // The event of a client's request has its answer.
  const [stream] = (await once(asked, 'response')) as [IncomingMessage]
  const heard: Heard[] = []
  let isComplete = false
  let rest = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    const events = (rest + text).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const [, name, body] = /^event: (\w+)\ndata: ?(.*)$/.exec(event) ?? []
      if (name === 'next') heard.push(JSON.parse(body ?? ''))
      if (name === 'complete') isComplete = true
    }
  })
  stream.on('error', () => {})
  return {
    ...{ heard, isComplete: () => isComplete },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    stop: () => void stream.destroy(),
  }
}

/** One stops to read while so many changes are told to another. @returns whether it was told to resume */
const stall = async (transport: Transport): Promise<boolean> => {
  const after = await endOfLog()
  const slow = await (transport === 'SSE' ? openSlowStream : openSlowSocket)(after)
  open.push(slow)
  const other = start('WebSocket', QUERY, after)
  await followed(stage, 2)
  slow.pause()
  for (let n = 0; n < COUNT; n++) await stage.write([account(7, `${n} ${LONG}`)])
  // While the slow one still stands.
  await other.until(COUNT)
  other.stop()
  slow.resume()
  await expect.poll(() => slow.isComplete() || slow.heard.length === COUNT).toBe(true)
  const [error] = slow.heard.at(-1)?.errors ?? []
  const told = error ? slow.heard.slice(0, -1) : slow.heard
  const rest = error ? start(transport, QUERY, error.extensions.cursor) : undefined
  if (error) {
    expect(error.extensions.code).toBe('RESUME')
    expect(told.length).toBeLessThan(COUNT)
  }
  await rest?.until(COUNT - told.length)
  const all = [...told, ...(rest?.heard ?? [])]
  expect(all.map((heard) => Number(websiteOf(heard).split(' ')[0]))).toEqual(
    Array.from({ length: COUNT }, (_, n) => n),
  )
  rest?.stop()
  slow.stop()
  await followed(stage, 0)
  return error !== undefined
}

describe.each(transports)('over %s', (transport) => {
  test('one who stops reading is told to resume and misses nothing; others are not held up', async () => {
    // One that was behind already when it stopped is being caught up from the log, and is not told: once more.
    let isTold = false
    for (let turns = 0; turns < 5 && !isTold; turns++) isTold = await stall(transport)
    expect(isTold).toBe(true)
  }, 400_000)

  test('a quiet topic outlives the retention: a rush in it is heard whole, by one who missed nothing', async () => {
    const { prisma } = stage.service.database
    const quiet = start(transport, QUERY)
    const busy = start(transport, 'subscription { crmLeads { kind } }')
    await followed(stage, 2)
    const writeLead = (n: number) => stage.write([sampleRecord(CREDENTIAL, leads, n)], leads)
    const first = transports.indexOf(transport) * 10
    await writeLead(first)
    await busy.until(1)
    await settled(stage.service)
    await prisma.$executeRaw`UPDATE change_log.changes SET at = at - interval '40 days'`
    await writeLead(first + 1)
    // The process has read on past what is forgotten now.
    await busy.until(2)
    await settled(stage.service)
    while ((await pruneChanges(prisma, 30)) > 0);
    // More than it remembers.
    const rows = Array.from({ length: 400 }, (_, n) => account(n, `${transport} ${n}`))
    await stage.write(rows)
    const heard = await quiet.until(rows.length)
    expect(heard.flatMap(({ errors }) => errors ?? [])).toEqual([])
    expect(heard.map(websiteOf).toSorted()).toEqual(rows.map(({ website }) => website).toSorted())
  })
})
