/** How many sockets and event streams a process holds open, in all and for one key. */
import { afterEach, expect, test, vi } from 'vitest'
import { createConnections } from '../../src/api/connections.ts'
import { generateApiKey } from '../../src/api-key.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { followed, type Stage, startStage, subscribe } from './stage.ts'

const QUERY = 'subscription { crmAccounts { kind } }'

let stage: Stage
afterEach(() => stage.stop())

const newKey = async (): Promise<string> => {
  const key = generateApiKey('development')
  await saveApiKey(stage.service.database, stage.tenant.environmentId, key)
  return key
}
const open = (transport: 'WebSocket' | 'SSE', key = stage.tenant.key) =>
  subscribe(transport, { url: stage.url, key, query: QUERY })
const closeOf = (subscribed: ReturnType<typeof open>): Promise<{ code: number; reason: string }> =>
  subscribed.ended.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error) => error,
  )
/** Opens one more as soon as there is room: one that has ended makes it when its connection is closed. */
const openInTurn = async (
  count: number,
  ...asked: Parameters<typeof open>
): Promise<ReturnType<typeof open>> => {
  const one = open(...asked)
  const isIn = await Promise.race([
    followed(stage, count).then(() => true),
    one.ended.catch(() => {}).then(() => false),
  ])
  return isIn ? one : openInTurn(count, ...asked)
}
/** The answer to one that asks for events by hand. */
const askForEvents = async (key = stage.tenant.key) => {
  const answer = await fetch(`${stage.url}?query=${encodeURIComponent(QUERY)}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  })
  const { errors } = await answer.json()
  return [answer.status, errors[0].extensions.code, answer.headers.get('retry-after')]
}

test('a key has its number over both transports together; another key has its own', async () => {
  stage = await startStage({ maxConnectionsPerKey: 2 })
  const socket = open('WebSocket')
  const stream = open('SSE')
  await followed(stage, 2)
  expect(await closeOf(open('WebSocket'))).toMatchObject({
    code: 4503,
    reason: 'Too many connections of this key',
  })
  expect(await askForEvents()).toEqual([429, 'RATE_LIMITED', '10'])
  await followed(stage, 2)
  const other = open('SSE', await newKey())
  await followed(stage, 3)
  // What has ended makes room.
  stream.stop()
  await followed(stage, 2)
  const next = await openInTurn(3, 'WebSocket')
  for (const one of [socket, other, next]) one.stop()
  await followed(stage, 0)
})

test('a process has its number, whoever asks', async () => {
  stage = await startStage({ maxConnections: 2 })
  const socket = open('WebSocket')
  const stream = open('SSE', await newKey())
  await followed(stage, 2)
  const key = await newKey()
  expect(await closeOf(open('WebSocket', key))).toMatchObject({
    code: 4503,
    reason: 'Too many connections',
  })
  expect((await askForEvents(key)).slice(0, 2)).toEqual([503, 'NOT_READY'])
  await followed(stage, 2)
  socket.stop()
  await followed(stage, 1)
  const next = await openInTurn(2, 'SSE', key)
  stream.stop()
  next.stop()
  await followed(stage, 0)
})

test('those of one address that have not said who they are leave room for others', async () => {
  stage = await startStage()
  const limits = { maxConnections: 20_000, maxConnectionsPerKey: 15_000 }
  const connections = createConnections(stage.service.access, limits)
  const opened = Array.from({ length: 1001 }, () => connections.open('192.0.2.1', false, () => {}))
  expect(opened.map((one) => one !== undefined).lastIndexOf(true)).toBe(999)
  expect(connections.open('192.0.2.2', false, () => {})).toBeDefined()
  // One says who it is, another leaves: two may come.
  opened[0]?.authenticate('a key')
  opened[1]?.closed()
  opened[1]?.closed()
  const more = Array.from({ length: 3 }, () => connections.open('192.0.2.1', false, () => {}))
  expect(more.map((one) => one !== undefined)).toEqual([true, true, false])
  // Nor do they stand in the way of one whose key is known.
  expect(connections.open('192.0.2.1', true, () => {})).toBeDefined()
})

test('one that is closed while its key is looked up is counted for nobody', async () => {
  stage = await startStage()
  const limits = { maxConnections: 20_000, maxConnectionsPerKey: 2 }
  const connections = createConnections(stage.service.access, limits)
  const open = () => connections.open('192.0.2.1', false, () => {})
  for (let n = 0; n < 5; n++) {
    const left = open()
    left?.closed()
    expect(left?.authenticate('a key')).toBe(false)
  }
  expect([open(), open(), open()].map((one) => one?.authenticate('a key'))).toEqual([
    true,
    true,
    false,
  ])
})

test('while the database is slow, keys are looked up once at a time', async () => {
  stage = await startStage()
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
    connections.open('192.0.2.1', true, () => {})?.authenticate('a key')
    connections.start()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(lookUps).toBe(1)
    slow.resolve(true)
    connections.stop()
  } finally {
    vi.useRealTimers()
  }
})
