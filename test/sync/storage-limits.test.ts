/** The storage of each credential is counted and limited. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.settings.pageSize = 10
})

afterEach(() => harness.close())

const failureOf = (run: Promise<void>): Promise<unknown> =>
  run.then(
    () => undefined,
    (error: AggregateError) => error.errors[0],
  )

const readTotals = async () => {
  const { prisma } = harness.database
  const [stored] = await prisma.$queryRaw<{ records: number; bytes: number; log: number }[]>`
    SELECT count(*)::integer AS records, sum(octet_length(document))::integer AS bytes,
      (SELECT sum(octet_length(record::text))::integer FROM change_log.changes
        WHERE topic = ${TOPIC}) AS log FROM crm_accounts`
  const [counted] = await prisma.$queryRaw<{ records: number; bytes: number; log: number }[]>`
    SELECT t.records::integer, t.bytes::integer,
      (SELECT sum(bytes)::integer FROM change_totals) AS log FROM record_totals t`
  return { stored, counted }
}

it('counts records that are created, changed and deleted', async () => {
  const engine = harness.engine({ sync: { deletions: 'compared', fullListingEveryMs: 0 } })
  harness.app.fill(25)
  await engine.syncNow(harness.credentialId)
  harness.app.put('3', { name: 'A much longer name than it had before' })
  harness.app.rows.delete('4')
  await engine.syncNow(harness.credentialId)
  await engine.syncNow(harness.credentialId)
  const { stored, counted } = await readTotals()
  expect(counted?.records).toBe(25)
  expect(counted?.log).toBe(stored?.log)
  // A record marked as deleted stores `true` in place of `false`.
  expect(counted?.bytes).toBe((stored?.bytes ?? 0) + 1)
})

it('the first run counts what an earlier version stored', async () => {
  const engine = harness.engine()
  harness.app.fill(25)
  await engine.syncNow(harness.credentialId)
  await harness.database.prisma.recordTotal.deleteMany()
  harness.app.put('26')
  await engine.syncNow(harness.credentialId)
  const { stored, counted } = await readTotals()
  expect([counted?.records, counted?.bytes]).toEqual([26, stored?.bytes])
})

it('an endless list stops at the record limit, is reported once, and is not retried soon', async () => {
  harness.app.settings.endless = () => true
  const limits = { maxRecords: 2_000, maxBytes: 1e12 }
  const engine = harness.engine({ limits })
  const failure = await failureOf(engine.syncNow(harness.credentialId))
  expect(failure).toMatchObject({ code: 'LIMIT_REACHED' })
  const stored = (await harness.records()).length
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThanOrEqual(2_000)
  await failureOf(engine.syncNow(harness.credentialId))

  const state = await harness.state()
  expect(state).toMatchObject({ failureCode: 'LIMIT_REACHED' })
  expect(state.failure).toContain('the limit is 2,000 (MAX_RECORDS_PER_CREDENTIAL)')
  expect(state.dueAt.getTime()).toBeGreaterThan(Date.now() + 45 * 60_000)
  const events = (await harness.readLog()).filter(({ topic }) => topic === 'sync/failed')
  expect(events.map(({ record }) => record)).toMatchObject([
    {
      code: 'LIMIT_REACHED',
      resource: TOPIC,
      reason: expect.stringContaining('MAX_RECORDS_PER_CREDENTIAL'),
    },
  ])
})

it('resumes where it stopped once a process starts with a higher limit', async () => {
  harness.app.fill(60)
  const small = { maxRecords: 25, maxBytes: 1e12 }
  harness.app.settings.delayMs = 20
  expect(
    await failureOf(harness.engine({ limits: small }).syncNow(harness.credentialId)),
  ).toMatchObject({
    code: 'LIMIT_REACHED',
  })
  const { length: stored } = await harness.records()
  // Two pages fit, stored together or one by one.
  expect([10, 20]).toContain(stored)
  const requestsBefore = harness.app.requests.length
  await harness.engine({ limits: { ...small, maxRecords: 100 } }).start()
  await expect
    .poll(async () => (await harness.state()).completedAt, { timeout: 60_000 })
    .not.toBeNull()
  expect(await harness.state()).toMatchObject({ failureCode: null, failure: null })
  expect(await harness.records()).toHaveLength(60)
  expect(harness.app.requests[requestsBefore]?.cursor).toMatch(new RegExp(`\\|${stored}$`))
  const topics = (await harness.readLog())
    .map(({ topic }) => topic)
    .filter((topic) => topic !== TOPIC)
  expect(topics).toEqual(['sync/started', 'sync/failed', 'sync/completed'])
})

it('constantly changing records stop at the byte limit of the change log', async () => {
  harness.app.fill(10)
  const engine = harness.engine({ limits: { maxRecords: 1e9, maxBytes: 20_000 } })
  let failure: unknown
  for (let round = 0; round < 50 && failure === undefined; round++) {
    for (let id = 1; id <= 10; id++) harness.app.put(String(id), { name: `Round ${round}` })
    failure = await failureOf(engine.syncNow(harness.credentialId))
  }
  expect(failure).toMatchObject({ code: 'LIMIT_REACHED' })
  expect(String(failure)).toContain('the limit is 20,000 (MAX_BYTES_PER_CREDENTIAL)')
  const { stored } = await readTotals()
  expect((stored?.bytes ?? 0) + (stored?.log ?? 0)).toBeLessThanOrEqual(20_000)
})

it('at the limit, changes that add no record are still stored', async () => {
  harness.app.fill(20)
  const engine = harness.engine({ limits: { maxRecords: 20, maxBytes: 1e12 } })
  await engine.syncNow(harness.credentialId)
  harness.app.put('7', { name: 'Renamed' })
  await engine.syncNow(harness.credentialId)
  expect((await harness.records())[6]?.name).toBe('Renamed')
})
