/** The assignments of this process: the endpoints that it owns, its share of all enabled subscriptions. */
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/secrets/vault.ts'
import {
  claimDeliveries,
  disableWebhook,
  listHeld,
  readDeliveries,
  releaseDeliveries,
  renewWorker,
  type Worker,
} from '../store/webhooks/webhook-deliveries.ts'
import { listWaiting } from '../store/webhooks/webhook-progress.ts'
import { listReplays } from '../store/webhooks/webhook-replays.ts'
import type { DeliveryContext } from './context.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'

export interface AssignmentsOptions {
  readonly database: Database
  readonly vault: Vault
  readonly worker: Worker
  readonly endpoints: Map<string, Endpoint>
  readonly context: DeliveryContext
  /** Saves all outcomes so far. */
  readonly flush: () => Promise<void>
  /** Time for messages in flight to end before an endpoint is released. */
  readonly graceMs: number
}

// Endpoints that one statement claims. A process that starts alone claims all in a few statements.
const MAX_CLAIM = 500

export const createAssignments = (options: AssignmentsOptions) => {
  const { database, vault, worker, endpoints, context, flush, graceMs } = options
  const { log } = context
  const leaving = new Map<Endpoint, Promise<void>>()

  /** Drops an endpoint that was deleted, or that another process owns. */
  const drop = (endpoint: Endpoint): void => {
    endpoints.delete(endpoint.id)
    void endpoint.drain(0)
  }

  const release = async (endpoint: Endpoint): Promise<void> => {
    await endpoint.drain(graceMs)
    await flush()
    const { id, disableReason } = endpoint
    if (disableReason !== undefined && endpoints.has(id)) {
      const isOff = await disableWebhook(database, endpoint, disableReason)
      if (isOff) log.warn({ webhook: id, ...disableReason }, 'disabled a webhook subscription')
    }
    await releaseDeliveries(database, worker, [id])
    // Only now: an owned endpoint that is not in the map would be loaded again.
    if (endpoints.get(id) === endpoint) endpoints.delete(id)
  }

  /** Drains an endpoint, saves its outcomes and releases it for other processes. */
  const leave = (endpoint: Endpoint): Promise<void> => {
    const known = leaving.get(endpoint)
    if (known !== undefined) return known
    const left = release(endpoint)
      .catch((error: unknown) => {
        // Still owned, but idle: the next renewal finds and loads it again.
        endpoints.delete(endpoint.id)
        log.warn({ webhook: endpoint.id, err: error }, 'could not release a webhook subscription')
      })
      .finally(() => leaving.delete(endpoint))
    leaving.set(endpoint, left)
    return left
  }

  const claim = async (limit: number): Promise<void> => {
    const ids = await claimDeliveries(database, worker, limit)
    if (ids.length > 0) await load(ids)
  }

  const load = async (ids: readonly string[]): Promise<void> => {
    const settings = await readDeliveries(database, vault, worker, ids)
    const ordered = settings.filter(({ isOrdered }) => isOrdered).map(({ id }) => id)
    const waiting = ordered.length > 0 ? await listWaiting(database, ordered) : []
    const waitingOf = Map.groupBy(waiting, ({ subscriptionId }) => subscriptionId)
    for (const one of settings)
      endpoints.set(one.id, createEndpoint(one, waitingOf.get(one.id) ?? [], context))
  }

  const loadReplays = async (): Promise<void> => {
    const owned = [...endpoints.values()]
    for (const endpoint of owned) endpoint.beginReplayQuery()
    const replays = await listReplays(
      database,
      owned.map(({ id }) => id),
    )
    const replaysOf = Map.groupBy(replays, ({ subscriptionId }) => subscriptionId)
    for (const endpoint of owned) endpoint.addReplays(replaysOf.get(endpoint.id) ?? [])
  }

  return {
    /** Renews the lease of the process, then compares its endpoints with its assignments and its share. */
    renew: async (onRenewed: () => void): Promise<void> => {
      const { workers, subscriptions } = await renewWorker(database, worker)
      onRenewed()
      const owned = new Map((await listHeld(database, worker)).map((one) => [one.id, one]))
      for (const endpoint of [...endpoints.values()]) {
        if (leaving.has(endpoint)) continue
        const current = owned.get(endpoint.id)
        if (current === undefined) drop(endpoint)
        // With new settings it is loaded again.
        else if (
          !current.isEnabled ||
          current.version !== endpoint.version ||
          endpoint.disableReason
        )
          void leave(endpoint)
      }
      // Owned after a claim whose result was lost, or after a release that failed.
      const unloaded = [...owned.values()].filter((one) => one.isEnabled && !endpoints.has(one.id))
      if (unloaded.length > 0) await load(unloaded.map(({ id }) => id))
      const share = Math.ceil(subscriptions / workers)
      const excess = [...endpoints.values()].slice(share)
      for (const endpoint of excess) void leave(endpoint)
      if (endpoints.size < share) await claim(Math.min(share - endpoints.size, MAX_CLAIM))
      if (endpoints.size > 0) await loadReplays()
    },
    leave,
    /** Releases all endpoints. */
    leaveAll: async (): Promise<void> => {
      await Promise.all([...endpoints.values()].map(leave))
    },
  }
}
