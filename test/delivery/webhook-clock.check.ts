/** Hosts whose clocks are an hour off: timestamps and signatures follow the database clock. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readClock } from '../../src/store/database/database.ts'
import { rotateWebhookSecret } from '../../src/store/secrets/webhook-secrets.ts'
import { createChildren, kill } from '../support/children.ts'
import { clockShiftOptions } from '../support/shifted-clock.ts'
import { testVault } from '../support/vault.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'
import { openWebhookHarness, quick, until, type WebhookHarness } from './webhook-harness.ts'

const SCRIPT = fileURLToPath(new URL('delivery-process.ts', import.meta.url))
const HOUR_MS = 3_600_000

let harness: WebhookHarness
let receiver: Receiver
const children = createChildren()

beforeEach(async () => {
  harness = await openWebhookHarness()
  receiver = await startReceiver()
})
afterEach(async () => {
  await children.killAll()
  await harness.close()
  await receiver.stop()
})

/** Starts a delivery process on a host whose clock is off by `shiftMs`. */
const startProcess = async (shiftMs: number): Promise<ChildProcess> => {
  const child = children.start(
    SCRIPT,
    [harness.url, JSON.stringify(quick)],
    clockShiftOptions(shiftMs),
  )
  await once(child, 'message')
  return child
}

const setClock = async (child: ChildProcess, clockShiftMs: number): Promise<void> => {
  const shifted = once(child, 'message')
  child.send({ clockShiftMs })
  await shifted
}

const readHealth = (subscriptionId: string) =>
  harness.database.prisma.webhookDelivery.findUniqueOrThrow({
    where: { subscriptionId },
    select: { failures: true, failingSince: true, pausedUntil: true },
  })
const failuresOf = async (id: string): Promise<number> => (await readHealth(id)).failures
const isEnabled = async (id: string): Promise<boolean> =>
  (await harness.database.prisma.webhookSubscription.findUniqueOrThrow({ where: { id } })).isEnabled

/** Sets the first failure of an endpoint to this long before three days ago. */
const failSince = (id: string, beyond: string) =>
  harness.database.prisma.$executeRaw`
    UPDATE webhook_deliveries SET failures = 1,
      failing_since = clock_timestamp() - interval '3 days' - ${beyond}::interval
    WHERE subscription_id = ${id}::uuid`

describe.each([
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
])('a process whose clock is %s', (_how, shiftMs) => {
  test('records failures and pauses in database time, and another process sends what is due', async () => {
    receiver.behave('/a', (response, _message, place) =>
      place === 0
        ? response.writeHead(503, { 'retry-after': '3' }).end()
        : response.writeHead(204).end(),
    )
    const id = await harness.subscribe(`${receiver.origin}/a`)
    const before = await readClock(harness.database)
    const shifted = await startProcess(shiftMs)
    await harness.change([1])
    await until(() => failuresOf(id)).toBe(1)
    const { failingSince, pausedUntil } = await readHealth(id)
    const after = await readClock(harness.database)
    await kill(shifted)
    expect(Number(failingSince)).toBeGreaterThanOrEqual(before.getTime())
    expect(Number(failingSince)).toBeLessThanOrEqual(after.getTime())
    expect(Number(pausedUntil)).toBeGreaterThanOrEqual(before.getTime() + 3000)
    expect(Number(pausedUntil)).toBeLessThanOrEqual(after.getTime() + 3000)
    const [attempt] = await harness.attempts(id)
    expect(Date.parse(String(attempt?.at))).toBeGreaterThanOrEqual(before.getTime())
    expect(Date.parse(String(attempt?.at))).toBeLessThanOrEqual(after.getTime())

    await startProcess(0)
    await until(() => receiver.at('/a').length).toBe(2)
    expect(receiver.at('/a')[1]?.id).toBe(receiver.at('/a')[0]?.id)
  })

  test('signs messages that a verifier accepts', async () => {
    const id = await harness.subscribe(`${receiver.origin}/a`)
    await startProcess(shiftMs)
    await harness.change([1])
    await until(() => receiver.received.length).toBe(1)
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]]
    const verifier = new Webhook(await harness.secretOf(id))
    expect(verifier.verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'crm/accounts',
    })
  })

  test('disables an endpoint after three days of failures, and not before', async () => {
    receiver.behave('/young', status(500))
    receiver.behave('/old', status(500))
    const young = await harness.subscribe(`${receiver.origin}/young`)
    const old = await harness.subscribe(`${receiver.origin}/old`)
    await failSince(young, '-30 minutes')
    await failSince(old, '30 minutes')
    await startProcess(shiftMs)
    await harness.change([1])
    await until(() => isEnabled(old)).toBe(false)
    await until(() => failuresOf(young)).toBeGreaterThan(2)
    expect(await isEnabled(young)).toBe(true)
  })

  test('signs with the old secret until it expires in database time', async () => {
    const { database, owner } = harness
    const rotate = async (path: string, until: string): Promise<void> => {
      const id = await harness.subscribe(receiver.origin + path)
      await rotateWebhookSecret(database, testVault, owner.environmentId, id)
      await database.prisma.$executeRaw`
        UPDATE webhook_subscriptions SET old_secret_until = clock_timestamp() + ${until}::interval
        WHERE id = ${id}::uuid`
    }
    await rotate('/both', '30 minutes')
    await rotate('/new', '-30 minutes')
    await startProcess(shiftMs)
    await harness.change([1])
    await until(() => receiver.received.length).toBe(2)
    const countSignatures = (path: string): number =>
      String(receiver.at(path)[0]?.headers['webhook-signature']).split(' ').length
    expect([countSignatures('/both'), countSignatures('/new')]).toEqual([2, 1])
  })
})

test('a clock that jumps forward and back while the process runs changes nothing', async () => {
  const pauses = 3
  receiver.behave('/a', (response, _message, place) =>
    place < pauses
      ? response.writeHead(503, { 'retry-after': '2' }).end()
      : response.writeHead(204).end(),
  )
  const id = await harness.subscribe(`${receiver.origin}/a`)
  const child = await startProcess(0)
  const verifier = new Webhook(await harness.secretOf(id))
  await harness.change([1])
  for (const [round, shiftMs] of [HOUR_MS, -HOUR_MS, 0].entries()) {
    await until(() => failuresOf(id)).toBe(round + 1)
    await setClock(child, shiftMs)
    await until(() => receiver.received.length).toBe(round + 2)
  }
  for (const { body, headers } of receiver.received)
    verifier.verify(body, headers as Record<string, string>)
  const listAttemptTimes = async (): Promise<number[]> =>
    (await harness.attempts(id)).map(({ at }) => Date.parse(String(at)))
  await until(async () => (await listAttemptTimes()).length).toBe(pauses + 1)
  const times = await listAttemptTimes()
  const now = await readClock(harness.database)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(times.at(-1)).toBeLessThanOrEqual(now.getTime())
})
