/** Repeated crashes of PostgreSQL under load: acknowledged writes arrive and no process exits. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../delivery/receiver.ts'
import { type Subscribed, subscribe, type Transport } from '../delivery/subscription-harness.ts'
import { type CrashableDatabase, openCrashableDatabase } from './crashable-database.ts'
import { openServices, type Services } from './service-process.ts'

const CRASHES = 6
const WRITERS = 4
const WRITES_BETWEEN = 25
const TOPIC = 'crm/contacts'
const QUERY =
  'subscription ($after: String) { crmContacts(after: $after) { cursor record { id lastName } } }'

let database: CrashableDatabase
let receiver: Receiver
let services: Services

beforeAll(async () => {
  database = await openCrashableDatabase()
  receiver = await startReceiver()
  services = await openServices(database.url)
})
afterAll(async () => {
  await services.close()
  await receiver.stop()
  await database.close()
})

interface Received {
  readonly cursor: string
  readonly record: { readonly id: string; readonly lastName: string | null } | null
}

/** Follows with an official client, and resumes from the last cursor after every end. */
const follow = (transport: Transport, url: string, begin: string) => {
  const earlier: Received[] = []
  let subscribed: Subscribed | undefined
  let cut = Promise.withResolvers<void>()
  let isOver = false
  let connections = 0
  const listReceived = (): Received[] =>
    (subscribed?.received ?? []).flatMap(({ data }) => data?.crmContacts ?? [])
  const run = async (): Promise<void> => {
    for (; !isOver; connections++) {
      const after = earlier.at(-1)?.cursor ?? begin
      const variables = { after }
      cut = Promise.withResolvers()
      subscribed = subscribe(transport, { url, key: services.key, query: QUERY, variables })
      // Every end of a subscription counts: rejected, interrupted or complete.
      await Promise.race([subscribed.ended, cut.promise]).catch(() => {})
      subscribed.stop()
      earlier.push(...listReceived())
      subscribed = undefined
      await wait(20)
    }
  }
  const running = run()
  return {
    received: (): Received[] => [...earlier, ...listReceived()],
    connections: () => connections,
    /** Disconnects and reconnects. */
    hangUp: (): void => cut.resolve(),
    stop: async (): Promise<void> => {
      isOver = true
      cut.resolve()
      await running
    },
  }
}

/** The changes of the topic from a cursor to the end of the log. */
const readLog = async (address: string, begin: string): Promise<Received[]> => {
  const received: Received[] = []
  for (let after = begin; ; ) {
    const path = `/2024-03/one/changes?topics=${TOPIC}&after=${after}&pageSize=100`
    const { changes, nextCursor, hasMore } = await services.call(address, path)
    received.push(...changes)
    if (!hasMore) return received
    after = nextCursor
  }
}

const versionsOf = (received: readonly Received[], id: string): number[] =>
  received
    .filter(({ record }) => record?.id === id)
    .flatMap(({ record }) => {
      const [, version] = /^version (\d+) /.exec(record?.lastName ?? '') ?? []
      return version === undefined ? [] : Number(version)
    })

test(`${CRASHES} crashes of PostgreSQL under writers, webhooks and subscribers cause no loss and no duplicates`, async () => {
  const { call, send, start } = services
  const [api, worker] = await Promise.all([start('api'), start('worker')])
  const { data: users } = await call(api.address, '/2024-03/one/users')
  const { data: credentials } = await call(
    api.address,
    `/2024-03/users/${users[0].userId}/credentials`,
  )
  const query = `credentialId=${credentials[0].credentialId}`
  await call(api.address, '/2024-03/one/webhooks', {
    address: `${receiver.origin}/hook`,
    topic: [TOPIC],
  })
  const { nextCursor: begin } = await call(api.address, '/2024-03/one/changes?after=now')
  const followers = (['WebSocket', 'SSE'] as const).map((transport) =>
    follow(transport, `${api.address}/graphql`, begin),
  )

  let isWriting = true
  const acknowledged: { readonly id: string; readonly version: number }[] = []
  const refused = new Map<string, number>()
  const write = async (writer: number): Promise<void> => {
    let id: string | undefined
    for (let version = 1; isWriting; version++) {
      const path = `/2024-03/one/${TOPIC}${id ? `/${id}` : ''}?${query}`
      const body = { lastName: `version ${version} of ${writer}` }
      const response = await send(api.address, id ? 'PUT' : 'POST', path, body)
      if (response.status === 200) {
        id ??= String(JSON.parse(response.text).contact.id)
        acknowledged.push({ id, version })
      } else {
        const { code } = JSON.parse(response.text).error
        refused.set(code, (refused.get(code) ?? 0) + 1)
        await wait(20)
      }
    }
  }
  const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  const waitForMoreWrites = async (): Promise<void> => {
    const before = acknowledged.length
    const count = () => acknowledged.length - before
    await expect.poll(count, { timeout: 60_000, interval: 10 }).toBeGreaterThan(WRITES_BETWEEN)
  }
  for (let crash = 0; crash < CRASHES; crash++) {
    await waitForMoreWrites()
    await database.crash()
    // One of them reconnects during the outage.
    followers[crash % 2]?.hangUp()
  }
  await waitForMoreWrites()
  isWriting = false
  await Promise.all(writing)

  const { nextCursor: end } = await call(api.address, '/2024-03/one/changes?after=now')
  let log: readonly Received[] = []
  const countUnlogged = async () => {
    log = await readLog(api.address, begin)
    return acknowledged.filter(({ id, version }) => !versionsOf(log, id).includes(version))
  }
  await expect.poll(countUnlogged, { timeout: 60_000, interval: 200 }).toEqual([])
  const cursors = log.map(({ cursor }) => cursor)
  for (const id of new Set(acknowledged.map((record) => record.id))) {
    const versions = versionsOf(log, id)
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
  }
  for (const { received } of followers) {
    await expect
      .poll(() => received().length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(log.length)
    const cursorsReceived = received().map(({ cursor }) => cursor)
    expect(cursorsReceived.slice(0, log.length)).toEqual(cursors)
  }
  const listDeliveries = () =>
    receiver
      .at('/hook')
      .map(({ id, body }) => ({ id, cursor: String(JSON.parse(body).data.cursor) }))
  const listMissingCursors = (): string[] => {
    const arrived = new Set(listDeliveries().map(({ cursor }) => cursor))
    return cursors.filter((cursor) => !arrived.has(cursor))
  }
  await expect.poll(listMissingCursors, { timeout: 90_000, interval: 100 }).toEqual([])
  const names = new Set(listDeliveries().map(({ id, cursor }) => `${cursor} ${id}`))
  expect(names.size).toBe(new Set(listDeliveries().map(({ cursor }) => cursor)).size)

  // Errors during the outage: the database or the sandbox app in it is unavailable, a write outcome is unknown,
  // or a later write conflicts with such a write.
  const expected = ['NOT_READY', 'APP_UNAVAILABLE', 'WRITE_OUTCOME_UNKNOWN', 'WRITE_CONFLICT']
  expect([...refused.keys()].filter((code) => !expected.includes(code))).toEqual([])

  // The sync continues too, and no process has exited.
  const isSynced = async () =>
    (await call(api.address, `/2024-03/one/changes?topics=sync/completed&after=${end}`)).changes
      .length
  await expect.poll(isSynced, { timeout: 90_000, interval: 200 }).toBeGreaterThan(0)
  for (const follower of followers) await follower.stop()
  expect([api.ended(), worker.ended()]).toEqual([undefined, undefined])
  expect(await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')])).toEqual(['0', '0'])
  console.log(
    `${CRASHES} crashes: ${acknowledged.length} writes acknowledged, ${log.length} changes, 0 lost; ` +
      `${listDeliveries().length - names.size} sent more than once; each heard once by both subscribers, ` +
      `over ${followers.map(({ connections }) => connections()).join(' and ')} connections; ` +
      `rejected during outages: ${JSON.stringify(Object.fromEntries(refused))}`,
  )
}, 300_000)
