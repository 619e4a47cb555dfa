/** Syncs in several processes, some of them killed. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAX_BATCH } from '../../src/store/records/apply-changes.ts'
import { createChildren, kill } from '../support/children.ts'
import { addCredential, openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'
import { fillWindows } from './windowed.ts'

const SCRIPT = fileURLToPath(new URL('sync-process.ts', import.meta.url))

let harness: SyncHarness
const children = createChildren()

beforeEach(async () => {
  harness = await openSyncHarness()
})

afterEach(async () => {
  await children.killAll()
  await harness.close()
})

const startProcess = (options: object, credentialId?: string): ChildProcess => {
  const args = [harness.url, JSON.stringify(options), ...(credentialId ? [credentialId] : [])]
  return children.start(SCRIPT, args)
}

const until = async (isReached: () => boolean, limitMs: number): Promise<void> => {
  const end = performance.now() + limitMs
  while (!isReached()) {
    if (performance.now() > end) throw new Error(`Not reached within ${limitMs} ms.`)
    await wait(5)
  }
}

it.each([
  [100, 'page by page', false],
  [30, 'in windows, several pages at the same time', true],
])(
  '%i kills during a listing of 5,000 records lose no record and log none twice, %s',
  async (kills, _how, isWindowed) => {
    const { app } = harness
    if (isWindowed) fillWindows(app, 5000)
    else app.fill(5000)
    app.settings.pageSize = Math.max(10, Math.floor(5000 / (kills * 5)))
    const options = { leaseMs: 300, isWindowed }
    for (let round = 0; round < kills; round++) {
      const requestsBefore = app.requests.length
      const child = startProcess(options, harness.credentialId)
      // The kill hits another page in each round, and so another moment of a page.
      await until(() => app.requests.length > requestsBefore + (round % 4), 60_000)
      await wait(round % 7)
      await kill(child)
    }
    const last = startProcess(options, harness.credentialId)
    expect(await once(last, 'message')).toEqual(['done', undefined])

    const records = await harness.records()
    expect(records.map(({ remoteId }) => remoteId)).toEqual([...app.rows.keys()])
    const log = await harness.readLog()
    const created = log.filter(({ topic, kind }) => topic === TOPIC && kind === 'created')
    expect(created).toHaveLength(5000)
    expect(new Set(created.map(({ recordId }) => recordId)).size).toBe(5000)
    const events = log.filter(({ topic }) => topic !== TOPIC).map(({ topic }) => topic)
    expect(events).toEqual(['sync/started', 'sync/completed'])
    // Each kill costs the uncommitted records: at most two batches.
    const { pageSize } = app.settings
    const lost = 2 * Math.ceil(MAX_BATCH / pageSize)
    // 5,000 records are in at most 256 windows of at most 50; before, as many were divided.
    const inVain = isWindowed ? 2 * 256 : 0
    expect(app.requests.length).toBeLessThanOrEqual(
      Math.ceil(5000 / pageSize) + inVain + kills * lost,
    )
  },
  600_000,
)

it('another process resumes a killed run within 30 s from its last page', async () => {
  const { app } = harness
  app.fill(5000)
  app.settings.delayMs = 100
  const processes = [startProcess({}), startProcess({})]
  await until(() => app.requests.length > 5, 60_000)
  const [first] = app.requests
  const victim = processes.find(({ pid }) => String(pid) === first?.caller)
  victim?.kill('SIGKILL')
  const killedMs = performance.now()
  const isOther = () => app.requests.at(-1)?.caller !== first?.caller
  await until(isOther, 60_000)
  const takeoverMs = performance.now() - killedMs
  console.log(`taken over after ${(takeoverMs / 1000).toFixed(1)} s`)
  expect(takeoverMs).toBeLessThan(30_000)
  expect(app.requests.at(-1)?.cursor).not.toBeNull()
}, 120_000)

it('never runs one resource of one credential in two processes at the same time', async () => {
  const { app, database } = harness
  app.fill(20)
  app.settings.pageSize = 10
  app.settings.delayMs = 10
  for (let place = 0; place < 6; place++)
    await addCredential(database, { url: `${app.url}/${place}`, token: app.settings.token })
  const processes = [1, 2].map(() => startProcess({ intervalMs: 20 }))
  await Promise.all(processes.map((child) => once(child, 'message')))
  // Each process looks for due runs once per second: some seven requests per second.
  await until(() => app.requests.length > 150, 120_000)
  for (const child of processes) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  expect(new Set(app.requests.map(({ caller }) => caller)).size).toBe(2)
  expect([...app.maxConcurrent.keys()]).toHaveLength(7)
  expect([...app.maxConcurrent.values()].every((maxRuns) => maxRuns === 1)).toBe(true)
}, 180_000)
