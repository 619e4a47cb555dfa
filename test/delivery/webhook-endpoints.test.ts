/** Misbehaving endpoints next to healthy ones, and addresses that are never dialled. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { requestReplay, requestTest } from '../../src/store/webhooks/webhook-replays.ts'
import { type Behaviour, type Received, type Receiver, status } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { numbers, until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

const hang: Behaviour = () => {}
const dripBytes: Behaviour = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(timer))
}
const writeEndlessly: Behaviour = (response) => {
  response.writeHead(200)
  const writeOn = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
    if (!response.destroyed) response.once('drain', writeOn)
  }
  writeOn()
}
const misbehaviours: Readonly<Record<string, Behaviour>> = {
  '/hangs': hang,
  '/drips': dripBytes,
  '/endless': writeEndlessly,
  '/redirects': status(301, { location: 'http://169.254.169.254/latest/meta-data' }),
  '/fails': status(500),
  '/breaks': (response) => void response.destroy(),
}

const COUNT = 400
const DEADLINE_MS = 2000

/** Without duplicates: on a busy machine even a healthy endpoint may miss the deadline. */
const firstOfEach = (path: string): Received[] =>
  [
    ...new Map(
      receiver
        .at(path)
        .toReversed()
        .map((message) => [message.id, message]),
    ).values(),
  ].sort((a, b) => a.atMs - b.atMs)

/** Time from the commit of each change to its arrival at the healthy endpoints, in order. */
const deliverNextToThem = async (from: number): Promise<number[]> => {
  const healthy = ['/healthy-1', '/healthy-2']
  for (const path of healthy) await harness.subscribe(receiver.origin + path)
  await harness.deliver({ deadlineMs: DEADLINE_MS })
  const latencies: number[] = []
  for (let batch = 0; batch < COUNT / 20; batch++) {
    await harness.change(numbers(20, from + batch * 20))
    const committedMs = performance.now()
    for (const path of healthy) {
      await until(() => firstOfEach(path).length).toBe((batch + 1) * 20)
      for (const { atMs } of firstOfEach(path).slice(-20)) latencies.push(atMs - committedMs)
    }
  }
  return latencies.sort((a, b) => a - b)
}

const percentile = (share: number, latencies: readonly number[]): number =>
  Math.round(latencies[Math.floor(latencies.length * share)] ?? Number.NaN)

const formatPercentiles = (latencies: readonly number[]): string =>
  `p50 ${percentile(0.5, latencies)}, p99 ${percentile(0.99, latencies)} ms`

test('hanging, slow, endless, redirecting and failing endpoints delay no other endpoint', async () => {
  const alone = await deliverNextToThem(1)
  await harness.stopAll()
  await harness.database.prisma.webhookSubscription.deleteMany()
  receiver.clear()

  const ids = new Map<string, string>()
  for (const [path, behaviour] of Object.entries(misbehaviours)) {
    receiver.behave(path, behaviour)
    ids.set(path, await harness.subscribe(receiver.origin + path))
  }
  const together = await deliverNextToThem(1 + COUNT)
  console.log(`${formatPercentiles(alone)} alone; ${formatPercentiles(together)} next to them`)
  expect(together).toHaveLength(2 * COUNT)
  // The queue of a hanging endpoint may take the full timeout in addition to the machine's own delay.
  expect(percentile(0.5, together) - percentile(0.5, alone)).toBeLessThan(DEADLINE_MS / 2)
  for (const path of Object.keys(misbehaviours)) {
    await until(async () => (await harness.attempts(ids.get(path) ?? '')).length).toBeGreaterThan(0)
    const attempts = await harness.attempts(ids.get(path) ?? '')
    expect(
      attempts.every(({ status }) => status === null || status >= 300),
      path,
    ).toBe(true)
    // Only attempted messages take rows; the rest waits in the log.
    expect(await harness.waiting(ids.get(path) ?? ''), path).toBeLessThan(100)
  }
})

// Each spelling resolves to this machine or to a private network.
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

test('never dials a private address: for a change, a retry, a test or a replay', async () => {
  let dials = 0
  const listener = createServer((socket) => {
    dials++
    socket.destroy()
  }).listen(0)
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  const ids: string[] = []
  // Written past the API, as a host name that is public today and private tomorrow.
  for (const address of privateAddresses) ids.push(await harness.subscribe(`${address}:${port}/`))
  for (const host of ['10.0.0.1', '192.168.0.1', '169.254.169.254', '[fe80::1]', '[fd00::1]'])
    ids.push(await harness.subscribe(`http://${host}:${port}/`))
  await harness.deliver({ allowPrivateAddresses: false })
  await harness.change([2000])
  for (const id of ids) {
    await requestTest(harness.database, id)
    // The first attempt and one retry of the change; the change may wait until the test has failed.
    await until(async () => {
      const attempts = await harness.attempts(id)
      return attempts.some(({ attempt }) => attempt > 1) && attempts.some(({ cursor }) => cursor)
    }).toBe(true)
    const message = (await harness.attempts(id)).find(({ cursor }) => cursor !== null)
    const owner = { environmentId: harness.owner.environmentId, subscriptionId: id }
    const { messageId = '' } = message ?? {}
    expect(await requestReplay(harness.database, owner, { messageId })).toBe(true)
  }
  const countReplays = () => harness.database.prisma.webhookReplay.count()
  await until(countReplays).toBe(0)
  for (const id of ids)
    for (const { status, failure } of await harness.attempts(id))
      expect([status, failure]).toEqual([
        null,
        'forbidden-address: its address is not on the public internet',
      ])
  expect(dials).toBe(0)
  listener.close()
})
