/** Endpoints that misbehave, beside others that do not; and addresses that are never dialled. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { requestReplay, requestTest } from '../../src/store/webhook-replays.ts'
import { openOffice } from './open-office.ts'
import { numbers, type PostOffice, until } from './post-office.ts'
import { type Behaviour, type Received, type Receiver, status } from './receiver.ts'

let office: PostOffice
let receiver: Receiver

openOffice((opened) => {
  ;({ office, receiver } = opened)
})

const hangs: Behaviour = () => {}
const drips: Behaviour = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(timer))
}
const endless: Behaviour = (response) => {
  response.writeHead(200)
  const pour = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
    if (!response.destroyed) response.once('drain', pour)
  }
  pour()
}
const misbehaviours: Readonly<Record<string, Behaviour>> = {
  '/hangs': hangs,
  '/drips': drips,
  '/endless': endless,
  '/redirects': status(301, { location: 'http://169.254.169.254/latest/meta-data' }),
  '/fails': status(500),
  '/breaks': (response) => void response.destroy(),
}

const COUNT = 400
const DEADLINE_MS = 2000

/** Without repetitions: on a busy machine even a healthy endpoint may miss the deadline. */
const firstOfEach = (path: string): Received[] =>
  [
    ...new Map(
      receiver
        .at(path)
        .toReversed()
        .map((message) => [message.id, message]),
    ).values(),
  ].sort((a, b) => a.atMs - b.atMs)

/** How long each change took from its commit to the healthy endpoints, in order. */
const deliverBesideThem = async (from: number): Promise<number[]> => {
  const healthy = ['/healthy-1', '/healthy-2']
  for (const path of healthy) await office.subscribe(receiver.origin + path)
  await office.deliver({ deadlineMs: DEADLINE_MS })
  const latencies: number[] = []
  for (let batch = 0; batch < COUNT / 20; batch++) {
    await office.change(numbers(20, from + batch * 20))
    const committedMs = performance.now()
    for (const path of healthy) {
      await until(() => firstOfEach(path).length).toBe((batch + 1) * 20)
      for (const { atMs } of firstOfEach(path).slice(-20)) latencies.push(atMs - committedMs)
    }
  }
  return latencies.sort((a, b) => a - b)
}

const at = (share: number, latencies: readonly number[]): number =>
  Math.round(latencies[Math.floor(latencies.length * share)] ?? Number.NaN)

const summary = (latencies: readonly number[]): string =>
  `p50 ${at(0.5, latencies)}, p99 ${at(0.99, latencies)} ms`

test('hanging, dripping, endless, redirecting and failing endpoints slow no other', async () => {
  const alone = await deliverBesideThem(1)
  await office.stopAll()
  await office.database.prisma.webhookSubscription.deleteMany()
  receiver.clear()

  const ids = new Map<string, string>()
  for (const [path, behaviour] of Object.entries(misbehaviours)) {
    receiver.behave(path, behaviour)
    ids.set(path, await office.subscribe(receiver.origin + path))
  }
  const beside = await deliverBesideThem(1 + COUNT)
  console.log(`${summary(alone)} alone; ${summary(beside)} beside them`)
  expect(beside).toHaveLength(2 * COUNT)
  // What waits for an endpoint that hangs takes as long as that may, beside what the machine takes anyway.
  expect(at(0.5, beside) - at(0.5, alone)).toBeLessThan(DEADLINE_MS / 2)
  for (const path of Object.keys(misbehaviours)) {
    await until(async () => (await office.attempts(ids.get(path) ?? '')).length).toBeGreaterThan(0)
    const attempts = await office.attempts(ids.get(path) ?? '')
    expect(
      attempts.every(({ status }) => status === null || status >= 300),
      path,
    ).toBe(true)
    // It costs rows for what was tried alone: the rest waits in the log.
    expect(await office.waiting(ids.get(path) ?? ''), path).toBeLessThan(100)
  }
})

// Every spelling ends at this machine, or at a place that only a network's inside reaches.
const privateAddresses = [
  'http://127.0.0.1',
  'http://127.1',
  'http://0x7f000001',
  'http://2130706433',
  'http://0177.0.0.1',
  'http://localhost',
  'http://0.0.0.0',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::]',
]

test('no entry point makes it dial a private address: a change, a retry, a test, a replay', async () => {
  let dials = 0
  const listener = createServer((socket) => {
    dials++
    socket.destroy()
  }).listen(0)
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  const ids: string[] = []
  // Saved behind the API's back, as a name would be that is public today and private tomorrow.
  for (const address of privateAddresses) ids.push(await office.subscribe(`${address}:${port}/`))
  for (const host of ['10.0.0.1', '192.168.0.1', '169.254.169.254', '[fe80::1]', '[fd00::1]'])
    ids.push(await office.subscribe(`http://${host}:${port}/`))
  await office.deliver({ allowPrivateAddresses: false })
  await office.change([2000])
  for (const id of ids) {
    await requestTest(office.database, id)
    // The change's first attempt, and one of the schedule's; the change may wait until the test has failed.
    await until(async () => {
      const attempts = await office.attempts(id)
      return attempts.some(({ attempt }) => attempt > 1) && attempts.some(({ cursor }) => cursor)
    }).toBe(true)
    const message = (await office.attempts(id)).find(({ cursor }) => cursor !== null)
    const owner = { environmentId: office.home.environmentId, subscriptionId: id }
    const { messageId = '' } = message ?? {}
    expect(await requestReplay(office.database, owner, { messageId })).toBe(true)
  }
  const replays = () => office.database.prisma.webhookReplay.count()
  await until(replays).toBe(0)
  for (const id of ids)
    for (const { status, failure } of await office.attempts(id))
      expect([status, failure]).toEqual([
        null,
        'forbidden-address: its address is not on the public internet',
      ])
  expect(dials).toBe(0)
  listener.close()
})
