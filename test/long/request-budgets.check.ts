/**
 * A simulated day of 50 credentials whose history, changes, webhook fetches and writes compete in four processes:
 * no limit of the app is exceeded, nothing is sent before Retry-After, and no write starves.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Connector, defineConnector } from '../../src/definition/connector.ts'
import { countLimits, type RequestLedger } from '../../src/definition/counted-limits.ts'
import {
  CEILINGS,
  periodMs,
  type RequestLimits,
  type RequestPurpose,
} from '../../src/definition/request-limits.ts'
import { AppRateLimitedError } from '../../src/outbound/app-error.ts'
import { type AppClient, createAppClient } from '../../src/outbound/http.ts'
import { createPauses } from '../../src/store/budgets/pauses.ts'
import { createRequestLedger } from '../../src/store/budgets/request-ledger.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createPgListener, type PgListener } from '../../src/store/database/pg-listener.ts'
import { pollIntervalMs } from '../../src/sync/poll-interval.ts'
import { type CountingApp, createCountingApp } from '../support/counting-app.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createVirtualTime, type VirtualTime } from '../support/virtual-time.ts'

const PROCESSES = 4
const CREDENTIALS = 50
const ACCOUNTS = 40
const RESOURCES = 3
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const ORIGIN = 'http://app.test'
const MAX_RETRY_AFTER_S = 60

const limits = {
  windows: [
    { name: 'perSecond', scope: 'credential', unit: 'requests', max: 5, per: 'second' },
    { name: 'perMinute', scope: 'account', unit: 'requests', max: 60, per: 'minute' },
    { name: 'perDay', scope: 'account', unit: 'requests', max: 600, per: 'day' },
    { name: 'ofApp', scope: 'app', unit: 'requests', max: 500, per: 'minute' },
  ],
  concurrency: { scope: 'account', max: 4 },
  account: 'company',
} as const satisfies RequestLimits

const HEADERS = { credential: 'x-credential', account: 'x-account', app: 'x-app' } as const

const connector: Connector = defineConnector({
  app: 'test',
  name: 'Test',
  doc: 'A test.',
  auth: {
    key: {
      type: 'apiKey',
      fields: { id: { doc: '', secret: false }, company: { doc: '', secret: false } },
      baseUrl: ORIGIN,
      request: {
        headers: {
          [HEADERS.credential]: '{id}',
          [HEADERS.account]: '{company}',
          [HEADERS.app]: 'test',
        },
      },
    },
  },
  readFailure: () => undefined,
  check: { method: 'GET', path: '' },
  resources: {},
  limits,
})

/** A generator with a fixed seed, so that each run is the same. */
const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

interface Process {
  readonly database: Database
  readonly listener: PgListener
  readonly ledger: RequestLedger
  readonly client: AppClient
}

let storage: TestDatabase
let time: VirtualTime
let app: CountingApp
let processes: readonly Process[] = []
const random = createRandom(7)
const environmentId = randomUUID()

const openProcess = async (): Promise<Process> => {
  const database = openDatabase({ url: storage.url, maxConnections: 5 })
  const listener = createPgListener(storage.url)
  const onFailure = (error: unknown): never => {
    throw error
  }
  const pauses = createPauses({ database, pgListener: listener, onFailure, nowMs: time.nowMs })
  await listener.start()
  const ledger = createRequestLedger({ database, pauses, slotMs: 35_000, nowMs: time.nowMs })
  const client = createAppClient({
    allowPrivateAddresses: false,
    localApps: new Map([[ORIGIN, app.handle]]),
    // A retry would wait by the clock of the host.
    maxRetries: 0,
    budgets: { ledger, wait: time.wait },
  })
  return { database, listener, ledger, client }
}

beforeAll(async () => {
  storage = await createTestDatabase()
  const startMs = Date.parse('2026-03-02T12:00:00.000Z')
  time = createVirtualTime(startMs)
  app = createCountingApp({
    nowMs: time.nowMs,
    limits: limits.windows.map((window) => ({
      name: window.name,
      key: HEADERS[window.scope],
      max: window.max,
      windowMs: periodMs(window),
    })),
    concurrency: { key: HEADERS.account, max: limits.concurrency.max },
    work: () => time.wait(50 + random() * 400),
    // Vendors limit the rate for reasons of their own, too.
    throttle: () => (random() < 0.002 ? Math.ceil(random() * MAX_RETRY_AFTER_S) : undefined),
  })
  processes = await Promise.all(Array.from({ length: PROCESSES }, openProcess))
})
afterAll(async () => {
  for (const { database, listener, client } of processes) {
    await client.stop()
    await listener.stop()
    await database.stop()
  }
  await storage.drop()
})

test('a day of 50 credentials in four processes', { timeout: 30 * MINUTE_MS }, async () => {
  const endMs = time.nowMs() + DAY_MS
  const credentials = Array.from({ length: CREDENTIALS }, (_, index) => ({
    credentialId: randomUUID(),
    values: { id: String(index), company: `company ${index % ACCOUNTS}` },
  }))
  type Credential = (typeof credentials)[number]
  const pickProcess = (): Process => {
    const process = processes[Math.floor(random() * PROCESSES)]
    if (!process) throw new Error('There is no process.')
    return process
  }

  /**
   * Sends a request in any process, again whenever its budget or the app rejects it. @returns how long that took
   */
  const send = async (
    { credentialId, values }: Credential,
    purpose: RequestPurpose,
  ): Promise<number> => {
    const startedMs = time.nowMs()
    const request = { method: 'GET', path: '/', headers: { 'x-purpose': purpose } } as const
    for (;;) {
      const client = pickProcess().client.spending({ environmentId, credentialId, purpose })
      try {
        await client.send(connector, { method: null, values }, request)
        return time.nowMs() - startedMs
      } catch (error) {
        if (!(error instanceof AppRateLimitedError)) throw error
        await time.wait(Math.max(SECOND_MS, error.retryAfterMs ?? 0))
        if (time.nowMs() > endMs) return 0
      }
    }
  }

  const writeTimes: number[] = []
  const poll = pollIntervalMs({
    intervalMs: 15 * SECOND_MS,
    tookMs: 0,
    idleRuns: 0,
    webhookAgeMs: null,
    limits: limits.windows.map((window) => ({
      max: window.max,
      periodMs: periodMs(window),
      cost: 1,
      resources:
        RESOURCES *
        (window.scope === 'credential' ? 1 : window.scope === 'account' ? 2 : CREDENTIALS),
    })),
  })
  const until = async (step: () => Promise<unknown>, pauseMs: () => number): Promise<void> => {
    await time.wait(random() * pauseMs())
    while (time.nowMs() < endMs) {
      await step()
      await time.wait(pauseMs())
    }
  }
  /** Starts work that the task does not wait for, so that the virtual time of the task advances. */
  const tasks: Promise<unknown>[] = []
  const start = (task: () => Promise<void>): void => void tasks.push(time.run(task))

  // The tasks start together: time stands still until all of them wait.
  start(async () => {
    for (const credential of credentials) {
      // A full listing of 5,000 records, each as fast as possible, begins every few hours.
      for (let resource = 0; resource < RESOURCES; resource++) {
        start(() =>
          until(
            async () => {
              for (let page = 0; page < 50 && time.nowMs() < endMs; page++)
                await send(credential, 'history')
            },
            () => 6 * HOUR_MS,
          ),
        )
        start(() =>
          until(
            () => send(credential, 'changes'),
            () => poll,
          ),
        )
      }
      start(() =>
        until(
          () => send(credential, 'webhook'),
          () => random() * HOUR_MS,
        ),
      )
      start(() =>
        until(
          async () => void writeTimes.push(await send(credential, 'write')),
          () => random() * 2 * HOUR_MS,
        ),
      )
    }
    // An integrator writes as much as its account allows.
    const greedy = { credentialId: randomUUID(), values: { id: 'greedy', company: 'greedy' } }
    for (let writer = 0; writer < 6; writer++)
      start(() =>
        until(
          () => send(greedy, 'write'),
          () => 0,
        ),
      )
    // A process is killed while it sends a request, once an hour.
    start(() =>
      until(
        async () => {
          const [credential] = credentials
          if (!credential) return
          const { credentialId, values } = credential
          const owner = { environmentId, credentialId, app: connector.app, values }
          const counted = countLimits(limits, owner)
          const request = { credentialId, limits: counted, purpose: 'write', points: 1 } as const
          await pickProcess().ledger.spend(request)
        },
        () => HOUR_MS,
      ),
    )
  })
  // The first task has started the others.
  await tasks[0]
  await Promise.all(tasks)

  const byPurpose = Object.fromEntries(app.accepted('x-purpose'))
  const byAccount = [...app.accepted(HEADERS.account).values()]
  const longestWriteMs = Math.max(...writeTimes)
  console.log({
    byPurpose,
    most: Object.fromEntries(app.largestWindows),
    perAccount: [Math.min(...byAccount), Math.max(...byAccount)],
    writes: writeTimes.length,
    longestWriteMs,
    pollMs: poll,
  })
  expect(app.violations).toEqual([])
  // The limits were what held the requests back.
  expect(app.largestWindows.get('perSecond')).toBe(5)
  expect(app.largestWindows.get('perMinute')).toBe(60)
  // The app does not count the requests that it rejects for reasons of its own.
  expect(app.largestWindows.get('perDay')).toBeGreaterThan(580)
  expect(Math.min(...byAccount)).toBeGreaterThan(600 * CEILINGS.history)
  // A write waits for a pause that the app requires, and for a place among the writes of a minute.
  expect(longestWriteMs).toBeLessThan(MAX_RETRY_AFTER_S * SECOND_MS + 10 * SECOND_MS)
  expect(writeTimes.length).toBeGreaterThan(CREDENTIALS * 15)
  expect(byPurpose.webhook).toBeGreaterThan(CREDENTIALS * 25)
  expect(byPurpose.changes).toBeGreaterThan(CREDENTIALS * RESOURCES * 20)
})

test('without budgets, the app counts requests that should not have been sent', async () => {
  const time = createVirtualTime(0)
  const strict = createCountingApp({
    nowMs: time.nowMs,
    limits: [{ name: 'perSecond', key: HEADERS.credential, max: 5, windowMs: SECOND_MS }],
    concurrency: { key: HEADERS.credential, max: 4 },
    work: () => time.wait(100),
  })
  const headers = { [HEADERS.credential]: 'one', 'x-purpose': 'write' }
  const sendThrice = async (): Promise<void> => {
    for (let sent = 0; sent < 3; sent++) await strict.handle(new Request(ORIGIN, { headers }))
  }
  await Promise.all(Array.from({ length: 6 }, () => time.run(sendThrice)))
  expect(new Set(strict.violations.map((violation) => violation.replace(/ at \d+$/, '')))).toEqual(
    new Set([
      '5 requests in flight',
      '6 requests in flight',
      'write exceeds perSecond',
      'write before Retry-After',
    ]),
  )
})
