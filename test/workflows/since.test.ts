/** A workflow reacts only to changes while it is active: not to older records, not to changes while it was off. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  changeInstallation,
  type InstallationChange,
} from '../../src/store/accounts/installations.ts'
import { ordersToNotes } from './apps.ts'
import { listWrites } from './recording-writer.ts'
import { install, openWorkflowHarness, type WorkflowHarness } from './workflow-harness.ts'

const HOUR_MS = 3_600_000

let harness: WorkflowHarness

beforeAll(async () => {
  harness = await openWorkflowHarness()
})
afterEach(() => harness.empty())
afterAll(() => harness.close())

const toNotes = (noteTitle = 'Order {orderNumber}') => ordersToNotes({ noteTitle })
const listTitles = async () =>
  (await listWrites(harness.database)).map(({ input }) => input.noteTitle).sort()
const anHourAgo = () => new Date(Date.now() - HOUR_MS)

/** Starts the log reader once: changes before its first start are not read. */
const startLogReader = async (): Promise<void> => (await harness.engine()).stop()

test('the first listing of a credential triggers nothing, however long the workflow has been installed', async () => {
  await install(harness.database, harness.customer, [toNotes()], {
    installedAt: new Date(Date.now() - 2 * HOUR_MS),
  })
  await harness.engine()
  await harness.change(1, { orderNumber: 'old', remoteCreatedAt: anHourAgo().toISOString() })
  await harness.change(2, { orderNumber: 'new', remoteCreatedAt: new Date().toISOString() })
  await harness.settled(1)
  expect(await listTitles()).toEqual(['Order new'])
})

test.each(['installation', 'workflow'])(
  'changes made while the %s was switched off never trigger it, however late they are read',
  async (what) => {
    const { database, customer } = harness
    const { installationId, workflowIds } = await install(database, customer, [toNotes()], {
      installedAt: anHourAgo(),
    })
    const [workflowId = ''] = workflowIds
    const switchWorkflow = (isOn: boolean) => {
      const to: InstallationChange =
        what === 'installation' ? { enabled: isOn } : { workflowId, active: isOn }
      return changeInstallation(database, customer, installationId, to)
    }
    await startLogReader()
    await switchWorkflow(false)
    await harness.change(1, { orderNumber: 'while off' })
    await switchWorkflow(true)
    await harness.change(2, { orderNumber: 'afterwards' })
    // The workflow is already on: switching it on again must not drop the change above.
    await switchWorkflow(true)
    await harness.engine()
    await harness.settled(1)
    expect(await listTitles()).toEqual(['Order afterwards'])
  },
)

test('a workflow added by an upgrade reacts to changes from then on', async () => {
  const { database, customer } = harness
  const { installationId } = await install(database, customer, [toNotes()], {
    installedAt: anHourAgo(),
  })
  const { integrationId } = await database.prisma.installation.findUniqueOrThrow({
    where: { id: installationId },
  })
  await startLogReader()
  await database.prisma.workflow.create({
    data: {
      integrationId,
      slug: 'added',
      name: 'Added',
      versions: { create: { version: 1, definition: toNotes('Added for {orderNumber}') } },
    },
  })
  await harness.change(1, { orderNumber: 'before' })
  await changeInstallation(database, customer, installationId, 'upgrade')
  await harness.change(2, { orderNumber: 'after' })
  await harness.engine()
  await harness.settled(3)
  expect(await listTitles()).toEqual(['Added for after', 'Order after', 'Order before'])
})
