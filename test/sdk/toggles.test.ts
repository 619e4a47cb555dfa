/** `deactivate` and `reactivate` take effect each time, even after a lost response. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createTrunkline } from '../../src/sdk/index.ts'
import { callOver } from '../support/operations.ts'
import { startService, type TestService } from '../support/service.ts'
import { defineWorkflow } from '../support/workflow.ts'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => service.stop())

test('an integration whose response was lost can be toggled back, repeatedly', async () => {
  const tenant = await service.createTenant('development', [])
  const { userId } = tenant
  const call = callOver(service, 'REST')
  const callSuccessfully = async (name: string, values: object) => {
    const outcome = await call(tenant.key, name, { ...values })
    expect(outcome, name).toMatchObject({ status: 200 })
    return outcome.result
  }
  await callSuccessfully('createCredential', {
    userId,
    app: 'sandbox',
    credential: { tenant: 'acme', token: 't' },
  })
  const { integrationId } = await callSuccessfully('defineIntegration', {
    slug: 'shop',
    name: 'Shop',
    app: 'sandbox',
    workflows: [{ slug: 'one', name: 'One', definition: defineWorkflow(1) }],
  })
  const { installationId } = await callSuccessfully('startInstallation', { userId, integrationId })
  await callSuccessfully('completeInstallation', { installationId, data: {} })

  const url = await service.server.listen({ port: 0, host: '127.0.0.1' })
  const trunkline = createTrunkline({ url })
  trunkline.setToken((await service.tokens.issue(tenant)).token)
  const readActive = async () => (await trunkline.getIntegrations())[0]?.workflows[0]?.active
  const { fetch } = globalThis
  const fetchSpy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await fetch(input, init)
    if (init?.method !== 'POST') return response
    throw new TypeError('fetch failed')
  })
  await expect(trunkline.deactivate({ integrationId })).rejects.toMatchObject({
    code: 'UNREACHABLE',
  })
  fetchSpy.mockRestore()
  expect(await readActive()).toBe(false)
  await trunkline.reactivate({ integrationId })
  expect(await readActive()).toBe(true)
  await trunkline.deactivate({ integrationId })
  expect(await readActive()).toBe(false)
})
