/** While a resource is paused, its records are read and written as before. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { callOver, transports } from '../support/operations.ts'

const topic = 'crm/contacts'

let connected: ConnectedSandbox

beforeAll(async () => {
  connected = await connectSandbox()
})
afterAll(() => connected.stop())

test.each(transports)('a paused resource is read and written, over %s', async (transport) => {
  const { service, tenant, credentialId, over, readInApp } = connected
  const call = callOver(service, transport)
  const { userId } = tenant
  const input = { userId, credentialId, topic }
  const before = (await call(tenant.key, 'pauseCredential', input)).result
  const pausedTopics = before.resources
    .filter(({ state }: { state: string }) => state === 'paused')
    .map((resource: { topic: string }) => resource.topic)
  expect(pausedTopics).toEqual([topic])

  const records = over(transport)
  const created = await records.create(topic, { firstName: 'Ida', lastName: 'Lund' })
  expect(created).toMatchObject({ status: 200 })
  const { id, remoteId } = created.record
  expect(await records.get(topic, id)).toMatchObject({ record: { firstName: 'Ida' } })
  expect(await records.patch(topic, id, { firstName: 'Ada' })).toMatchObject({ status: 200 })
  expect(await readInApp('people', remoteId)).toMatchObject({ firstName: 'Ada' })

  const { result: after } = await call(tenant.key, 'credential', { userId, credentialId })
  expect(after).toMatchObject({
    state: 'connected',
    counts: { records: before.counts.records + 1 },
  })
  await call(tenant.key, 'resumeCredential', input)
})
