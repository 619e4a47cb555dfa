/** Syncs of an app that fails: retries, reports, and no lost or duplicate change. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { lockRecords } from '../../src/store/records/apply-changes.ts'
import type { Fault } from '../support/fake-app.ts'
import { untilWaitingForLock } from '../support/waiting-for-lock.ts'
import { quickClient } from './recording-log.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
})

afterEach(() => harness.close())

const failureOf = async (run: Promise<void>): Promise<{ code?: string; message: string }> => {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof AggregateError)) throw new Error('The run did not fail.')
  return error.errors[0]
}

/** The store equals the app: no record lost, no change logged twice. */
const expectConverged = async (): Promise<void> => {
  const stored = await harness.records()
  const appRows = [...harness.app.rows.values()].sort((a, b) => Number(a.id) - Number(b.id))
  expect(stored.map(({ remoteId, name }) => [remoteId, name])).toEqual(
    appRows.map(({ id, name }) => [id, name]),
  )
  const created = (await harness.readLog()).filter(
    ({ topic, kind }) => topic === TOPIC && kind === 'created',
  )
  expect(new Set(created.map(({ recordId }) => recordId)).size).toBe(appRows.length)
  expect(created).toHaveLength(appRows.length)
}

/** Fails once more often than the client tries. */
const repeatFault = (fault: Fault): Fault[] => Array.from({ length: 4 }, () => fault)

const faults: readonly [string, Fault][] = [
  ['429', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
  ['500', { kind: 'status', status: 500 }],
  ['503 with Retry-After', { kind: 'status', status: 503, headers: { 'retry-after': '0' } }],
  ['a broken connection', { kind: 'reset' }],
  ['JSON that breaks off', { kind: 'malformed' }],
  ['JSON that is nested thousands of levels deep', { kind: 'deep' }],
]

describe.each(faults)('an app that answers with %s', (_name, fault) => {
  it('once is retried within the run', async () => {
    harness.app.fill(35)
    harness.app.faults.push(undefined, fault)
    await harness.engine().syncNow(harness.credentialId)
    expect(harness.app.requests).toHaveLength(5)
    await expectConverged()
  })

  it('for longer fails the run, which resumes from its last page', async () => {
    harness.app.fill(35)
    harness.app.faults.push(undefined, undefined, ...repeatFault(fault))
    const engine = harness.engine()
    await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    expect(await harness.records()).toHaveLength(20)
    const requestsBefore = harness.app.requests.length
    await engine.syncNow(harness.credentialId)
    expect(harness.app.requests[requestsBefore]?.cursor).toMatch(/\|20$/)
    await expectConverged()
  })
})

describe('an app that fails for long', () => {
  it('is reported once in the change log, and so is its recovery', async () => {
    harness.app.fill(5)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    const before = (await harness.readLog()).length
    for (let run = 0; run < 3; run++) {
      harness.app.faults.push(...repeatFault({ kind: 'status', status: 500 }))
      await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    }
    expect(await harness.state()).toMatchObject({ failures: 3 })
    await engine.syncNow(harness.credentialId)
    const logged = (await harness.readLog()).slice(before)
    expect(logged.map(({ topic }) => topic)).toEqual(['sync/failed', 'sync/completed'])
    expect(logged[0]?.record).toMatchObject({ resource: TOPIC, code: 'APP_UNAVAILABLE' })
    await expectConverged()
  })

  it('is reported once although rate limits occur in between, and so is its recovery', async () => {
    harness.app.fill(5)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    const before = (await harness.readLog()).length
    for (const status of [500, 429, 500, 429]) {
      harness.app.faults.push(
        ...repeatFault({ kind: 'status', status, headers: { 'retry-after': '0' } }),
      )
      await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    }
    expect(await harness.state()).toMatchObject({ failures: 4, failureCode: 'APP_UNAVAILABLE' })
    await engine.syncNow(harness.credentialId)
    const logged = (await harness.readLog()).slice(before)
    expect(logged.map(({ topic }) => topic)).toEqual(['sync/failed', 'sync/completed'])
    expect(await harness.state()).toMatchObject({ failures: 0, failureCode: null, failure: null })
  })

  it('is requested less and less often, down to once an hour', async () => {
    const engine = harness.engine({ intervalMs: 15_000 })
    const pauses: number[] = []
    for (const failures of [0, 1, 2, 5, 30]) {
      await harness.database.prisma.syncState.updateMany({ data: { failures } })
      harness.app.faults.push(...repeatFault({ kind: 'status', status: 500 }))
      await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
      pauses.push((await harness.state()).dueAt.getTime() - Date.now())
    }
    for (const [place, expected] of [15_000, 30_000, 60_000, 480_000, 3_600_000].entries()) {
      expect(pauses[place]).toBeGreaterThan(expected * 0.85)
      expect(pauses[place]).toBeLessThan(expected * 1.15)
    }
  })

  it('is listed from the beginning after three failures at one cursor', async () => {
    harness.app.fill(15)
    harness.app.faults.push(undefined)
    const engine = harness.engine()
    for (let run = 0; run < 3; run++) {
      harness.app.faults.push(...repeatFault({ kind: 'status', status: 500 }))
      await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    }
    const requestsBefore = harness.app.requests.length
    await engine.syncNow(harness.credentialId)
    expect(harness.app.requests[requestsBefore]?.cursor).toBeNull()
    await expectConverged()
  })
})

describe('a rate limit', () => {
  it('is waited out within the run for as long as the app demands', async () => {
    harness.app.fill(15)
    harness.app.faults.push(undefined, {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '1' },
    })
    await harness.engine().syncNow(harness.credentialId)
    const [, refused, again] = harness.app.requests
    expect((again?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(1000)
    await expectConverged()
  })

  it('with a long wait ends the run without a reported failure', async () => {
    harness.app.fill(15)
    harness.app.faults.push(undefined, {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '1800' },
    })
    const engine = harness.engine()
    expect(await failureOf(engine.syncNow(harness.credentialId))).toMatchObject({
      code: 'APP_RATE_LIMITED',
    })
    const dueInMs = (await harness.state()).dueAt.getTime() - Date.now()
    expect(dueInMs).toBeGreaterThan(1_790_000)
    expect(dueInMs).toBeLessThan(1_801_000)
    expect((await harness.readLog()).filter(({ topic }) => topic === 'sync/failed')).toEqual([])
    await engine.syncNow(harness.credentialId)
    await expectConverged()
  })
})

describe('an app that does not answer', () => {
  it('fails the run at the deadline and keeps what was stored', async () => {
    harness.app.fill(15)
    harness.app.faults.push(undefined, { kind: 'hang' })
    const appClient = createAppClient({
      ...quickClient,
      deadlineMs: 200,
      maxRetries: 0,
      allowPrivateAddresses: true,
    })
    const engine = harness.engine({ appClient })
    expect(await failureOf(engine.syncNow(harness.credentialId))).toMatchObject({
      code: 'APP_UNAVAILABLE',
      problem: 'deadline',
    })
    await engine.syncNow(harness.credentialId)
    await expectConverged()
    await appClient.stop()
  })
})

describe('a malformed response', () => {
  it('fails the run, keeps its text out of the error and the log, and leaves the data unchanged', async () => {
    harness.app.fill(5)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    harness.app.faults.push({ kind: 'other-form' })
    expect(await failureOf(engine.syncNow(harness.credentialId))).toMatchObject({
      problem: 'malformed',
    })
    expect(harness.log.lines.join()).not.toContain('maintenance')
    await expectConverged()
  })
})

describe('pages that repeat', () => {
  it('with the same cursor fail the run immediately and leave the data unchanged', async () => {
    harness.app.fill(35)
    harness.app.faults.push(undefined, { kind: 'loop' }, { kind: 'loop' })
    const engine = harness.engine()
    const failure = await failureOf(engine.syncNow(harness.credentialId))
    expect(failure).toMatchObject({ code: 'LISTING_LOOP' })
    expect(harness.app.requests).toHaveLength(2)
    await engine.syncNow(harness.credentialId)
    await expectConverged()
  })

  it('with the same records under new cursors fail the run soon', async () => {
    harness.app.fill(35)
    harness.app.settings.paging = 'ignored'
    const engine = harness.engine()
    const failure = await failureOf(engine.syncNow(harness.credentialId))
    expect(failure).toMatchObject({ code: 'LISTING_LOOP' })
    // Some twenty pages and those read ahead: at most 1,000 records.
    expect(harness.app.requests.length).toBeLessThan(22 + 1000 / 10)
    harness.app.settings.paging = 'keyset'
    await engine.syncNow(harness.credentialId)
    await expectConverged()
  })
})

describe('a credential that the app no longer accepts', () => {
  it('is reported once and retried rarely, and no secret is logged', async () => {
    harness.app.fill(5)
    const engine = harness.engine()
    await engine.syncNow(harness.credentialId)
    harness.app.settings.token = 'another'
    for (let run = 0; run < 3; run++)
      await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    const log = await harness.readLog()
    const logged = log.filter(({ topic }) => topic === 'connection/authentication_failure')
    expect(logged).toHaveLength(1)
    expect(logged[0]?.record).toMatchObject({ credentialId: harness.credentialId, app: 'fake' })
    const dueInMs = (await harness.state()).dueAt.getTime() - Date.now()
    expect(dueInMs).toBeGreaterThan(3_000_000)
    // The app repeats the header that it rejects.
    const everything = JSON.stringify([log, await harness.state()]) + harness.log.lines.join()
    expect(everything).not.toContain('the-token')
    expect(everything).toContain('[redacted]')
  })

  it('is reported again if the app accepted it in between', async () => {
    const engine = harness.engine()
    for (const token of ['another', 'the-token', 'a-third']) {
      harness.app.settings.token = token
      await engine.syncNow(harness.credentialId).catch(() => {})
    }
    const topics = (await harness.readLog()).map(({ topic }) => topic)
    expect(topics.filter((topic) => topic === 'connection/authentication_failure')).toHaveLength(2)
  })
})

it('carries 300 records through a mix of faults', async () => {
  harness.app.fill(300)
  const kinds: (Fault | undefined)[] = [
    ...faults.map(([, fault]) => fault),
    { kind: 'twice' },
    { kind: 'other-form' },
    { kind: 'loop' },
    undefined,
  ]
  let dice = 7
  for (let place = 0; place < 150; place++) {
    dice = (dice * 1_103_515_245 + 12_345) % 2_147_483_648
    harness.app.faults.push(kinds[dice % kinds.length])
  }
  const engine = harness.engine()
  let runs = 0
  while (harness.app.faults.length > 0 && runs < 100) {
    runs += 1
    await engine.syncNow(harness.credentialId).catch(() => {})
  }
  await engine.syncNow(harness.credentialId)
  await expectConverged()
})

it('a database outage in the middle of a run is not reported as a failure of the app', async () => {
  harness.app.fill(35)
  const running = await harness.database.transaction(async (transaction) => {
    await lockRecords(transaction, harness.credentialId, catalogue.get(TOPIC))
    const run = harness.engine({ leaseMs: 1000 }).syncNow(harness.credentialId)
    await untilWaitingForLock(harness)
    await transaction.prisma.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    return { run }
  })
  // It is repeated once its lease has expired.
  await running.run
  expect(await harness.state()).toMatchObject({ failures: 0, failureCode: null })
  await expectConverged()
  expect((await harness.readLog()).filter(({ topic }) => topic === 'sync/failed')).toEqual([])
})
