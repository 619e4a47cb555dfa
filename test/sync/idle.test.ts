/** Idle resources: polled less often, at few statements a poll. */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { endIdleness } from '../../src/store/sync/idle-runs.ts'
import { resyncCredential } from '../../src/store/sync/sync-control.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

const INTERVAL_MS = 1_000_000

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
  harness.app.fill(1)
})

afterEach(() => harness.close())

/** The number of idle runs, and the intervals until the next run. */
const readIdleness = async (): Promise<readonly [number, number]> => {
  const { idleRuns, dueAt, completedAt } = await harness.state()
  const dueInMs = dueAt.getTime() - (completedAt?.getTime() ?? Number.NaN)
  return [idleRuns, Math.round(dueInMs / INTERVAL_MS)]
}

it('polls an idle resource less often, until it changes, is written or is synchronized again', async () => {
  const { credentialId } = harness
  const engine = harness.engine({ intervalMs: INTERVAL_MS })
  const poll = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await engine.syncNow(credentialId)
  }
  await poll(1)
  expect(await readIdleness()).toEqual([0, 1])
  await poll(5)
  expect(await readIdleness()).toEqual([5, 2])

  harness.app.put('1', { name: 'Renamed' })
  await poll(1)
  expect(await readIdleness()).toEqual([0, 1])

  await poll(12)
  expect(await readIdleness()).toEqual([12, 8])
  await endIdleness(harness.database, credentialId, [TOPIC])
  expect(await readIdleness()).toEqual([0, 1])

  await poll(4)
  await harness.database.transaction((transaction) => resyncCredential(transaction, credentialId))
  expect(await readIdleness()).toEqual([0, 0])
})

it.each([
  ['paused', `due_at = 'infinity'`],
  ['failed', `failure_code = 'APP_UNAVAILABLE', due_at = '2099-01-01'`],
])('a write does not bring a %s sync forward', async (_state, assignments) => {
  const { prisma } = harness.database
  await prisma.$executeRawUnsafe(
    `UPDATE sync_states SET idle_runs = 12, completed_at = now(), ${assignments}`,
  )
  const readDue = () => prisma.$queryRaw`SELECT due_at::text FROM sync_states`
  const before = await readDue()
  await endIdleness(harness.database, harness.credentialId, [TOPIC])
  expect(await readDue()).toEqual(before)
})

it('takes one statement to acquire a run, one to load its credential and one to complete it, if nothing changed', async () => {
  const engine = harness.engine({ sync: { changes: { by: 'token' } } })
  await engine.syncNow(harness.credentialId)
  const before = harness.statements.length
  await engine.syncNow(harness.credentialId)
  const ofRun = harness.statements.slice(before).filter((text) => !/"completed_at" FROM/.test(text))
  expect(ofRun).toHaveLength(3)
})
