/** A target that accepts nothing delays its own workflow only. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readWorkflowBacklog } from '../../src/store/workflows/workflow-backlog.ts'
import { defineWorkflow, ordersToNotes } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import {
  addCustomer,
  type Customer,
  install,
  openWorkflowHarness,
  type WorkflowHarness,
} from './workflow-harness.ts'

let harness: WorkflowHarness
let other: Customer
let server: Server
/** Posts to `/hanging` without a response. */
let hanging: Set<ServerResponse>
/** Posts to `/hanging` that the sender has aborted. */
let abandoned: number
/** Status codes that `/hanging` returns before it hangs. */
let statusesToSend: number[]
/** Number of hanging posts when each post to `/healthy` arrived. */
let hangingAtHealthy: number[]

beforeAll(async () => {
  harness = await openWorkflowHarness()
  other = await addCustomer(harness.database)
  server = createServer((request, response) => {
    request.resume()
    if (request.url === '/healthy') {
      hangingAtHealthy.push(hanging.size)
      response.writeHead(204).end()
      return
    }
    const status = statusesToSend.shift()
    if (status !== undefined) {
      response.writeHead(status).end()
      return
    }
    hanging.add(response)
    response.once('close', () => {
      hanging.delete(response)
      if (!response.writableEnded) abandoned += 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  hanging = new Set()
  abandoned = 0
  statusesToSend = []
  hangingAtHealthy = []
})
afterEach(() => harness.empty())
afterAll(async () => {
  await harness.close()
  server.closeAllConnections()
  server.close()
})

const until = <T>(read: () => Promise<T> | T) => expect.poll(read, { interval: 20 })
const postOrdersTo = (path: string) => {
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}/${path}`
  return defineWorkflow({ app: 'shop', topic: 'commerce/orders' }, { post: { address } })
}
/** Starts the log reader once: changes before its first start are not read. */
const startLogReader = async (): Promise<void> => (await harness.engine()).stop()
const answerAll = (): void => {
  statusesToSend = Array(100).fill(204)
  for (const response of hanging) response.writeHead(204).end()
}

test('posts to a hanging address take at most half of the slots', async () => {
  await install(harness.database, harness.customer, [postOrdersTo('hanging')])
  await install(harness.database, other, [postOrdersTo('healthy')])
  await startLogReader()
  for (let n = 0; n < 8; n++) await harness.change(n, { orderNumber: `A${n}` })
  await harness.change(1, { orderNumber: 'B1' }, { credentialId: other.shop })
  await harness.engine({}, { postConcurrency: 4 })
  expect(await harness.settled(1, other)).toMatchObject([{ status: 'succeeded', attempts: 1 }])
  await until(() => hanging.size).toBe(2)
  expect(abandoned).toBe(0)
  await until(() => readWorkflowBacklog(harness.database)).toMatchObject({ due: 6 })
  expect((await readWorkflowBacklog(harness.database)).lagMs).toBeGreaterThan(0)
  answerAll()
  const runs = await harness.settled(8)
  expect(runs.every(({ attempts, status }) => attempts === 1 && status === 'succeeded')).toBe(true)
})

test('writes to a hanging app take at most half of the slots', async () => {
  const toNotes = ordersToNotes({ noteTitle: '{orderNumber}' })
  await install(harness.database, harness.customer, [toNotes])
  await install(harness.database, other, [toNotes])
  await startLogReader()
  for (let n = 0; n < 8; n++) await harness.change(n, { orderNumber: `A${n}` })
  await harness.change(1, { orderNumber: 'B1' }, { credentialId: other.shop })
  const responseSent = Promise.withResolvers<void>()
  await harness.engine({
    before: async ({ noteTitle }) => {
      if (noteTitle !== 'B1') await responseSent.promise
    },
  })
  await harness.settled(1, other)
  expect((await listWrites(harness.database)).map(({ input }) => input.noteTitle)).toEqual(['B1'])
  responseSent.resolve()
  await harness.settled(8)
})

test('hanging posts leave the slots of writes free', async () => {
  await install(harness.database, harness.customer, [
    postOrdersTo('hanging'),
    postOrdersTo('hanging'),
    ordersToNotes({ noteTitle: '{orderNumber}' }),
  ])
  await startLogReader()
  for (let n = 0; n < 4; n++) await harness.change(n, { orderNumber: `A${n}` })
  await harness.engine({}, { postConcurrency: 4 })
  await until(async () => (await listWrites(harness.database)).length).toBe(4)
  await until(() => hanging.size).toBe(4)
  expect(abandoned).toBe(0)
  answerAll()
  await harness.settled(12)
})

test('a target that failed last gets one request at a time until one succeeds', async () => {
  await install(harness.database, harness.customer, [postOrdersTo('hanging')])
  await install(harness.database, other, [postOrdersTo('healthy')])
  statusesToSend = [503]
  await harness.engine()
  await harness.change(1, { orderNumber: 'A1' })
  await until(async () => (await harness.runs())[0]?.failure).toContain('503')
  for (let n = 2; n < 5; n++) await harness.change(n, { orderNumber: `A${n}` })
  await until(() => hanging.size).toBe(1)
  // The engine takes this run only after it has looked at the earlier ones.
  await harness.change(1, { orderNumber: 'B1' }, { credentialId: other.shop })
  await until(() => hangingAtHealthy).toEqual([1])
  answerAll()
  const runs = await harness.settled(4)
  expect(runs.every(({ status }) => status === 'succeeded')).toBe(true)
})
