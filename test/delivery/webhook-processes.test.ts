/** Many processes, and processes that are killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChangePosition, decodeChangeCursor } from '../../src/query/change-cursor.ts'
import { isBefore } from '../../src/store/changes.ts'
import { numbers, openPostOffice, type PostOffice, quick, until } from './post-office.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'

const SCRIPT = fileURLToPath(new URL('delivery-process.ts', import.meta.url))
// The hazards' own figure. A quicker look: WEBHOOK_KILLS=5.
const KILLS = Number(process.env.WEBHOOK_KILLS ?? 50)
const EVENTS = 2000
const WINDOW = 16

let office: PostOffice
let receiver: Receiver
let children: ChildProcess[] = []

beforeEach(async () => {
  office = await openPostOffice()
  receiver = await startReceiver()
})
afterEach(async () => {
  // Dead, and not only told to be: what they had begun is over then.
  await Promise.all(children.map(kill))
  children = []
  await office.close()
  await receiver.stop()
})

const startProcess = (options: object = {}): ChildProcess => {
  const child = fork(SCRIPT, [office.url, JSON.stringify(options)], { execArgv: [] })
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

const positionOf = ({ body }: Received): ChangePosition =>
  decodeChangeCursor(JSON.parse(body).data.cursor, 'cursor')

/** What is saved of a subscription: how far it has come, and the messages before that which wait. */
const saved = async (id: string) => {
  const { position, retries } = await office.database.prisma.webhookDelivery.findUniqueOrThrow({
    where: { subscriptionId: id },
    select: { position: true, retries: { select: { messageId: true } } },
  })
  return {
    position: decodeChangeCursor(position ?? '', 'position'),
    waiting: new Set(retries.map(({ messageId }) => messageId)),
  }
}

test(`${EVENTS} changes and ${KILLS} kills: none is lost, and what comes twice has one id`, async () => {
  // A tenth of the messages fails once, so that those that wait are killed as well.
  receiver.behave(
    '/a',
    (response, _message, place) => void response.writeHead(place % 10 === 9 ? 500 : 204).end(),
  )
  const id = await office.subscribe(`${receiver.origin}/a`)
  const options = { ...quick, leaseMs: 300, window: WINDOW, checkpointMs: 100 }
  // The one that takes over stands by already: to start a process takes longer than all else.
  const kills: ({ readonly place: number } & Awaited<ReturnType<typeof saved>>)[] = []
  let next = startProcess(options)
  await once(next, 'message')
  for (let round = 0; round < KILLS; round++) {
    const child = next
    next = startProcess(options)
    const seen = receiver.received.length
    await office.change(numbers(EVENTS / KILLS, 1 + round * Math.floor(EVENTS / KILLS)))
    // Another moment in each round.
    await until(() => receiver.received.length, 30_000).toBeGreaterThan(seen + (round % 5) * 5)
    await wait(round % 7)
    await kill(child)
    const sent = [...receiver.received]
    const left = await saved(id)
    const unsaved = sent.filter((message) => isBefore(left.position, positionOf(message)))
    expect(new Set(unsaved.map((message) => message.id)).size).toBeLessThanOrEqual(WINDOW)
    kills.push({ place: receiver.received.length, ...left })
  }
  const written = KILLS * Math.floor(EVENTS / KILLS)
  await office.change(numbers(EVENTS - written, written + 1))
  await until(() => new Set(recordsAt('/a')).size, 60_000).toBe(EVENTS)
  await until(() => office.waiting(id), 60_000).toBe(0)

  const ids = new Map<string, Set<string>>()
  for (const { id: message, body } of receiver.at('/a')) {
    const { remoteId } = JSON.parse(body).data.record
    ids.set(remoteId, (ids.get(remoteId) ?? new Set()).add(message))
  }
  expect([...ids.values()].every((ofRecord) => ofRecord.size === 1)).toBe(true)
  // What was saved when a process was killed does not come again.
  const sent = receiver.received.map((message) => ({ ...message, position: positionOf(message) }))
  const again = kills.flatMap(({ place, position, waiting }) =>
    sent
      .slice(place)
      .filter((message) => !isBefore(position, message.position) && !waiting.has(message.id)),
  )
  expect(again).toEqual([])
  const answered = receiver.at('/a').filter((_message, place) => place % 10 !== 9)
  const repeated = answered.length - new Set(answered.map((message) => message.id)).size
  console.log(
    `${EVENTS} changes, ${KILLS} kills: 0 lost, ${repeated} sent more than once (at most ${KILLS * WINDOW})`,
  )
  // Each round starts a process, which takes seconds where others are at work.
}, 600_000)

test('what a killed process held is taken over within 30 s', async () => {
  await office.subscribe(`${receiver.origin}/a`)
  const first = startProcess()
  await office.change([1])
  await until(() => receiver.received.length, 30_000).toBe(1)
  const second = startProcess()
  await once(second, 'message')
  await kill(first)
  const killedMs = performance.now()
  await office.change([2])
  await until(() => new Set(recordsAt('/a')).size, 40_000).toBe(2)
  const takeoverMs = performance.now() - killedMs
  console.log(`taken over after ${(takeoverMs / 1000).toFixed(1)} s`)
  expect(takeoverMs).toBeLessThan(30_000)
}, 90_000)

test('two processes share the subscriptions, and each change is sent by one of them', async () => {
  const paths = numbers(8).map((n) => `/${n}`)
  for (const path of paths) await office.subscribe(receiver.origin + path)
  const held = async (): Promise<number[]> => {
    const groups = await office.database.prisma.webhookDelivery.groupBy({
      by: ['holder'],
      where: { holder: { not: null } },
      _count: true,
      orderBy: { holder: 'asc' },
    })
    return groups.map((group) => group._count)
  }
  // A process that stalls for longer than its lease is taken for dead, and what it had sent comes again.
  const options = { ...quick, leaseMs: 20_000 }
  startProcess(options)
  await until(held).toEqual([8])
  startProcess(options)
  await until(held).toEqual([4, 4])
  await office.change(numbers(50))
  for (const path of paths) await until(() => new Set(recordsAt(path)).size).toBe(50)
  expect(receiver.received).toHaveLength(8 * 50)
}, 240_000)
