/** The ledger of request budgets: limits hold over all processes, in every sliding period. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type CountedLimits,
  countLimits,
  type RequestLedger,
} from '../../src/definition/counted-limits.ts'
import type { RequestLimits, RequestPurpose } from '../../src/definition/request-limits.ts'
import { createPauses } from '../../src/store/budgets/pauses.ts'
import { createRequestLedger, purgeRequestBudgets } from '../../src/store/budgets/request-ledger.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createPgListener, type PgListener } from '../../src/store/database/pg-listener.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const SLOT_MS = 30_000
let storage: TestDatabase
let databases: readonly Database[]
let listeners: readonly PgListener[]
/** The ledgers of two processes. */
let ledgers: readonly [RequestLedger, RequestLedger]
let statements = 0
let nowMs = 0

beforeAll(async () => {
  storage = await createTestDatabase()
  databases = [1, 2].map(() =>
    openDatabase({
      url: storage.url,
      onStatement: (sql) => {
        // The listener reads the pauses when it connects.
        if (!sql.includes('paused_until > clock_timestamp()')) statements++
      },
    }),
  )
  listeners = databases.map(() => createPgListener(storage.url))
  const [first, second] = await Promise.all(
    databases.map(async (database, index) => {
      const pgListener = listeners[index] as PgListener
      const onFailure = (error: unknown) => {
        throw error
      }
      const clock = { nowMs: () => nowMs }
      const pauses = createPauses({ database, pgListener, onFailure, ...clock })
      await pgListener.start()
      return createRequestLedger({ database, pauses, slotMs: SLOT_MS, ...clock })
    }),
  )
  ledgers = [first as RequestLedger, second as RequestLedger]
})
afterAll(async () => {
  for (const listener of listeners) await listener.stop()
  for (const database of databases) await database.stop()
  await storage.drop()
})

let environmentId = ''
beforeEach(() => {
  environmentId = randomUUID()
  // Within a bucket of a second, of a minute and of a day.
  nowMs = Date.parse('2026-03-02T12:00:00.010Z')
})

const limitsOf = (
  limits: RequestLimits | undefined,
  credentialId: string = randomUUID(),
  values: Readonly<Record<string, string>> = {},
): CountedLimits & { readonly credentialId: string } => ({
  ...countLimits(limits, { environmentId, credentialId, app: 'test', values }),
  credentialId,
})

const spend = (
  limits: ReturnType<typeof limitsOf>,
  purpose: RequestPurpose = 'write',
  points = 1,
  ledger: RequestLedger = ledgers[0],
) => ledger.spend({ credentialId: limits.credentialId, limits, purpose, points })

/** Sends requests of a purpose until one has to wait. @returns the number of sent requests */
const spendAll = async (
  limits: ReturnType<typeof limitsOf>,
  purpose: RequestPurpose = 'write',
): Promise<number> => {
  for (let sent = 0; ; sent++) if ((await spend(limits, purpose)).waitMs > 0) return sent
}

const limitPerSecond = (max: number): RequestLimits => ({
  windows: [{ name: 'perSecond', scope: 'credential', unit: 'requests', max, per: 'second' }],
})

test('a request is counted by one statement, the first one of a scope by three', async () => {
  const limits = limitsOf(limitPerSecond(10))
  statements = 0
  await spend(limits)
  expect(statements).toBe(3)
  await spend(limits)
  expect(statements).toBe(4)
})

test('a request succeeds at the time that the ledger returns, and not earlier', async () => {
  const limits = limitsOf(limitPerSecond(10))
  await spend(limits)
  nowMs += 400
  expect(await spendAll(limits)).toBe(9)
  const { waitMs } = await spend(limits)
  // The wait is the period and one to two buckets.
  expect(waitMs).toBeGreaterThan(600 + 100)
  expect(waitMs).toBeLessThanOrEqual(600 + 200)
  nowMs += waitMs - 1
  expect((await spend(limits)).waitMs).toBe(1)
  nowMs += 1
  expect(await spendAll(limits)).toBe(1)
})

test.each<[RequestPurpose, number]>([
  ['history', 10],
  ['changes', 16],
  ['webhook', 18],
  ['write', 20],
])(
  'requests for %s use at most their share of a limit, counting all of them',
  async (purpose, maxRequests) => {
    const limits = limitsOf(limitPerSecond(20))
    expect(await spendAll(limits, 'history')).toBe(10)
    expect(await spendAll(limits, purpose)).toBe(maxRequests - 10)
    expect(await spendAll(limits, 'write')).toBe(20 - maxRequests)
  },
)

test('the least share of a limit is one request', async () => {
  expect(await spendAll(limitsOf(limitPerSecond(1)), 'history')).toBe(1)
})

test('a request that is rejected by one limit spends nothing of the others', async () => {
  const limits = limitsOf({
    windows: [
      { name: 'perSecond', scope: 'credential', unit: 'requests', max: 1, per: 'second' },
      { name: 'perDay', scope: 'app', unit: 'requests', max: 3, per: 'day' },
    ],
  })
  await spend(limits)
  expect((await spend(limits)).waitMs).toBeLessThan(2000)
  nowMs += 1200
  const { windows } = await spend(limits)
  expect(windows.map(({ name, total }) => [name, total])).toEqual([
    ['perSecond', 1],
    ['perDay', 2],
  ])
})

test('points are counted by the cost of a request, and a request that costs more than the limit is sent alone', async () => {
  const limits = limitsOf({
    windows: [{ name: 'points', scope: 'credential', unit: 'points', max: 100, per: 'minute' }],
    cost: () => 1,
  })
  expect((await spend(limits, 'history', 70)).waitMs).toBe(0)
  expect((await spend(limits, 'changes', 20)).waitMs).toBeGreaterThan(0)
  expect((await spend(limits, 'webhook', 20)).waitMs).toBe(0)
  expect((await spend(limits, 'write', 500)).waitMs).toBeGreaterThan(0)
  nowMs += 70_000
  expect((await spend(limits, 'write', 500)).waitMs).toBe(0)
})

test('no sliding period contains more requests than the limit, at any times of sending', async () => {
  const limits = limitsOf(limitPerSecond(7))
  const sent: number[] = []
  for (let step = 0; step < 120; step++) {
    nowMs += (step * 37) % 90
    if ((await spend(limits)).waitMs === 0) sent.push(nowMs)
  }
  const mostPerSecond = Math.max(
    ...sent.map((from) => sent.filter((at) => at >= from && at < from + 1000).length),
  )
  expect(mostPerSecond).toBe(7)
})

test('processes that spend at the same time stay below the limit together', async () => {
  const limits = limitsOf(limitPerSecond(10))
  const results = await Promise.all(
    Array.from({ length: 30 }, (_, index) => spend(limits, 'write', 1, ledgers[index % 2])),
  )
  expect(results.filter(({ waitMs }) => waitMs === 0)).toHaveLength(10)
})

test.each([
  ['credential', 'one', 'one', 4],
  ['account', 'one', 'one', 2],
  ['account', 'one', 'another', 4],
  ['app', 'one', 'another', 2],
] as const)(
  'credentials share a limit of the scope %s (%s, %s)',
  async (scope, firstCompany, secondCompany, sentInTotal) => {
    const declared: RequestLimits = {
      windows: [{ name: 'perDay', scope, unit: 'requests', max: 2, per: 'day' }],
      ...(scope === 'account' && { account: 'company' }),
    }
    const first = await spendAll(limitsOf(declared, randomUUID(), { company: firstCompany }))
    const second = await spendAll(limitsOf(declared, randomUUID(), { company: secondCompany }))
    expect(first + second).toBe(sentInTotal)
  },
)

test('requests in flight are limited, and the slots of a killed process are freed', async () => {
  const limits = limitsOf({ concurrency: { scope: 'credential', max: 2 } })
  const [first, second] = [await spend(limits), await spend(limits, 'write', 1, ledgers[1])]
  expect([first.waitMs, second.waitMs, (await spend(limits)).waitMs]).toEqual([0, 0, 250])
  const request = { ...limits, limits, purpose: 'write', points: 1 } as const
  await ledgers[1].settle(request, second, [])
  expect((await spend(limits)).waitMs).toBe(0)
  expect((await spend(limits)).waitMs).toBe(250)
  // Neither of the two requests ends, because their process was killed.
  nowMs += SLOT_MS
  expect(await spendAll(limits)).toBe(2)
})

const day: RequestLimits = {
  windows: [{ name: 'perDay', scope: 'credential', unit: 'points', max: 100, per: 'day' }],
  cost: () => 1,
}

test('what the app reports corrects the budget', async () => {
  const limits = limitsOf(day)
  const request = { ...limits, limits, purpose: 'write', points: 10 } as const
  const spent = await spend(limits, 'write', 10)
  const [window] = spent.windows
  if (!window) throw new Error('The limit was not counted.')
  const correction = { window, extraCost: 0, used: undefined, max: undefined, resetMs: undefined }
  const readRemaining = async (): Promise<number> => {
    const { windows, waitMs } = await spend(limits, 'write', 0)
    expect(waitMs).toBe(0)
    return (windows[0]?.knownMax ?? 0) - (windows[0]?.total ?? 0)
  }
  await ledgers[1].settle(request, spent, [{ ...correction, extraCost: -4 }])
  expect(await readRemaining()).toBe(94)
  // Another program has used the same limit.
  await ledgers[1].settle(request, spent, [{ ...correction, used: 50, resetMs: 3_600_000 }])
  expect(await readRemaining()).toBe(50)
  await ledgers[1].settle(request, spent, [{ ...correction, used: 40 }])
  expect(await readRemaining()).toBe(50)
  await ledgers[1].settle(request, spent, [{ ...correction, max: 200 }])
  expect(await readRemaining()).toBe(150)
  nowMs += 2 * 3_600_000
  expect(await readRemaining()).toBe(194)
})

test('a limit that was declared with another period starts again', async () => {
  const id = randomUUID()
  await spend(limitsOf(limitPerSecond(1), id))
  const perMinute: RequestLimits = {
    windows: [{ name: 'perSecond', scope: 'credential', unit: 'requests', max: 1, per: 'minute' }],
  }
  expect(await spendAll(limitsOf(perMinute, id))).toBe(1)
})

test('a pause holds back the requests of every process until it ends', async () => {
  const limits = limitsOf(undefined)
  const other = limitsOf(limitPerSecond(10))
  await ledgers[0].pause(limits.pauseKey, 5_000)
  await ledgers[0].pause(limits.pauseKey, 1_000)
  expect(ledgers[0].pausedMs(limits)).toBe(5_000)
  await expect.poll(() => ledgers[1].pausedMs(limits)).toBe(5_000)
  expect(ledgers[1].pausedMs(other)).toBe(0)
  nowMs += 5_000
  expect(ledgers[1].pausedMs(limits)).toBe(0)
})

test('the statement of a request with limits reads a pause that was not announced', async () => {
  const limits = limitsOf(limitPerSecond(10))
  await spend(limits)
  await ledgers[0].pause(limits.pauseKey, 5_000)
  expect((await spend(limits, 'write', 1, ledgers[1])).waitMs).toBe(5_000)
})

test('rows are deleted once their period has passed', async () => {
  const [database] = databases
  if (!database) throw new Error('There is no database.')
  const count = () => database.prisma.requestBudget.count()
  await spend(limitsOf(day))
  // By the virtual time of this file, its rows have expired long ago.
  await purgeRequestBudgets(database)
  expect(await count()).toBe(0)
  nowMs = Date.now()
  await spend(limitsOf(day))
  await purgeRequestBudgets(database)
  expect(await count()).toBe(2)
})
