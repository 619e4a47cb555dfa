/** Integrations from a file: defined in both environments, or rejected with the position of the error. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { loadIntegrations } from '../../src/process/integrations-file.ts'
import { createWorkflowReader } from '../../src/workflows/reader.ts'
import { startService, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'
import { defineWorkflow } from '../support/workflow.ts'

let service: TestService
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'trunkline-integrations-'))
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

const shopIntegration = (definition: unknown = defineWorkflow(1)) => ({
  slug: 'shop',
  name: 'Shop',
  app: 'sandbox',
  workflows: [{ slug: 'one', name: 'One', definition }],
})

const load = async (text: string, environmentIds: readonly string[] = []): Promise<void> => {
  const path = join(folder, 'integrations.json')
  await writeFile(path, text)
  const readWorkflow = createWorkflowReader(catalogue, connectors)
  await loadIntegrations(
    { database: service.database, vault: testVault, connectors, readWorkflow },
    environmentIds,
    path,
  )
}

test('the integrations of the file exist in both environments; a changed definition is a new version', async () => {
  const tenants = [
    await service.createTenant('development', []),
    await service.createTenant('production', []),
  ]
  const ids = tenants.map(({ environmentId }) => environmentId)
  const listVersions = async () =>
    Promise.all(
      tenants.map(async ({ key }) => {
        const response = await service.send(key, 'GET', '/2024-03/integrations')
        const [integration] = response.json().data
        return integration.workflows[0].version
      }),
    )
  await load(JSON.stringify([shopIntegration()]), ids)
  expect(await listVersions()).toEqual([1, 1])
  await load(JSON.stringify([shopIntegration()]), ids)
  expect(await listVersions()).toEqual([1, 1])
  await load(JSON.stringify([shopIntegration(defineWorkflow(2))]), ids)
  expect(await listVersions()).toEqual([2, 2])
})

test.each([
  ['that is not JSON', '[', 'it is not JSON'],
  ['that is not a list', '{}', 'expected a list'],
  ['with an entry that is not an object', '[1]', 'entry 0'],
  ['with an unknown app', JSON.stringify([{ ...shopIntegration(), app: 'shopp' }]), 'entry 0: '],
  [
    'with an invalid workflow',
    JSON.stringify([shopIntegration(), shopIntegration({ when: { app: 'sandbox', topic: 'x' } })]),
    'entry 1: workflows[0].definition.when.topic',
  ],
])('a file %s is rejected, with the position of the error', async (_what, text, message) => {
  await expect(load(text)).rejects.toThrow(message)
})

test('a missing file is reported as missing', async () => {
  const none = loadIntegrations(
    { database: service.database, vault: testVault, connectors, readWorkflow: () => null },
    [],
    join(folder, 'none.json'),
  )
  await expect(none).rejects.toThrow('cannot be read')
})
