import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { lockRecords } from '../../src/store/records/apply-changes.ts'
import type { Fault } from '../support/fake-app.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'
import { openWorkshop, TOPIC, type Workshop } from './workshop.ts'
import { quickClient } from './workshop-log.ts'

let shop: Workshop

beforeEach(async () => {
  shop = await openWorkshop()
  shop.app.settings.pageSize = 10
})

afterEach(() => shop.close())

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
  const stored = await shop.records()
  const held = [...shop.app.rows.values()].sort((a, b) => Number(a.id) - Number(b.id))
  expect(stored.map(({ remoteId, name }) => [remoteId, name])).toEqual(
    held.map(({ id, name }) => [id, name]),
  )
  const created = (await shop.logged()).filter(
    ({ topic, kind }) => topic === TOPIC && kind === 'created',
  )
  expect(new Set(created.map(({ recordId }) => recordId)).size).toBe(held.length)
  expect(created).toHaveLength(held.length)
}

/** Fails once more often than the client tries. */
const lasting = (fault: Fault): Fault[] => Array.from({ length: 4 }, () => fault)

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
    shop.app.fill(35)
    shop.app.faults.push(undefined, fault)
    await shop.engine().syncNow(shop.credentialId)
    expect(shop.app.requests).toHaveLength(5)
    await expectConverged()
  })

  it('for longer fails the run, which resumes from its last page', async () => {
    shop.app.fill(35)
    shop.app.faults.push(undefined, undefined, ...lasting(fault))
    const engine = shop.engine()
    await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
    expect(await shop.records()).toHaveLength(20)
    const requestsBefore = shop.app.requests.length
    await engine.syncNow(shop.credentialId)
    expect(shop.app.requests[requestsBefore]?.cursor).toMatch(/\|20$/)
    await expectConverged()
  })
})

describe('an app that fails for long', () => {
  it('is reported once in the change log, and so is its recovery', async () => {
    shop.app.fill(5)
    const engine = shop.engine()
    await engine.syncNow(shop.credentialId)
    const before = (await shop.logged()).length
    for (let run = 0; run < 3; run++) {
      shop.app.faults.push(...lasting({ kind: 'status', status: 500 }))
      await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
    }
    expect(await shop.state()).toMatchObject({ failures: 3 })
    await engine.syncNow(shop.credentialId)
    const logged = (await shop.logged()).slice(before)
    expect(logged.map(({ topic }) => topic)).toEqual(['sync/failed', 'sync/completed'])
    expect(logged[0]?.record).toMatchObject({ resource: TOPIC, code: 'APP_UNAVAILABLE' })
    await expectConverged()
  })

  it('is reported once although rate limits occur in between, and so is its recovery', async () => {
    shop.app.fill(5)
    const engine = shop.engine()
    await engine.syncNow(shop.credentialId)
    const before = (await shop.logged()).length
    for (const status of [500, 429, 500, 429]) {
      shop.app.faults.push(...lasting({ kind: 'status', status, headers: { 'retry-after': '0' } }))
      await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
    }
    expect(await shop.state()).toMatchObject({ failures: 4, failureCode: 'APP_UNAVAILABLE' })
    await engine.syncNow(shop.credentialId)
    const logged = (await shop.logged()).slice(before)
    expect(logged.map(({ topic }) => topic)).toEqual(['sync/failed', 'sync/completed'])
    expect(await shop.state()).toMatchObject({ failures: 0, failureCode: null, failure: null })
  })

  it('is requested less and less often, down to once an hour', async () => {
    const engine = shop.engine({ intervalMs: 15_000 })
    const pauses: number[] = []
    for (const failures of [0, 1, 2, 5, 30]) {
      await shop.database.prisma.syncState.updateMany({ data: { failures } })
      shop.app.faults.push(...lasting({ kind: 'status', status: 500 }))
      await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
      pauses.push((await shop.state()).dueAt.getTime() - Date.now())
    }
    for (const [place, expected] of [15_000, 30_000, 60_000, 480_000, 3_600_000].entries()) {
      expect(pauses[place]).toBeGreaterThan(expected * 0.85)
      expect(pauses[place]).toBeLessThan(expected * 1.15)
    }
  })

  it('is listed from the beginning after three failures at one cursor, which may have expired', async () => {
    shop.app.fill(15)
    shop.app.faults.push(undefined)
    const engine = shop.engine()
    for (let run = 0; run < 3; run++) {
      shop.app.faults.push(...lasting({ kind: 'status', status: 500 }))
      await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
    }
    const requestsBefore = shop.app.requests.length
    await engine.syncNow(shop.credentialId)
    expect(shop.app.requests[requestsBefore]?.cursor).toBeNull()
    await expectConverged()
  })
})

describe('a rate limit', () => {
  it('is waited out within the run for as long as the app demands', async () => {
    shop.app.fill(15)
    shop.app.faults.push(undefined, {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '1' },
    })
    await shop.engine().syncNow(shop.credentialId)
    const [, refused, again] = shop.app.requests
    expect((again?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(1000)
    await expectConverged()
  })

  it('with a long wait ends the run without a reported failure', async () => {
    shop.app.fill(15)
    shop.app.faults.push(undefined, {
      kind: 'status',
      status: 429,
      headers: { 'retry-after': '1800' },
    })
    const engine = shop.engine()
    expect(await failureOf(engine.syncNow(shop.credentialId))).toMatchObject({
      code: 'APP_RATE_LIMITED',
    })
    const dueInMs = (await shop.state()).dueAt.getTime() - Date.now()
    expect(dueInMs).toBeGreaterThan(1_790_000)
    expect(dueInMs).toBeLessThan(1_801_000)
    expect((await shop.logged()).filter(({ topic }) => topic === 'sync/failed')).toEqual([])
    await engine.syncNow(shop.credentialId)
    await expectConverged()
  })
})

describe('an app that does not answer', () => {
  it('fails the run at the deadline and keeps what was stored', async () => {
    shop.app.fill(15)
    shop.app.faults.push(undefined, { kind: 'hang' })
    const appClient = createAppClient({
      ...quickClient,
      deadlineMs: 200,
      maxRetries: 0,
      allowPrivateAddresses: true,
    })
    const engine = shop.engine({ appClient })
    expect(await failureOf(engine.syncNow(shop.credentialId))).toMatchObject({
      code: 'APP_UNAVAILABLE',
      problem: 'deadline',
    })
    await engine.syncNow(shop.credentialId)
    await expectConverged()
    await appClient.stop()
  })
})

describe('a malformed response', () => {
  it('fails the run, keeps its text out of the error and the log, and leaves the data unchanged', async () => {
    shop.app.fill(5)
    const engine = shop.engine()
    await engine.syncNow(shop.credentialId)
    shop.app.faults.push({ kind: 'other-form' })
    expect(await failureOf(engine.syncNow(shop.credentialId))).toMatchObject({
      problem: 'malformed',
    })
    expect(shop.log.lines.join()).not.toContain('maintenance')
    await expectConverged()
  })
})

describe('pages that repeat', () => {
  it('with the same cursor fail the run immediately and leave the data unchanged', async () => {
    shop.app.fill(35)
    shop.app.faults.push(undefined, { kind: 'loop' }, { kind: 'loop' })
    const engine = shop.engine()
    const failure = await failureOf(engine.syncNow(shop.credentialId))
    expect(failure).toMatchObject({ code: 'LISTING_LOOP' })
    expect(shop.app.requests).toHaveLength(2)
    await engine.syncNow(shop.credentialId)
    await expectConverged()
  })

  it('with the same records under new cursors fail the run soon', async () => {
    shop.app.fill(35)
    shop.app.settings.paging = 'ignored'
    const engine = shop.engine()
    const failure = await failureOf(engine.syncNow(shop.credentialId))
    expect(failure).toMatchObject({ code: 'LISTING_LOOP' })
    // Some twenty pages and those read ahead: at most 1,000 records.
    expect(shop.app.requests.length).toBeLessThan(22 + 1000 / 10)
    shop.app.settings.paging = 'keyset'
    await engine.syncNow(shop.credentialId)
    await expectConverged()
  })
})

describe('a credential that the app no longer accepts', () => {
  it('is reported once and retried rarely, and no secret is logged', async () => {
    shop.app.fill(5)
    const engine = shop.engine()
    await engine.syncNow(shop.credentialId)
    shop.app.settings.token = 'another'
    for (let run = 0; run < 3; run++)
      await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
    const log = await shop.logged()
    const logged = log.filter(({ topic }) => topic === 'connection/authentication_failure')
    expect(logged).toHaveLength(1)
    expect(logged[0]?.record).toMatchObject({ credentialId: shop.credentialId, app: 'fake' })
    const dueInMs = (await shop.state()).dueAt.getTime() - Date.now()
    expect(dueInMs).toBeGreaterThan(3_000_000)
    // The app repeats the header that it rejects.
    const everything = JSON.stringify([log, await shop.state()]) + shop.log.lines.join()
    expect(everything).not.toContain('the-token')
    expect(everything).toContain('[redacted]')
  })

  it('is reported again if the app accepted it in between', async () => {
    const engine = shop.engine()
    for (const token of ['another', 'the-token', 'a-third']) {
      shop.app.settings.token = token
      await engine.syncNow(shop.credentialId).catch(() => {})
    }
    const topics = (await shop.logged()).map(({ topic }) => topic)
    expect(topics.filter((topic) => topic === 'connection/authentication_failure')).toHaveLength(2)
  })
})

it('carries 300 records through a mix of faults', async () => {
  shop.app.fill(300)
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
    shop.app.faults.push(kinds[dice % kinds.length])
  }
  const engine = shop.engine()
  let runs = 0
  while (shop.app.faults.length > 0 && runs < 100) {
    runs += 1
    await engine.syncNow(shop.credentialId).catch(() => {})
  }
  await engine.syncNow(shop.credentialId)
  await expectConverged()
})

it('a database outage in the middle of a run is not reported as a failure of the app', async () => {
  shop.app.fill(35)
  const running = await shop.database.transaction(async (transaction) => {
    await lockRecords(transaction, shop.credentialId, catalogue.get(TOPIC))
    const run = shop.engine({ leaseMs: 1000 }).syncNow(shop.credentialId)
    await waitingForLock(shop)
    await transaction.prisma.$queryRaw`
      SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    return { run }
  })
  // It is repeated once its lease has expired.
  await running.run
  expect(await shop.state()).toMatchObject({ failures: 0, failureCode: null })
  await expectConverged()
  expect((await shop.logged()).filter(({ topic }) => topic === 'sync/failed')).toEqual([])
})
