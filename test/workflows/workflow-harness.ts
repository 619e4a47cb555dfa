/** A database with an end user who has connected a shop and a CRM, and workflow engines on it. */

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Resource } from '../../src/definition/resource.ts'
import { signWithSecrets } from '../../src/delivery/signature.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { silentLog } from '../../src/log.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import { createClock } from '../../src/store/database/clock.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { listRuns, type RunEntry } from '../../src/store/workflows/workflow-history.ts'
import { createWorkflowEngine, type WorkflowEngineOptions } from '../../src/workflows/engine.ts'
import { createTestDatabase } from '../support/database.ts'
import { deleteAllRows } from '../support/empty-tables.ts'
import { sampleRecord } from '../support/sample.ts'
import { testVault } from '../support/vault.ts'
import { apps } from './apps.ts'
import {
  createRecordingWriter,
  createWritesTable,
  type WriterBehaviour,
} from './recording-writer.ts'

export const orders = catalogue.get('commerce/orders')
export const notes = catalogue.get('crm/notes')

export interface Customer {
  readonly environmentId: string
  readonly userId: string
  readonly shop: string
  readonly crm: string
}

export const addCustomer = async ({ prisma }: Database): Promise<Customer> => {
  const organisation = await prisma.organisation.create({ data: { name: randomUUID() } })
  const { id: environmentId } = await prisma.environment.create({
    data: { organisationId: organisation.id, kind: 'development' },
  })
  const { id: userId } = await prisma.endUser.create({
    data: { environmentId, username: 'someone' },
  })
  const connect = async (app: string): Promise<string> => {
    const id = randomUUID()
    await prisma.credential.create({
      data: { id, route: id.slice(0, 8), environmentId, userId, app, values: {} },
    })
    return id
  }
  return { environmentId, userId, shop: await connect('shop'), crm: await connect('crm') }
}

/** Installs an integration with these workflows. */
export const install = async (
  { prisma }: Database,
  { environmentId, userId }: Customer,
  definitions: readonly object[],
  {
    installedAt = new Date(Date.now() - 1000),
    ...data
  }: {
    readonly enabled?: boolean
    readonly credentialIds?: string[]
    readonly installedAt?: Date
  } = {},
) => {
  const integration = await prisma.integration.create({
    data: { environmentId, slug: randomUUID(), name: 'Orders', app: 'crm' },
  })
  const workflowIds: string[] = []
  for (const definition of definitions) {
    const created = await prisma.workflow.create({
      data: {
        integrationId: integration.id,
        slug: randomUUID(),
        name: 'A workflow',
        versions: { create: { version: 1, definition } },
      },
    })
    workflowIds.push(created.id)
  }
  const chosen = await prisma.credential.findMany({
    where: { id: { in: data.credentialIds ?? [] } },
  })
  const { id } = await prisma.installation.create({
    data: {
      integrationId: integration.id,
      userId,
      installedAt,
      workflows: {
        create: workflowIds.map((workflowId) => ({
          workflowId,
          installedVersion: 1,
          activeSince: installedAt,
        })),
      },
      chosenApps: chosen.map(({ app }) => app),
      ...data,
    },
  })
  return { installationId: id, workflowIds }
}

export type WorkflowHarness = Awaited<ReturnType<typeof openWorkflowHarness>>

export const openWorkflowHarness = async () => {
  const { url, drop } = await createTestDatabase()
  const statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const clock = createClock()
  const pgListener = createPgListener(url, clock)
  const changeSignal = createChangeSignal(pgListener)
  await pgListener.start()
  changeSignal.start()
  await createWritesTable(database)
  const customer = await addCustomer(database)
  let engines: ReturnType<typeof createWorkflowEngine>[] = []
  const stopEngines = async (): Promise<void> => {
    await Promise.all(engines.map((engine) => engine.stop()))
    engines = []
  }
  const runs = async (owner = customer): Promise<readonly RunEntry[]> => {
    const { environmentId } = owner
    const page = await listRuns(database, { environmentId, limit: 1000 })
    return page.runs.toReversed()
  }
  return {
    url,
    database,
    customer,
    statements,
    changeSignal,
    runs,
    /** Starts another engine. */
    engine: async (
      behaviour: WriterBehaviour = {},
      options: Partial<WorkflowEngineOptions> = {},
    ) => {
      const engine = createWorkflowEngine({
        database,
        clock,
        catalogue,
        changeSignal,
        log: silentLog,
        connectors: apps,
        writer: createRecordingWriter(database, behaviour),
        vault: testVault,
        sign: signWithSecrets,
        allowPrivateAddresses: true,
        firstPauseMs: 20,
        graceMs: 100,
        ...options,
      })
      engines.push(engine)
      await engine.start()
      return engine
    },
    /** Changes a record as a listing of its app does. */
    change: async (
      n: number,
      fields: object,
      {
        resource = orders,
        credentialId = customer.shop,
      }: { resource?: Resource; credentialId?: string } = {},
    ): Promise<string> => {
      const row = { ...sampleRecord(credentialId, resource, n), remoteCreatedAt: null, ...fields }
      const { environmentId } = await database.prisma.credential.findUniqueOrThrow({
        where: { id: credentialId },
      })
      await database.transaction((transaction) =>
        applyChanges(
          transaction,
          { credentialId, environmentId },
          resource,
          [createLineWriter(resource)(row)],
          {
            accept: 'all',
          },
        ),
      )
      return row.id
    },
    /** Resolves when this many runs exist and all of them have ended. */
    settled: async (count: number, owner = customer): Promise<readonly RunEntry[]> => {
      const endMs = performance.now() + 60_000
      for (;;) {
        const found = await runs(owner)
        const open = found.filter(({ finishedAt }) => finishedAt === null)
        if (found.length === count && open.length === 0) break
        if (performance.now() > endMs)
          throw new Error(`${found.length} runs of ${count}, ${open.length} have not ended.`)
        await wait(20)
      }
      return runs(owner)
    },
    stopEngines,
    /** Stops the engines and deletes installations, runs and writes. */
    empty: async (): Promise<void> => {
      await stopEngines()
      await deleteAllRows(database, 'installations', 'integrations', 'log_readers', 'writes')
    },
    close: async (): Promise<void> => {
      await stopEngines()
      changeSignal.stop()
      await pgListener.stop()
      await database.stop()
      await drop()
    },
  }
}
