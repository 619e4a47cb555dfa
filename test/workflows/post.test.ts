/** A post is repeated under one id until the address accepts it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  readIntegrationSecret,
  rotateIntegrationSecret,
} from '../../src/store/secrets/integration-secrets.ts'
import { testVault } from '../support/vault.ts'
import { defineWorkflow } from './apps.ts'
import { install, openWorkflowHarness, type WorkflowHarness } from './workflow-harness.ts'

interface Received {
  readonly headers: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it posts
  readonly body: any
  readonly text: string
}

let harness: WorkflowHarness
let server: Server
let received: Received[] = []
let responses: { status: number; headers?: Record<string, string> }[] = []

beforeAll(async () => {
  harness = await openWorkflowHarness()
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push({ headers: request.headers, body: JSON.parse(text), text })
    const { status, headers } = responses.shift() ?? { status: 204 }
    response.writeHead(status, headers).end('{"secret":"not to be kept"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await harness.empty()
  received = []
  responses = []
})
afterAll(async () => {
  await harness.close()
  server.close()
})

const until = <T>(read: () => Promise<T>) => expect.poll(read, { interval: 20 })
const hookAddress = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
const post = () =>
  defineWorkflow({ app: 'shop', topic: 'commerce/orders' }, { post: { address: hookAddress() } })

test('a post contains the workflow, the installation, the change and the record digit for digit', async () => {
  const { installationId, workflowIds } = await install(harness.database, harness.customer, [
    post(),
  ])
  await harness.engine()
  const recordId = await harness.change(1, { orderNumber: 'A1', totalPrice: '12.50' })
  const [run] = await harness.settled(1)
  expect(run).toMatchObject({ status: 'succeeded', targetRecordId: null })
  expect(received).toHaveLength(1)
  expect(received[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': run?.id,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
  })
  expect(received[0]?.body).toEqual({
    workflow: { id: workflowIds[0], version: 1 },
    installation: { id: installationId, userId: harness.customer.userId },
    change: {
      topic: 'commerce/orders',
      kind: 'created',
      changedFields: [],
      recordId,
      credentialId: harness.customer.shop,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      record: expect.objectContaining({ id: recordId, orderNumber: 'A1', totalPrice: '12.50' }),
    },
  })
})

test('only 2xx is a success; every attempt has the same id', async () => {
  await install(harness.database, harness.customer, [post()])
  responses = [
    { status: 500 },
    { status: 302, headers: { location: hookAddress() } },
    { status: 404 },
  ]
  await harness.engine()
  await harness.change(1, { orderNumber: 'A1' })
  const [run] = await harness.settled(1)
  expect(run).toMatchObject({ status: 'succeeded', attempts: 4 })
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(run?.id))
})

test('a post is signed with the secret of its integration, and for a day with the previous one too', async () => {
  const { database, customer } = harness
  const { installationId } = await install(database, customer, [post()])
  const { integrationId } = await database.prisma.installation.findUniqueOrThrow({
    where: { id: installationId },
  })
  const { environmentId } = customer
  const rotate = () => rotateIntegrationSecret(database, testVault, environmentId, integrationId)
  const isVerified = (secret: string | undefined, index: number): boolean => {
    const { text = '', headers = {} } = received[index] ?? {}
    try {
      new Webhook(secret ?? '').verify(text, headers as Record<string, string>)
      return true
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false
      throw error
    }
  }
  await harness.engine()
  // Created before integrations had secrets.
  await harness.change(1, { orderNumber: 'A1' })
  await harness.settled(1)
  expect(received[0]?.headers).not.toHaveProperty('webhook-signature')

  const first = await rotate()
  await harness.change(1, { orderNumber: 'A2' })
  await harness.settled(2)
  expect(await readIntegrationSecret(database, testVault, environmentId, integrationId)).toBe(first)
  expect(isVerified(first, 1)).toBe(true)

  const second = await rotate()
  await harness.change(1, { orderNumber: 'A3' })
  await harness.settled(3)
  expect([isVerified(first, 2), isVerified(second, 2)]).toEqual([true, true])

  await database.prisma.integration.update({
    where: { id: integrationId },
    data: { oldSecretUntil: new Date(Date.now() - 1000) },
  })
  await harness.change(1, { orderNumber: 'A4' })
  await harness.settled(4)
  expect([isVerified(first, 3), isVerified(second, 3)]).toEqual([false, true])
})

test.each([302, 400, 404, 422])(
  'a record answered with %i delays no other record',
  async (status) => {
    await install(harness.database, harness.customer, [post()])
    responses = [{ status }]
    // Anything that waits for the record's second attempt waits beyond the end of the test.
    await harness.engine({}, { firstPauseMs: 600_000 })
    const refused = await harness.change(1, { orderNumber: 'refused' })
    await until(async () => (await harness.runs()).map((run) => run.failure)).toEqual([
      `ENDPOINT_FAILED: the endpoint responded with ${status}`,
    ])
    const taken = await harness.change(2, { orderNumber: 'taken' })
    const listStatuses = async () =>
      Object.fromEntries((await harness.runs()).map((run) => [run.recordId, run.status]))
    await until(listStatuses).toEqual({ [refused]: 'waiting', [taken]: 'succeeded' })
  },
)

test.each([429, 500, 503])('%i pauses all posts of the workflow to the address', async (status) => {
  await install(harness.database, harness.customer, [post()])
  responses = [{ status }]
  await harness.engine({}, { firstPauseMs: 600_000 })
  await harness.change(1, { orderNumber: 'A1' })
  await until(async () => (await harness.runs())[0]?.failure).toContain(String(status))
  const { pausedUntil } = await harness.database.prisma.installedWorkflow.findFirstOrThrow()
  expect(pausedUntil?.getTime()).toBeGreaterThan(Date.now())
})

test('an address that is gone for good gets one request, and its response body is not stored', async () => {
  await install(harness.database, harness.customer, [post()])
  responses = [{ status: 410 }]
  await harness.engine()
  await harness.change(1, { orderNumber: 'A1' })
  expect(await harness.settled(1)).toMatchObject([
    { status: 'failed', attempts: 1, failure: 'ENDPOINT_FAILED: the endpoint responded with 410' },
  ])
})

test('does not dial a private address', async () => {
  await install(harness.database, harness.customer, [post()])
  await harness.engine({}, { allowPrivateAddresses: false })
  await harness.change(1, { orderNumber: 'A1' })
  const [run] = await harness.settled(1)
  expect(run).toMatchObject({ status: 'failed', attempts: 1 })
  expect(run?.failure).toBe('ENDPOINT_FAILED: its address is not on the public internet')
  expect(received).toEqual([])
})
