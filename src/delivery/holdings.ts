/** The endpoints that this process holds: its share of all that are switched on. */
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'
import {
  claimDeliveries,
  disableWebhook,
  listHeld,
  readDeliveries,
  releaseDeliveries,
  renewWorker,
  type Worker,
} from '../store/webhook-deliveries.ts'
import { listWaiting } from '../store/webhook-progress.ts'
import { listReplays } from '../store/webhook-replays.ts'
import type { DeliveryContext } from './context.ts'
import { createEndpoint, type Endpoint } from './endpoint.ts'

export interface HoldingsOptions {
  readonly database: Database
  readonly vault: Vault
  readonly worker: Worker
  readonly endpoints: Map<string, Endpoint>
  readonly context: DeliveryContext
  /** Saves what happened so far. */
  readonly flush: () => Promise<void>
  /** What is under way may end before an endpoint is given back. */
  readonly graceMs: number
}

// One statement claims so many; a process that starts alone takes all in a few.
const MAX_CLAIM = 500

export const createHoldings = (options: HoldingsOptions) => {
  const { database, vault, worker, endpoints, context, flush, graceMs } = options
  const { log } = context
  const leaving = new Map<Endpoint, Promise<void>>()

  /** Lets go of an endpoint that another holds by now, or that is gone. */
  const drop = (endpoint: Endpoint): void => {
    endpoints.delete(endpoint.id)
    void endpoint.drain(0)
  }

  const giveBack = async (endpoint: Endpoint): Promise<void> => {
    await endpoint.drain(graceMs)
    await flush()
    const { id, disableReason } = endpoint
    if (disableReason !== undefined && endpoints.has(id)) {
      const isOff = await disableWebhook(database, endpoint, disableReason)
      if (isOff)
        log.warn({ webhook: id, ...disableReason }, 'a webhook subscription was switched off')
    }
    await releaseDeliveries(database, worker, [id])
    // Not before: what is held and not in hand is taken up.
    if (endpoints.get(id) === endpoint) endpoints.delete(id)
  }

  /** Ends what is under way, saves it, and leaves the endpoint to others. */
  const leave = (endpoint: Endpoint): Promise<void> => {
    const known = leaving.get(endpoint)
    if (known !== undefined) return known
    const left = giveBack(endpoint)
      .catch((error: unknown) => {
        // Held still, and sent to no more: it is claimed anew with the next renewal that finds it so.
        endpoints.delete(endpoint.id)
        log.warn({ webhook: endpoint.id, err: error }, 'a webhook subscription was not given back')
      })
      .finally(() => leaving.delete(endpoint))
    leaving.set(endpoint, left)
    return left
  }

  const claim = async (limit: number): Promise<void> => {
    const ids = await claimDeliveries(database, worker, limit)
    if (ids.length > 0) await take(ids)
  }

  const take = async (ids: readonly string[]): Promise<void> => {
    const settings = await readDeliveries(database, vault, worker, ids)
    const ordered = settings.filter(({ isOrdered }) => isOrdered).map(({ id }) => id)
    const waiting = ordered.length > 0 ? await listWaiting(database, ordered) : []
    const waitingOf = Map.groupBy(waiting, ({ subscriptionId }) => subscriptionId)
    for (const one of settings)
      endpoints.set(one.id, createEndpoint(one, waitingOf.get(one.id) ?? [], context))
  }

  const takeReplays = async (): Promise<void> => {
    const held = [...endpoints.values()]
    for (const endpoint of held) endpoint.awaitReplays()
    const replays = await listReplays(
      database,
      held.map(({ id }) => id),
    )
    const replaysOf = Map.groupBy(replays, ({ subscriptionId }) => subscriptionId)
    for (const endpoint of held) endpoint.addReplays(replaysOf.get(endpoint.id) ?? [])
  }

  return {
    /** Renews the process's lease, and looks what it holds and what it should. */
    renew: async (onRenewed: () => void): Promise<void> => {
      const { workers, subscriptions } = await renewWorker(database, worker)
      onRenewed()
      const held = new Map((await listHeld(database, worker)).map((one) => [one.id, one]))
      for (const endpoint of [...endpoints.values()]) {
        if (leaving.has(endpoint)) continue
        const now = held.get(endpoint.id)
        if (now === undefined) drop(endpoint)
        // With other settings it is taken up anew.
        else if (!now.isEnabled || now.version !== endpoint.version || endpoint.disableReason)
          void leave(endpoint)
      }
      // Held by a statement whose answer was lost, or not given back.
      const forgotten = [...held.values()].filter((one) => one.isEnabled && !endpoints.has(one.id))
      if (forgotten.length > 0) await take(forgotten.map(({ id }) => id))
      const share = Math.ceil(subscriptions / workers)
      const surplus = [...endpoints.values()].slice(share)
      for (const endpoint of surplus) void leave(endpoint)
      if (endpoints.size < share) await claim(Math.min(share - endpoints.size, MAX_CLAIM))
      if (endpoints.size > 0) await takeReplays()
    },
    leave,
    /** Gives all back. */
    leaveAll: async (): Promise<void> => {
      await Promise.all([...endpoints.values()].map(leave))
    },
  }
}
