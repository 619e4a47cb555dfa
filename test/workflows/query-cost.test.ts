/** Queries over runs and installations read only the rows they need, however many exist. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimRuns } from '../../src/store/workflows/workflow-claims.ts'
import { listRuns } from '../../src/store/workflows/workflow-history.ts'
import { retryRun } from '../../src/store/workflows/workflow-runs.ts'
import { listFollowedTopics } from '../../src/store/workflows/workflow-triggers.ts'
import { countRowsReadBy } from '../support/rows-read.ts'
import { ordersToNotes } from './apps.ts'
import { install, openWorkflowHarness, type WorkflowHarness } from './workflow-harness.ts'

const INSTALLATIONS = 3000
const RUNS = 3000

let harness: WorkflowHarness
let installation: Awaited<ReturnType<typeof install>>

const addRuns = (count: number, workflowId: string | undefined, status: string): Promise<number> =>
  harness.database.prisma.$executeRaw`
    INSERT INTO workflow_runs (id, installation_id, workflow_id, version, change, changed_at,
      credential_id, topic, kind, record_id, record, status)
    SELECT gen_random_uuid(), ${installation.installationId}::uuid, ${workflowId}::uuid, 1,
      gen_random_uuid()::text, now(), ${harness.customer.shop}::uuid, 'commerce/orders', 'created',
      gen_random_uuid(), '{}', ${status}
    FROM generate_series(1, ${count}::integer)`

beforeAll(async () => {
  harness = await openWorkflowHarness()
  const { prisma } = harness.database
  const definition = ordersToNotes({ noteTitle: '{orderNumber}' })
  installation = await install(harness.database, harness.customer, [definition, definition])
  const [first, second] = installation.workflowIds
  await prisma.$executeRaw`
    WITH users AS (
      INSERT INTO end_users (id, environment_id, username)
      SELECT gen_random_uuid(), ${harness.customer.environmentId}::uuid, n::text
      FROM generate_series(1, ${INSTALLATIONS}::integer) AS n RETURNING id
    ), added AS (
      INSERT INTO installations (id, integration_id, user_id, installed_at)
      SELECT gen_random_uuid(), w.integration_id, u.id, now()
      FROM users u, workflows w WHERE w.id = ${first}::uuid RETURNING id
    )
    INSERT INTO installed_workflows (installation_id, workflow_id, installed_version)
    SELECT id, ${first}::uuid, 1 FROM added`
  await addRuns(RUNS, first, 'succeeded')
  await addRuns(3, first, 'failed')
  await addRuns(RUNS, second, 'succeeded')
  await prisma.$executeRaw`ANALYZE`
})
afterAll(() => harness.close())

const TABLES = ['workflow_runs', 'installed_workflows', 'installations']

test('the followed topics are read from one installation of each workflow', async () => {
  const read = await countRowsReadBy(harness.database, TABLES, async (transaction) => {
    expect(await listFollowedTopics(transaction)).toEqual(['commerce/orders'])
  })
  expect(read).toBeLessThan(10)
})

test.each([
  ['failed', 3],
  ['succeeded', 10],
  [undefined, 10],
] as const)('a page of runs reads only its own rows: %s', async (status, count) => {
  const { environmentId } = harness.customer
  const { installationId, workflowIds } = installation
  const [workflowId = ''] = workflowIds
  for (const scope of [{ workflowId }, { workflowId, installationId }]) {
    const read = await countRowsReadBy(harness.database, TABLES, async (transaction) => {
      const database = { ...harness.database, prisma: transaction.prisma }
      const query = { environmentId, ...scope, limit: 10, ...(status && { status }) }
      expect((await listRuns(database, query)).runs).toHaveLength(count)
    })
    expect(read).toBeLessThan(50)
  }
})

test('a pause is one row: waiting runs are not written, and not claimed before it ends', async () => {
  const { database } = harness
  const [, workflowId] = installation.workflowIds
  await addRuns(10, workflowId, 'waiting')
  const claimSomeRuns = (limit: number) =>
    claimRuns(database, {
      holders: [],
      leaseMs: 60_000,
      action: 'upsert',
      limit,
      share: 100,
    })
  const listRowVersions = () => database.prisma.$queryRaw`
    SELECT id, xmin::text, due_at FROM workflow_runs WHERE status = 'waiting' AND attempts = 0 ORDER BY id`
  const [run] = await claimSomeRuns(1)
  if (!run) throw new Error('No run was claimed.')
  const before = await listRowVersions()
  await database.transaction((transaction) =>
    retryRun(transaction, run, {
      failure: 'APP_UNAVAILABLE: it answered 503',
      retryInMs: 600_000,
      concerns: 'target',
      isUncertain: false,
    }),
  )
  expect(await listRowVersions()).toEqual(before)
  expect(await claimSomeRuns(100)).toEqual([])

  const { environmentId } = harness.customer
  const { runs } = await listRuns(database, { environmentId, status: 'waiting', limit: 100 })
  expect(runs).toHaveLength(10)
  const { pausedUntil } = await database.prisma.installedWorkflow.findFirstOrThrow({
    where: { workflowId: run.workflowId },
  })
  for (const { nextAttemptAt } of runs)
    expect(nextAttemptAt?.getTime()).toBeGreaterThanOrEqual((pausedUntil ?? new Date(0)).getTime())

  const pause = (until: Date | null) =>
    database.prisma.installedWorkflow.updateMany({ data: { pausedUntil: until } })
  await pause(new Date(0))
  // The first run after a pause is claimed alone.
  expect(await claimSomeRuns(100)).toHaveLength(1)
  await pause(null)
  expect(await claimSomeRuns(100)).toHaveLength(8)
})
