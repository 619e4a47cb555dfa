/** The history of runs can be listed by its owner for as long as it is kept. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listRuns } from '../../src/store/workflows/workflow-history.ts'
import { pruneRuns } from '../../src/store/workflows/workflow-runs.ts'
import { ordersToNotes } from './apps.ts'
import {
  addCustomer,
  install,
  openWorkflowHarness,
  type WorkflowHarness,
} from './workflow-harness.ts'

let harness: WorkflowHarness
let installation: Awaited<ReturnType<typeof install>>

beforeAll(async () => {
  harness = await openWorkflowHarness()
  const definition = ordersToNotes({ noteTitle: '{orderNumber}' })
  installation = await install(harness.database, harness.customer, [definition, definition])
  await harness.engine()
  for (let n = 0; n < 5; n++) await harness.change(n, { orderNumber: `A${n}` })
  await harness.settled(10)
})
afterAll(() => harness.close())

test('lists runs newest first, page by page', async () => {
  const { environmentId } = harness.customer
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await listRuns(harness.database, { environmentId, cursor, limit: 4 })
    ids.push(...page.runs.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== undefined)
  expect(ids).toEqual((await harness.runs()).map(({ id }) => id).toReversed())
  expect(ids).toHaveLength(10)
})

test('lists the runs of one workflow or status, and of no other environment', async () => {
  const { environmentId } = harness.customer
  const list = async (query: object) =>
    (await listRuns(harness.database, { environmentId, limit: 100, ...query })).runs.length
  const { installationId, workflowIds } = installation
  const [workflowId] = workflowIds
  expect(await list({ installationId })).toBe(10)
  expect(await list({ installationId, workflowId })).toBe(5)
  expect(await list({ status: 'failed' })).toBe(0)
  expect(await list({ status: 'succeeded' })).toBe(10)
  const other = await addCustomer(harness.database)
  expect(await list({ environmentId: other.environmentId, installationId })).toBe(0)
})

test.each(['', 'x', 'cjE', `${'A'.repeat(1000)}`, 'cjk5OTk5OTk5OTk5OTk5OTk5OTk'])(
  'rejects an invalid cursor by name: %#',
  async (cursor) => {
    const { environmentId } = harness.customer
    const listing = listRuns(harness.database, { environmentId, cursor, limit: 1 })
    // `cjE` is valid: the cursor of the first run.
    if (cursor === 'cjE')
      await expect(listing).resolves.toMatchObject({ runs: [], next: undefined })
    else
      await expect(listing).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
        details: [{ field: 'cursor' }],
      })
  },
)

test('deletes runs that ended long ago and keeps those that have not ended', async () => {
  const { prisma } = harness.database
  const [first, second] = await harness.runs()
  const old = new Date(Date.now() - 40 * 86_400_000)
  await prisma.workflowRun.update({ where: { id: first?.id ?? '' }, data: { finishedAt: old } })
  await prisma.workflowRun.update({
    where: { id: second?.id ?? '' },
    data: { finishedAt: null, createdAt: old, status: 'waiting', dueAt: new Date(2100, 1) },
  })
  expect(await pruneRuns(harness.database, 30)).toBe(1)
  expect(await pruneRuns(harness.database, 30)).toBe(0)
  expect((await harness.runs()).map(({ id }) => id)).not.toContain(first?.id)
  expect(await harness.runs()).toHaveLength(9)
})

test('deletes expired runs soon after a process starts', async () => {
  const { prisma } = harness.database
  const [first] = await harness.runs()
  const old = new Date(Date.now() - 40 * 86_400_000)
  await prisma.workflowRun.update({ where: { id: first?.id ?? '' }, data: { finishedAt: old } })
  await harness.engine()
  await expect.poll(async () => (await harness.runs()).map(({ id }) => id)).not.toContain(first?.id)
})
