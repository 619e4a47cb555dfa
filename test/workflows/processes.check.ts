/** Processes killed in the middle of runs lose nothing and write nothing twice. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createChildren, kill } from '../support/children.ts'
import { ordersToNotes } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import { install, openWorkflowHarness, type WorkflowHarness } from './workflow-harness.ts'

const SCRIPT = fileURLToPath(new URL('workflow-process.ts', import.meta.url))
const KILLS = 50

let harness: WorkflowHarness
const children = createChildren()

// A database per test: statements of a killed process run on in PostgreSQL for a moment and hold locks.
beforeEach(async () => {
  harness = await openWorkflowHarness()
})
afterEach(async () => {
  await children.killAll()
  await harness.close()
})

const startProcess = (options: object): ChildProcess =>
  children.start(SCRIPT, [harness.url, JSON.stringify(options)])

test(`${KILLS} kills among changes and writes lose nothing, write nothing twice and keep the order`, async () => {
  await install(harness.database, harness.customer, [ordersToNotes({ noteTitle: '{orderNumber}' })])
  const options = { leaseMs: 300 }
  // Changes before the first start of the log reader are not read.
  await (await harness.engine()).stop()
  let version = 0
  const change = async (): Promise<void> => {
    version += 1
    for (let n = 0; n < 5; n++) await harness.change(n, { orderNumber: `${n}/${version}` })
  }
  for (let round = 0; round < KILLS; round++) {
    const child = startProcess(options)
    const changing = change()
    // After a different number of messages each time: before a write, after it, between several.
    for (let heard = 0; heard <= round % 5; heard++) await once(child, 'message')
    await wait(round % 7)
    await kill(child)
    await changing
  }
  startProcess(options)
  await change()
  const runs = await harness.settled(5 * version)
  expect(runs.every(({ status }) => status === 'succeeded')).toBe(true)
  const writes = await listWrites(harness.database)
  expect(writes.filter(({ action }) => action === 'create')).toHaveLength(5)
  for (let n = 0; n < 5; n++) {
    const writesOfRound = writes.filter(({ input }) => String(input.noteTitle).startsWith(`${n}/`))
    const versions = writesOfRound.map(({ input }) => Number(String(input.noteTitle).split('/')[1]))
    expect(versions).toEqual(Array.from({ length: version }, (_, index) => index + 1))
    expect(new Set(writesOfRound.map(({ recordId }) => recordId)).size).toBe(1)
  }
}, 240_000)

test('another process takes over a run within 30 s after its process is killed', async () => {
  await install(harness.database, harness.customer, [ordersToNotes({ noteTitle: '{orderNumber}' })])
  const victim = startProcess({ hang: true })
  const heard = once(victim, 'message')
  // Changes before the log reader starts are not read.
  await expect.poll(() => harness.database.prisma.logReader.count(), { timeout: 60_000 }).toBe(1)
  await harness.change(1, { orderNumber: 'A1' })
  await heard
  await kill(victim)
  const killedMs = performance.now()
  await once(startProcess({}), 'message')
  expect(performance.now() - killedMs).toBeLessThan(30_000)
  expect(await harness.settled(1)).toMatchObject([{ status: 'succeeded', attempts: 2 }])
}, 120_000)
