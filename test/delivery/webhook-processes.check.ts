/** Several delivery processes; the tests kill some of them. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChangePosition, decodeChangeCursor } from '../../src/query/change-cursor.ts'
import { isBefore } from '../../src/store/changes/changes.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'
import {
  numbers,
  openWebhookHarness,
  quick,
  until,
  type WebhookHarness,
} from './webhook-harness.ts'

const SCRIPT = fileURLToPath(new URL('delivery-process.ts', import.meta.url))
const KILLS = 50
const EVENTS = 2000
/** A small window, so that it often holds up sending. */
const WINDOW_MESSAGES = 24
/** The limit that PROTOCOL.md states for the service. */
const PRODUCT_WINDOW_MESSAGES = 96

let harness: WebhookHarness
let receiver: Receiver
let children: ChildProcess[] = []

beforeEach(async () => {
  harness = await openWebhookHarness()
  receiver = await startReceiver()
})
afterEach(async () => {
  // Wait for the exit, so that the process's requests are over.
  await Promise.all(children.map(kill))
  children = []
  await harness.close()
  await receiver.stop()
})

const startProcess = (options: object = {}): ChildProcess => {
  const child = fork(SCRIPT, [harness.url, JSON.stringify(options)], { execArgv: [] })
  children.push(child)
  return child
}

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const recordsAt = (path: string): string[] =>
  receiver.at(path).map(({ body }) => JSON.parse(body).data.record.remoteId)

const cursorOf = ({ body }: Received): string => JSON.parse(body).data.cursor
const positionOf = (message: Received): ChangePosition =>
  decodeChangeCursor(cursorOf(message), 'cursor')

/** The saved state of a subscription: the position in the log and the waiting messages. */
const readSaved = async (id: string) => {
  const { position, ahead, retries } =
    await harness.database.prisma.webhookDelivery.findUniqueOrThrow({
      where: { subscriptionId: id },
      select: { position: true, ahead: true, retries: { select: { messageId: true } } },
    })
  const savedTo = decodeChangeCursor(position ?? '', 'position')
  const savedAhead = new Set(ahead)
  return {
    ahead,
    isSaved: (message: Received): boolean =>
      !isBefore(savedTo, positionOf(message)) || savedAhead.has(cursorOf(message)),
    waiting: new Set(retries.map(({ messageId }) => messageId)),
  }
}

/** Messages that arrived and are not saved. */
const unsavedOf = async (id: string, messages: readonly Received[]): Promise<number> => {
  const { isSaved } = await readSaved(id)
  return new Set(messages.filter((message) => !isSaved(message)).map((message) => message.id)).size
}

test(`${EVENTS} changes and ${KILLS} kills: no loss, and duplicates share one id`, async () => {
  // A tenth of the messages fails once, so that kills also hit waiting messages.
  receiver.behave(
    '/a',
    (response, _message, place) => void response.writeHead(place % 10 === 9 ? 500 : 204).end(),
  )
  const id = await harness.subscribe(`${receiver.origin}/a`)
  const options = { ...quick, leaseMs: 300, window: WINDOW_MESSAGES }
  // The successor is already running: starting a process takes longest.
  const kills: ({ readonly place: number } & Awaited<ReturnType<typeof readSaved>>)[] = []
  let next = startProcess(options)
  await once(next, 'message')
  for (let round = 0; round < KILLS; round++) {
    const child = next
    next = startProcess(options)
    const receivedBefore = receiver.received.length
    await harness.change(numbers(EVENTS / KILLS, 1 + round * Math.floor(EVENTS / KILLS)))
    // The kill hits another moment in each round.
    await until(() => receiver.received.length, 30_000).toBeGreaterThan(
      receivedBefore + (round % 5) * 5,
    )
    await wait(round % 7)
    await kill(child)
    const sent = [...receiver.received]
    expect(await unsavedOf(id, sent)).toBeLessThanOrEqual(WINDOW_MESSAGES)
    // Read before the place: the successor may deliver and save messages in between.
    const state = await readSaved(id)
    kills.push({ place: receiver.received.length, ...state })
  }
  const written = KILLS * Math.floor(EVENTS / KILLS)
  await harness.change(numbers(EVENTS - written, written + 1))
  await until(() => new Set(recordsAt('/a')).size, 240_000).toBe(EVENTS)
  await until(() => harness.waiting(id), 60_000).toBe(0)

  const ids = new Map<string, Set<string>>()
  for (const { id: message, body } of receiver.at('/a')) {
    const { remoteId } = JSON.parse(body).data.record
    ids.set(remoteId, (ids.get(remoteId) ?? new Set()).add(message))
  }
  expect([...ids.values()].every((ofRecord) => ofRecord.size === 1)).toBe(true)
  // Deliveries saved before a kill are not repeated.
  const again = kills.flatMap(({ place, isSaved, waiting }) =>
    receiver.received
      .slice(place)
      .filter((message) => isSaved(message) && !waiting.has(message.id)),
  )
  expect(again).toEqual([])
  const answered = receiver.at('/a').filter((_message, index) => index % 10 !== 9)
  const repeated = answered.length - new Set(answered.map((message) => message.id)).size
  console.log(
    `${EVENTS} changes, ${KILLS} kills: 0 lost, ${repeated} sent more than once (at most ${KILLS * WINDOW_MESSAGES})`,
  )
  // Each round starts a process, which takes seconds on a busy machine.
}, 600_000)

test(`a process that cannot save stops after ${PRODUCT_WINDOW_MESSAGES} messages: a kill repeats no more than these`, async () => {
  const COUNT = 1000
  const id = await harness.subscribe(`${receiver.origin}/a`)
  const { prisma } = harness.database
  const first = startProcess({ leaseMs: 2000 })
  await once(first, 'message')
  await harness.database.transaction(
    async (transaction) => {
      // Blocks every checkpoint and no reader of the change log: it takes no transaction id.
      await transaction.prisma.$executeRaw`LOCK TABLE webhook_attempt_batches IN SHARE MODE`
      await harness.change(numbers(COUNT))
      await until(() => receiver.at('/a').length).toBeGreaterThanOrEqual(PRODUCT_WINDOW_MESSAGES)
      // Long enough for the process to renew its lease twice.
      for (let renewals = 0; renewals < 2; renewals++) {
        const before = await prisma.webhookWorker.findFirstOrThrow()
        await until(() => prisma.webhookWorker.findFirstOrThrow()).not.toEqual(before)
      }
      expect(receiver.at('/a')).toHaveLength(PRODUCT_WINDOW_MESSAGES)
      await kill(first)
    },
    { timeoutMs: 120_000 },
  )
  startProcess({ leaseMs: 2000 })
  await until(() => new Set(recordsAt('/a')).size).toBe(COUNT)
  await until(() => unsavedOf(id, receiver.at('/a'))).toBe(0)
  const repeated = receiver.at('/a').length - COUNT
  console.log(`killed with ${PRODUCT_WINDOW_MESSAGES} messages unsaved: ${repeated} sent again`)
  expect(repeated).toBeLessThanOrEqual(PRODUCT_WINDOW_MESSAGES)
}, 240_000)

test('a kill behind a hanging message does not repeat saved deliveries', async () => {
  const COUNT = 300
  receiver.behave('/a', (response, _message, place) => {
    if (place > 0) response.writeHead(204).end()
  })
  const id = await harness.subscribe(`${receiver.origin}/a`)
  const first = startProcess({ leaseMs: 1000 })
  await once(first, 'message')
  await harness.change(numbers(COUNT))
  await until(async () => (await readSaved(id)).ahead.length).toBe(COUNT - 1)
  await kill(first)
  startProcess({ leaseMs: 1000 })
  await harness.change([COUNT + 1])
  await until(() => new Set(recordsAt('/a')).size).toBe(COUNT + 1)
  await until(() => unsavedOf(id, receiver.at('/a'))).toBe(0)
  // Only the hanging message is sent again.
  expect(receiver.at('/a')).toHaveLength(COUNT + 2)
}, 120_000)

test('another process takes over the subscriptions of a killed one within 30 s', async () => {
  await harness.subscribe(`${receiver.origin}/a`)
  const first = startProcess()
  await harness.change([1])
  await until(() => receiver.received.length, 30_000).toBe(1)
  const second = startProcess()
  await once(second, 'message')
  await kill(first)
  const killedMs = performance.now()
  await harness.change([2])
  await until(() => new Set(recordsAt('/a')).size, 40_000).toBe(2)
  const takeoverMs = performance.now() - killedMs
  console.log(`taken over after ${(takeoverMs / 1000).toFixed(1)} s`)
  expect(takeoverMs).toBeLessThan(30_000)
}, 90_000)

test('two processes share the subscriptions, and one of them sends each change', async () => {
  const paths = numbers(8).map((n) => `/${n}`)
  for (const path of paths) await harness.subscribe(receiver.origin + path)
  const readLeaseHolders = async (): Promise<number[]> => {
    const groups = await harness.database.prisma.webhookDelivery.groupBy({
      by: ['holder'],
      where: { holder: { not: null } },
      _count: true,
      orderBy: { holder: 'asc' },
    })
    return groups.map((group) => group._count)
  }
  // A process that stalls for longer than its lease loses it, and its deliveries repeat.
  const options = { ...quick, leaseMs: 20_000 }
  startProcess(options)
  await until(readLeaseHolders).toEqual([8])
  startProcess(options)
  await until(readLeaseHolders).toEqual([4, 4])
  await harness.change(numbers(50))
  for (const path of paths) await until(() => new Set(recordsAt(path)).size).toBe(50)
  expect(receiver.received).toHaveLength(8 * 50)
}, 240_000)
