/** What goes on without being asked: any number of processes share it, by way of the database. */
import { createRetention } from '../delivery/retention.ts'
import { signPost } from '../delivery/signature.ts'
import { createWebhookDelivery } from '../delivery/webhooks.ts'
import { catalogue } from '../generated/registry.ts'
import { createSandboxLife } from '../sandbox/life.ts'
import { createPurges } from '../sync/purges.ts'
import { createSync } from '../sync/schedule.ts'
import { createWorkflowEngine } from '../workflows/engine.ts'
import type { Foundation } from './foundation.ts'

/** Starts the workers; each is stopped by the shutdown. */
export const startWorkers = async (foundation: Foundation): Promise<void> => {
  const { config, log, shutdown, database, vault, feed, appClient, writer } = foundation
  const { connectors, firstStart } = foundation
  const { allowPrivateAddresses } = config
  if (config.sandbox) {
    const life = createSandboxLife({ database, log })
    life.start()
    shutdown.add('sandbox', () => life.stop())
  }
  const sync = createSync({
    ...{ database, vault, connectors, appClient, log },
    intervalMs: config.syncIntervalMs,
  })
  shutdown.add('sync', () => sync.stop())
  // The example's records are there before the addresses are told.
  if (firstStart.isNew) await Promise.all(firstStart.credentialIds.map((id) => sync.syncNow(id)))
  await sync.start()

  const purges = createPurges({ database, catalogue, log })
  purges.start()
  shutdown.add('purges', () => purges.stop())
  const retention = createRetention({ database, days: config.changeRetentionDays, log })
  retention.start()
  shutdown.add('retention', () => retention.stop())

  const workflows = createWorkflowEngine({
    ...{ database, vault, catalogue, connectors, feed, writer, log, allowPrivateAddresses },
    // As webhooks are signed: one verifier takes both.
    sign: signPost,
  })
  shutdown.add('workflows', () => workflows.stop())
  await workflows.start()
  const webhooks = createWebhookDelivery({ database, vault, feed, log, allowPrivateAddresses })
  shutdown.add('webhooks', () => webhooks.stop())
  await webhooks.start()
}
