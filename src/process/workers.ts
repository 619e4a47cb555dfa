/** The background work of the service, shared by any number of processes through the database. */
import { createRetention } from '../delivery/retention.ts'
import { signWithSecrets } from '../delivery/signature.ts'
import { createWebhookDelivery } from '../delivery/webhooks.ts'
import { catalogue } from '../generated/registry.ts'
import { createInboundWorker } from '../inbound/worker.ts'
import { createSandboxSimulation } from '../sandbox/life.ts'
import { createPurges } from '../sync/purges.ts'
import { createReconciliationSchedule } from '../sync/reconciliation-schedule.ts'
import { createSync, type Sync } from '../sync/schedule.ts'
import { createWorkflowEngine } from '../workflows/engine.ts'
import type { FirstStart } from './first-start.ts'
import type { Runtime } from './runtime.ts'

/** Creates the synchronisation, which the shutdown stops. */
export const createSyncOf = ({
  config,
  log,
  shutdown,
  database,
  vault,
  connectors,
  appClient,
  metrics,
}: Runtime): Sync => {
  const sync = createSync({
    database,
    vault,
    connectors,
    appClient,
    log,
    intervalMs: config.syncIntervalMs,
    onRun: metrics?.onRun,
    limits: {
      maxRecords: config.maxRecordsPerCredential,
      maxBytes: config.maxBytesPerCredential,
    },
  })
  shutdown.add('sync', () => sync.stop())
  return sync
}

const syncExamples = async (
  { progress }: Runtime,
  sync: Sync,
  credentialIds: readonly string[],
): Promise<void> => {
  const total = credentialIds.length
  let synced = 0
  progress(`Syncing ${total} sandbox companies`)
  const syncOne = async (id: string): Promise<void> => {
    await sync.syncNow(id)
    synced++
    progress(`Synced ${synced} of ${total} sandbox companies`)
  }
  await Promise.all(credentialIds.map(syncOne))
}

/** Starts the workers; the shutdown stops each. */
export const startWorkers = async (runtime: Runtime, firstStart: FirstStart): Promise<void> => {
  const { config, log, shutdown, database, clock, vault, changeSignal, writer, connectors, retry } =
    runtime
  const { metrics } = runtime
  if (config.sandbox) {
    const simulation = createSandboxSimulation({ database, clock, log })
    simulation.start()
    shutdown.add('sandbox', () => simulation.stop())
  }
  const sync = createSyncOf(runtime)
  // The example's records are synced before the start prints the addresses.
  if (firstStart.isNew) await syncExamples(runtime, sync, firstStart.credentialIds)
  await retry('start the synchronisation', sync.start)

  if (config.publicUrl !== undefined) {
    const inbound = createInboundWorker({ ...runtime, publicUrl: config.publicUrl })
    shutdown.add('inbound webhooks', () => inbound.stop())
    await retry('start the inbound webhooks', inbound.start)
  }

  const purges = createPurges({ database, catalogue, log })
  purges.start()
  shutdown.add('purges', () => purges.stop())
  const reconciliations = createReconciliationSchedule({
    database,
    intervalDays: config.reconciliationIntervalDays,
    log,
  })
  reconciliations.start()
  shutdown.add('reconciliations', () => reconciliations.stop())
  const retention = createRetention({ database, days: config.changeRetentionDays, log })
  retention.start()
  shutdown.add('retention', () => retention.stop())

  const workflows = createWorkflowEngine({
    database,
    vault,
    catalogue,
    connectors,
    changeSignal,
    writer,
    log,
    clock,
    ...config.egress,
    onRequest: metrics?.onWorkflowPost,
    // Signed like webhooks, so that one verifier accepts both.
    sign: signWithSecrets,
  })
  shutdown.add('workflows', () => workflows.stop())
  await retry('start the workflows', workflows.start)
  const webhooks = createWebhookDelivery({
    database,
    clock,
    vault,
    changeSignal,
    log,
    ...config.egress,
    onRequest: metrics?.onWebhookRequest,
  })
  metrics?.readAtScrape({ webhooks })
  shutdown.add('webhooks', () => webhooks.stop())
  await retry('start the webhooks', webhooks.start)
}
