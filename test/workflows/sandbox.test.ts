/** The whole path: a stored change, a workflow, the write engine and the sandbox app. */
import { expect, test } from 'vitest'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { SANDBOX_ORIGIN } from '../../src/sandbox/app.ts'
import { createCredential, readCredential } from '../../src/store/accounts/credentials.ts'
import { createRecordWriter } from '../../src/write/record-writer.ts'
import { openSandboxHarness } from '../sandbox/sandbox-harness.ts'
import { testVault } from '../support/vault.ts'
import { defineWorkflow } from './apps.ts'
import { install, openWorkflowHarness } from './workflow-harness.ts'

test('an order becomes a note of the sandbox, and its next change updates the note', async () => {
  const harness = await openWorkflowHarness()
  const sandboxHarness = await openSandboxHarness()
  const { database, customer } = harness
  const sandbox = connectors.get('sandbox')
  if (!sandbox) throw new Error('The sandbox has no connector.')
  const credentialId = await createCredential(database, testVault, {
    environmentId: customer.environmentId,
    userId: customer.userId,
    connector: sandbox,
    values: { ...sandboxHarness.acme },
  })
  const appClient = createAppClient({
    localApps: new Map([[SANDBOX_ORIGIN, sandboxHarness.app.handle]]),
    allowPrivateAddresses: false,
  })
  const { workflowIds } = await install(database, customer, [
    defineWorkflow(
      { app: 'sandbox', topic: 'commerce/orders' },
      {
        upsert: {
          app: 'sandbox',
          resource: 'crm/notes',
          fields: { noteTitle: 'Order {orderNumber}', noteContent: '{totalPrice}' },
        },
      },
    ),
  ])
  const loadCredential = (id: string) => readCredential(database, testVault, id)
  await harness.engine(
    {},
    {
      connectors,
      writer: createRecordWriter({ database, catalogue, connectors, appClient, loadCredential }),
    },
  )
  const before = new Set((await sandboxHarness.listAll('notes')).map(({ id }) => id))
  const listNewNotes = async () =>
    (await sandboxHarness.listAll('notes')).filter(({ id }) => !before.has(id))
  await harness.change(1, { orderNumber: 'A1', totalPrice: '12.50' }, { credentialId })
  const [created] = await harness.settled(1)
  expect(created).toMatchObject({ status: 'succeeded', failure: null })
  expect(await listNewNotes()).toMatchObject([{ noteTitle: 'Order A1', noteContent: '12.50' }])
  await harness.change(1, { orderNumber: 'A1', totalPrice: '13.00' }, { credentialId })
  const [, updated] = await harness.settled(2)
  expect(updated).toMatchObject({ status: 'succeeded', targetRecordId: created?.targetRecordId })
  expect(await listNewNotes()).toMatchObject([{ noteTitle: 'Order A1', noteContent: '13.00' }])
  // The changes of the note name the workflow as their cause.
  const causes = await database.prisma.$queryRaw<object[]>`
    SELECT r.workflow_id::text AS "workflowId" FROM change_log.changes c
    JOIN workflow_runs r ON r.id = c.cause WHERE c.topic = 'crm/notes'`
  expect(causes).toEqual([{ workflowId: workflowIds[0] }, { workflowId: workflowIds[0] }])
  await harness.close()
  await appClient.stop()
  await sandboxHarness.stop()
})
