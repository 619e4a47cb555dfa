/** Two workflows that copy both ways make no copies of copies, whoever tells first of what was written. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { ordersToNotes, workflow } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import { install, notes, openWorkshop, type Workshop } from './workshop.ts'

let shop: Workshop
let back: string | undefined

beforeAll(async () => {
  shop = await openWorkshop()
})
beforeEach(async () => {
  const notesToOrders = workflow(
    { app: 'crm', topic: 'crm/notes' },
    {
      upsert: {
        app: 'shop',
        resource: 'commerce/orders',
        fields: { orderNumber: { from: 'noteTitle' } },
      },
    },
  )
  const { workflowIds } = await install(shop.database, shop.customer, [
    ordersToNotes({ noteTitle: { from: 'orderNumber' } }),
    notesToOrders,
  ])
  back = workflowIds[1]
})
afterEach(() => shop.empty())
afterAll(() => shop.close())

/** The sync brings in what a workflow has just written, before the writer has stored it. */
const list = (row: RecordRow) => shop.change(1, row, { resource: notes, of: shop.customer.crm })
const until = <T>(read: () => Promise<T>) => expect.poll(read, { interval: 20 })
/** Until the way back has been attempted for what the sync has brought in. */
const wayBackAttempted = () =>
  until(async () => {
    const [run] = (await shop.runs()).filter(({ workflowId }) => workflowId === back)
    return run !== undefined && run.startedAt !== null && run.status !== 'running'
  }).toBe(true)
const allEnded = () =>
  until(async () => (await shop.runs()).map(({ status }) => status)).toSatisfy(
    (statuses: readonly string[]) =>
      statuses.length > 1 && statuses.every((status) => status === 'succeeded'),
  )
const expectNoCopy = async (orderId: string): Promise<void> => {
  const [note, ...others] = await listWrites(shop.database)
  expect(note).toMatchObject({ action: 'create', topic: 'crm/notes' })
  for (const { action, recordId } of others) {
    expect(action).toBe('update')
    expect([orderId, note?.recordId]).toContain(recordId)
  }
  expect(others[0]?.recordId).toBe(orderId)
}

test('what the sync stores before the writer does is not copied back', async () => {
  await shop.engine({
    inApp: async (row) => {
      if (!('noteTitle' in row)) return
      await list(row)
      await wayBackAttempted()
    },
  })
  const orderId = await shop.change(1, { orderNumber: 'A1' })
  await allEnded()
  await expectNoCopy(orderId)
})

test('nor what a broken-off run has written, once the sync has found it', async () => {
  let isBrokenOff = false
  await shop.engine(
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
  const orderId = await shop.change(1, { orderNumber: 'A1' })
  await wayBackAttempted()
  await until(async () => (await shop.runs())[0]?.status).toBe('waiting')
  const [first] = await shop.runs()
  await shop.database.prisma.workflowRun.update({
    where: { id: first?.id ?? '' },
    data: { dueAt: new Date() },
  })
  await allEnded()
  await expectNoCopy(orderId)
  // Waiting for the other is no attempt.
  const [wayBack] = (await shop.runs()).filter(({ workflowId }) => workflowId === back)
  expect(wayBack).toMatchObject({ attempts: 1, failure: null })
})
