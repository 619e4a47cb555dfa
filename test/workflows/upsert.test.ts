/** Changes of one app become records of another: once, in order, despite failures. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { AppRefusedError } from '../../src/outbound/app-error.ts'
import { defineWorkflow, ordersToNotes } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import {
  addCustomer,
  install,
  notes,
  openWorkflowHarness,
  orders,
  type WorkflowHarness,
} from './workflow-harness.ts'

let harness: WorkflowHarness

beforeAll(async () => {
  harness = await openWorkflowHarness()
})
afterEach(() => harness.empty())
afterAll(() => harness.close())

const titles = { noteTitle: 'Order {orderNumber}', noteContent: { from: 'orderStatus' } }
const readWrites = () => listWrites(harness.database)
const readWriteFacts = async () =>
  (await readWrites()).map(({ action, input }) => [action, input.noteTitle])

describe('an upsert', () => {
  test('creates a record on the first change and updates it on the next', async () => {
    const { workflowIds, installationId } = await install(harness.database, harness.customer, [
      ordersToNotes(titles),
    ])
    await harness.engine()
    const recordId = await harness.change(1, { orderNumber: 'A1', orderStatus: 'open' })
    await harness.settled(1)
    await harness.change(1, { orderNumber: 'A1', orderStatus: 'paid' })
    const runs = await harness.settled(2)
    const [created, updated] = await readWrites()
    expect([created?.action, updated?.action]).toEqual(['create', 'update'])
    expect(created?.input).toEqual({ noteTitle: 'Order A1', noteContent: 'open' })
    expect(updated?.input).toEqual({ noteTitle: 'Order A1', noteContent: 'paid' })
    expect(updated?.recordId).toBe(created?.recordId)
    expect(created?.credentialId).toBe(harness.customer.crm)
    expect(runs.map(({ kind }) => kind)).toEqual(['created', 'updated'])
    for (const run of runs)
      expect(run).toMatchObject({
        installationId,
        workflowId: workflowIds[0],
        version: 1,
        recordId,
        failure: null,
        status: 'succeeded',
        attempts: 1,
        targetRecordId: created?.recordId,
      })
  })

  test('writes nothing if the target already has the values', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    await harness.engine()
    await harness.change(1, { orderNumber: 'A1', orderStatus: 'open' })
    await harness.settled(1)
    await harness.change(1, { orderNumber: 'A1', orderStatus: 'open', totalPrice: '1' })
    await harness.settled(2)
    expect(await readWriteFacts()).toEqual([['create', 'Order A1']])
  })

  test('creates the record again after it was deleted in the app', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    await harness.engine()
    await harness.change(1, { orderNumber: 'A1', orderStatus: 'open' })
    await harness.settled(1)
    const [note] = await harness.database.prisma.$queryRaw<{ id: string; remoteId: string }[]>`
      SELECT id::text AS id, remote_id AS "remoteId" FROM crm_notes`
    const gone = { ...note, remoteDeleted: true }
    await harness.change(1, gone, { resource: notes, credentialId: harness.customer.crm })
    await harness.change(1, { orderNumber: 'A1', orderStatus: 'paid' })
    const [first, second] = await harness.settled(2)
    expect((await readWriteFacts()).map(([action]) => action)).toEqual(['create', 'create'])
    expect(second?.targetRecordId).not.toBe(first?.targetRecordId)
  })

  test('is not repeated if the app’s response is lost', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    let isLost = true
    await harness.engine({
      after: async () => {
        if (!isLost) return
        isLost = false
        throw new ApiError('WRITE_OUTCOME_UNKNOWN', 'crm broke off.')
      },
    })
    await harness.change(1, { orderNumber: 'A1' })
    const [run] = await harness.settled(1)
    expect(run).toMatchObject({ status: 'succeeded', attempts: 2 })
    expect(await readWriteFacts()).toEqual([['create', 'Order A1']])
  })

  test('writes its fields again if the record changed since an interrupted update', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    await harness.engine()
    await harness.change(1, { orderNumber: 'A1' })
    await harness.settled(1)
    await harness.stopEngines()
    await harness.change(1, { orderNumber: 'A2' })
    let isLost = true
    await harness.engine({
      before: async (_input, { interruptedSince }) => {
        // The lookup of the earlier attempt keeps returning the same error.
        if (interruptedSince) throw new ApiError('WRITE_CONFLICT', 'The note has changed since.')
        if (!isLost) return
        isLost = false
        throw new ApiError('WRITE_OUTCOME_UNKNOWN', 'crm broke off.')
      },
    })
    const [, run] = await harness.settled(2)
    expect(run).toMatchObject({ status: 'succeeded', attempts: 2 })
    expect(await readWriteFacts()).toEqual([
      ['create', 'Order A1'],
      ['update', 'Order A2'],
    ])
  })
})

describe('a trigger', () => {
  test('is a change of the right kind that meets the conditions, by the user who installed it', async () => {
    const { database, customer } = harness
    const other = await addCustomer(database)
    const when = { kinds: ['created'], if: { orderStatus: 'paid', totalPrice: 12.5 } }
    await install(database, customer, [ordersToNotes(titles, when)])
    await install(database, other, [ordersToNotes(titles)], { enabled: false })
    await harness.engine()
    await harness.change(1, { orderNumber: 'open', orderStatus: 'open', totalPrice: '12.5' })
    await harness.change(2, { orderNumber: 'paid', orderStatus: 'paid', totalPrice: '12.50' })
    await harness.change(2, { orderNumber: 'changed', orderStatus: 'paid', totalPrice: '12.5' })
    await harness.change(3, { orderNumber: 'other' }, { credentialId: other.shop })
    await harness.change(4, { orderNumber: 'last', orderStatus: 'paid', totalPrice: '12.5' })
    await harness.settled(2)
    // The changes of two records may be processed in either order.
    expect((await readWriteFacts()).sort()).toEqual([
      ['create', 'Order last'],
      ['create', 'Order paid'],
    ])
    expect(await harness.runs(other)).toEqual([])
  })

  test('is limited to the credential that the installation names, if it names one of the app', async () => {
    const { database, customer } = harness
    const second = await addCustomer(database)
    await database.prisma.credential.update({
      where: { id: second.shop },
      data: { userId: customer.userId, environmentId: customer.environmentId },
    })
    await install(database, customer, [ordersToNotes(titles)], { credentialIds: [second.shop] })
    await harness.engine()
    await harness.change(1, { orderNumber: 'first' })
    await harness.change(1, { orderNumber: 'second' }, { credentialId: second.shop })
    await harness.settled(1)
    expect(await readWriteFacts()).toEqual([['create', 'Order second']])
  })

  test('is never a record that existed before the installation', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    await harness.engine()
    await harness.change(1, { orderNumber: 'old', remoteCreatedAt: '2020-01-01T00:00:00.000Z' })
    await harness.change(2, { orderNumber: 'new', remoteCreatedAt: new Date().toISOString() })
    await harness.settled(1)
    expect(await readWriteFacts()).toEqual([['create', 'Order new']])
    await harness.change(1, { orderNumber: 'changed', remoteCreatedAt: '2020-01-01T00:00:00.000Z' })
    await harness.settled(2)
    expect((await readWriteFacts())[1]).toEqual(['create', 'Order changed'])
  })

  test('takes the same statements for 200 changes and 5 workflows as for one', async () => {
    const { database, customer } = harness
    await install(database, customer, [ordersToNotes(titles)])
    const engine = await harness.engine()
    await harness.change(0, { orderNumber: 'first' })
    await harness.settled(1)
    await engine.stop()
    const definitions = Array.from({ length: 4 }, () => ordersToNotes(titles))
    await install(database, customer, definitions)
    for (let n = 1; n <= 40; n++) await harness.change(n, { orderNumber: `A${n}` })
    harness.statements.length = 0
    await harness.engine()
    await harness.settled(201)
    const countStatements = (text: string) =>
      harness.statements.filter((sql) => sql.includes(text)).length
    expect(countStatements('FROM credentials c JOIN')).toBeLessThanOrEqual(2)
    expect(countStatements('INSERT INTO workflow_runs')).toBeLessThanOrEqual(2)
    expect(await readWrites()).toHaveLength(201)
  })
})

describe('several processes', () => {
  test('perform each run once', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    for (let place = 0; place < 3; place++) await harness.engine()
    const changes = Array.from({ length: 60 }, (_, n) =>
      harness.change(n, { orderNumber: `A${n}` }),
    )
    await Promise.all(changes)
    const runs = await harness.settled(60)
    expect(runs.every(({ attempts, status }) => attempts === 1 && status === 'succeeded')).toBe(
      true,
    )
    expect(new Set((await readWrites()).map(({ input }) => input.noteTitle)).size).toBe(60)
    expect(await readWrites()).toHaveLength(60)
  })
})

describe('workflows that trigger each other', () => {
  const workflowBack = (fields: object) =>
    defineWorkflow(
      { app: 'crm', topic: 'crm/notes' },
      { upsert: { app: 'shop', resource: 'commerce/orders', fields } },
    )

  test('write back to the source record, and end', async () => {
    await install(harness.database, harness.customer, [
      ordersToNotes({ noteTitle: { from: 'orderNumber' } }),
      workflowBack({ orderNumber: { from: 'noteTitle' } }),
    ])
    await harness.engine()
    const orderId = await harness.change(1, { orderNumber: 'A1', orderStatus: 'open' })
    await harness.settled(2)
    const [note] = await readWrites()
    expect((await readWrites()).map(({ action, recordId }) => [action, recordId])).toEqual([
      ['create', note?.recordId],
      ['update', orderId],
    ])
    // The end user changes the note: the order is updated, and the update back to the note is a no-op.
    const { prisma } = harness.database
    const [{ remote_id: remoteId } = { remote_id: '' }] = await prisma.$queryRaw<
      { remote_id: string }[]
    >`SELECT remote_id FROM crm_notes`
    const by = { resource: notes, credentialId: harness.customer.crm }
    await harness.change(2, { id: note?.recordId, remoteId, noteTitle: 'A2' }, by)
    const runs = await harness.settled(4)
    expect(runs.every(({ status }) => status === 'succeeded')).toBe(true)
    expect((await readWrites()).map(({ recordId }) => recordId)).toEqual([
      note?.recordId,
      orderId,
      orderId,
      note?.recordId,
    ])
    const [order, ...others] = await prisma.$queryRaw<{ order_number: string }[]>`
      SELECT order_number FROM commerce_orders`
    expect(order?.order_number).toBe('A2')
    expect(others).toEqual([])
  })

  test('end even if each changes what the other has written', async () => {
    await install(harness.database, harness.customer, [
      ordersToNotes({ noteTitle: 'Note of {orderNumber}' }),
      workflowBack({ orderNumber: 'Order of {noteTitle}' }),
    ])
    await harness.engine()
    await harness.change(1, { orderNumber: 'A1' })
    await harness.settled(2)
    await harness.change(2, { orderNumber: 'A2' })
    await harness.settled(4)
    expect((await readWrites()).map(({ input }) => input.noteTitle ?? input.orderNumber)).toEqual([
      'Note of A1',
      'Order of Note of A1',
      'Note of A2',
      'Order of Note of A2',
    ])
  })

  test('that write to the resource that triggers them do so once', async () => {
    const copy = {
      upsert: {
        app: 'shop',
        resource: 'commerce/orders',
        fields: { orderNumber: 'Copy of {orderNumber}' },
      },
    }
    await install(harness.database, harness.customer, [
      defineWorkflow({ app: 'shop', topic: 'commerce/orders' }, copy),
    ])
    await harness.engine()
    await harness.change(1, { orderNumber: 'A1' })
    await harness.settled(1)
    await harness.change(2, { orderNumber: 'A2' })
    await harness.settled(2)
    expect((await readWrites()).map(({ input }) => input.orderNumber)).toEqual([
      'Copy of A1',
      'Copy of A2',
    ])
  })
})

describe('a failed attempt', () => {
  const rateLimitError = (retryAfterMs?: number) =>
    new ApiError('APP_RATE_LIMITED', 'crm limits the rate.', [], { retryAfterMs })

  test('is repeated, and later changes of the record wait for it', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    let failures = 0
    await harness.engine({
      before: async ({ noteTitle }) => {
        if (noteTitle !== 'Order first' || failures === 3) return
        failures += 1
        throw new Error('postgres://user:secret@host broke')
      },
    })
    await harness.change(1, { orderNumber: 'first' })
    await harness.change(1, { orderNumber: 'second' })
    await harness.change(2, { orderNumber: 'apart' })
    const runs = await harness.settled(3)
    expect(runs.map(({ attempts }) => attempts)).toEqual([4, 1, 1])
    const order = (await readWriteFacts()).map(([, title]) => title)
    expect(order).toEqual(['Order apart', 'Order first', 'Order second'])
  })

  test('waits as long as the app demands, and so does the next request to the app', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    let refusedMs = 0
    const requestTimes: number[] = []
    const areInLine = Promise.withResolvers<void>()
    await harness.engine(
      {
        before: async () => {
          await areInLine.promise
          requestTimes.push(performance.now() - refusedMs)
          if (refusedMs > 0) return
          refusedMs = performance.now()
          throw rateLimitError(1500)
        },
      },
      { concurrency: 1 },
    )
    await harness.change(1, { orderNumber: 'A1' })
    await harness.change(2, { orderNumber: 'A2' })
    await expect.poll(async () => (await harness.runs()).length).toBe(2)
    areInLine.resolve()
    await expect.poll(async () => (await harness.runs())[0]?.failure).toContain('APP_RATE_LIMITED')
    await harness.change(3, { orderNumber: 'A3' })
    await harness.settled(3)
    expect(requestTimes.slice(1).filter((ms) => ms < 1450)).toEqual([])
    expect((await harness.runs())[0]).toMatchObject({ status: 'succeeded', attempts: 2 })
  })

  test('is the last one if the app rejects the write, and its reason is stored, shortened', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    await harness.engine({
      before: async () => {
        const reason = `subject\u0000 too long ${'x'.repeat(5000)}`
        const facts = { app: 'crm', appName: 'Crm', request: 'POST /notes', reason }
        throw new AppRefusedError(facts, 'refused')
      },
    })
    await harness.change(1, { orderNumber: 'A1' })
    const [run] = await harness.settled(1)
    expect(run).toMatchObject({ status: 'failed', attempts: 1, targetRecordId: null })
    expect(run?.failure).toMatch(/^APP_REFUSED: subject\ufffd too long x+$/)
    expect(run?.failure?.length).toBe(500)
  })

  test('is given up after the maximum number of attempts, without internal details', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    await harness.engine(
      {
        before: async () => {
          throw new Error('postgres://user:secret@host broke')
        },
      },
      { maxAttempts: 3 },
    )
    await harness.change(1, { orderNumber: 'A1' })
    const [run] = await harness.settled(1)
    expect(run).toMatchObject({
      status: 'failed',
      attempts: 3,
      failure: 'INTERNAL: an unexpected failure of this service',
    })
  })

  test('does not count if its process is killed, but counts if it never ends', async () => {
    await install(harness.database, harness.customer, [ordersToNotes(titles)])
    const begun = Promise.withResolvers<void>()
    const hanging = await harness.engine({
      before: () => {
        begun.resolve()
        return new Promise(() => {})
      },
    })
    await harness.change(1, { orderNumber: 'A1' })
    await begun.promise
    await hanging.stop()
    expect(await harness.runs()).toMatchObject([{ status: 'waiting', attempts: 0 }])
    let isHanging = true
    await harness.engine(
      { before: () => (isHanging ? new Promise(() => {}) : Promise.resolve()) },
      { attemptMs: 200 },
    )
    await expect
      .poll(async () => (await harness.runs())[0]?.failure)
      .toBe('TIMEOUT: the attempt took longer than 200 ms')
    isHanging = false
    expect(await harness.settled(1)).toMatchObject([{ status: 'succeeded' }])
  })

  test('is not repeated once the workflow is switched off or the target is disconnected', async () => {
    const { database, customer } = harness
    const { installationId } = await install(database, customer, [ordersToNotes(titles)])
    let failures = 0
    await harness.engine({
      before: async () => {
        failures += 1
        await database.prisma.installation.update({
          where: { id: installationId },
          data: { enabled: false },
        })
        throw rateLimitError()
      },
    })
    await harness.change(1, { orderNumber: 'A1' })
    const [run] = await harness.settled(1)
    expect(run).toMatchObject({ status: 'failed', attempts: 2 })
    expect(run?.failure).toContain('NOT_ACTIVE')
    expect(failures).toBe(1)

    const other = await addCustomer(database)
    await database.prisma.credential.delete({ where: { id: other.crm } })
    await install(database, other, [ordersToNotes(titles)])
    await harness.change(1, { orderNumber: 'A1' }, { resource: orders, credentialId: other.shop })
    expect(await harness.settled(1, other)).toMatchObject([
      { status: 'failed', failure: 'NO_CREDENTIAL: the installation has no credential of crm' },
    ])
  })
})
