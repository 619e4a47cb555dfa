/** Two workflows that copy in both directions make no copies of copies, whichever event arrives first. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { defineWorkflow, ordersToNotes } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import { install, notes, openWorkflowHarness, type WorkflowHarness } from './workflow-harness.ts'

let harness: WorkflowHarness
let reverseId: string | undefined

beforeAll(async () => {
  harness = await openWorkflowHarness()
})
beforeEach(async () => {
  const notesToOrders = defineWorkflow(
    { app: 'crm', topic: 'crm/notes' },
    {
      upsert: {
        app: 'shop',
        resource: 'commerce/orders',
        fields: { orderNumber: { from: 'noteTitle' } },
      },
    },
  )
  const { workflowIds } = await install(harness.database, harness.customer, [
    ordersToNotes({ noteTitle: { from: 'orderNumber' } }),
    notesToOrders,
  ])
  reverseId = workflowIds[1]
})
afterEach(() => harness.empty())
afterAll(() => harness.close())

/** The sync stores a record that a workflow has just written, before the writer does. */
const list = (row: RecordRow) =>
  harness.change(1, row, { resource: notes, credentialId: harness.customer.crm })
const until = <T>(read: () => Promise<T>) => expect.poll(read, { interval: 20 })
/** Resolves when the reverse workflow has attempted the synced record. */
const untilReverseAttempt = () =>
  until(async () => {
    const [run] = (await harness.runs()).filter(({ workflowId }) => workflowId === reverseId)
    return run !== undefined && run.startedAt !== null && run.status !== 'running'
  }).toBe(true)
const untilAllEnded = () =>
  until(async () => (await harness.runs()).map(({ status }) => status)).toSatisfy(
    (statuses: readonly string[]) =>
      statuses.length > 1 && statuses.every((status) => status === 'succeeded'),
  )
const expectNoCopy = async (orderId: string): Promise<void> => {
  const [note, ...others] = await listWrites(harness.database)
  expect(note).toMatchObject({ action: 'create', topic: 'crm/notes' })
  for (const { action, recordId } of others) {
    expect(action).toBe('update')
    expect([orderId, note?.recordId]).toContain(recordId)
  }
  expect(others[0]?.recordId).toBe(orderId)
}

test('does not copy back a record that the sync stored before the writer', async () => {
  await harness.engine({
    inApp: async (row) => {
      if (!('noteTitle' in row)) return
      await list(row)
      await untilReverseAttempt()
    },
  })
  const orderId = await harness.change(1, { orderNumber: 'A1' })
  await untilAllEnded()
  await expectNoCopy(orderId)
})

test('does not copy back a record of an interrupted run that the sync found', async () => {
  let isBrokenOff = false
  await harness.engine(
    {
      inApp: async (row) => {
        if (isBrokenOff || !('noteTitle' in row)) return
        isBrokenOff = true
        await list(row)
        throw new Error('The process is gone.')
      },
    },
    { firstPauseMs: 600_000 },
  )
  const orderId = await harness.change(1, { orderNumber: 'A1' })
  await untilReverseAttempt()
  await until(async () => (await harness.runs())[0]?.status).toBe('waiting')
  const [first] = await harness.runs()
  await harness.database.prisma.workflowRun.update({
    where: { id: first?.id ?? '' },
    data: { dueAt: new Date() },
  })
  await untilAllEnded()
  await expectNoCopy(orderId)
  // Waiting for the other run does not count as an attempt.
  const [reverseRun] = (await harness.runs()).filter(({ workflowId }) => workflowId === reverseId)
  expect(reverseRun).toMatchObject({ attempts: 1, failure: null })
})
