/**
 * The worker of inbound webhooks: takes the leases of due subscriptions, creates and renews them in their apps, and
 * fetches the records that their events name.
 */
import { createRepeater } from '../repeater.ts'
import { readCredential } from '../store/accounts/credentials.ts'
import { createLeaseRenewal } from '../store/database/lease-renewal.ts'
import { LeaseLostError, renewLeases } from '../store/database/lease-sql.ts'
import { addMissingEndpoints } from '../store/inbound/endpoints.ts'
import { purgeEvents } from '../store/inbound/events.ts'
import {
  type AcquiredSubscription,
  acquireSubscriptions,
  type DueSubscription,
  listDueSubscriptions,
  releaseSubscription,
  SUBSCRIPTIONS,
  type SubscriptionLease,
  saveCheck,
} from '../store/inbound/subscriptions.ts'
import { checkSubscription, DAY_MS } from './check-subscription.ts'
import { type ConnectedApp, type InboundContext, TIMEOUT_MS } from './context.ts'
import { processEvents } from './process-events.ts'

/** The settings of the worker. */
export interface InboundWorkerOptions extends InboundContext {
  /** How long after its process was killed another process may take a subscription over. Default: 15 s. */
  readonly leaseMs?: number
  /** How often it looks for due subscriptions. Default: 500 ms. */
  readonly tickMs?: number
}

/** The worker of inbound webhooks. */
export interface InboundWorker {
  start(): Promise<void>
  /** Starts no more work. Resolves once the current work has ended; other processes continue it. */
  stop(): Promise<void>
}

// A record is stored within 2 s after its delivery: most of that is for the app.
const TICK_MS = 500
const PURGE_EVERY_MS = 60_000
const SLOTS = 16
/** Subscriptions of one app at a time, so that an app that does not respond leaves slots for others. */
const SLOTS_PER_APP = SLOTS / 2
const CANDIDATES = 200

/** Chooses the next subscriptions for the free slots. */
const chooseNext = (
  due: readonly DueSubscription[],
  running: readonly string[],
): readonly DueSubscription[] => {
  const apps = [...running]
  return due.filter(({ app }) => {
    const isFull = apps.length >= SLOTS || apps.filter((one) => one === app).length >= SLOTS_PER_APP
    if (!isFull) apps.push(app)
    return !isFull
  })
}

/** Creates the worker of a process. */
export const createInboundWorker = (options: InboundWorkerOptions): InboundWorker => {
  const { database, vault, connectors, appClient, log, leaseMs = 15_000 } = options
  const { tickMs = TICK_MS } = options
  const stopping = new AbortController()
  /** The current work, each with its app. */
  const running = new Map<Promise<void>, string>()
  const leases = createLeaseRenewal<SubscriptionLease>({
    durationMs: leaseMs,
    renew: (held) => renewLeases(database, SUBSCRIPTIONS, held),
    onFailure: (error) =>
      log.warn({ err: error }, 'the leases of webhook subscriptions could not be renewed'),
  })

  const work = async (subscription: AcquiredSubscription, ending: AbortSignal): Promise<void> => {
    const { lease, received, fetchFailures } = subscription
    const credential = await readCredential(database, vault, subscription.credentialId)
    const connector = credential && connectors.get(credential.app)
    const webhooks = connector?.webhooks
    if (!credential || !connector || !webhooks) {
      // Its connector is not installed, or no longer has webhooks.
      await saveCheck(database, lease, { company: undefined, nextInMs: DAY_MS })
      return releaseSubscription(database, lease, { received, fetchFailures: 0 })
    }
    const signal = AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)])
    const app: ConnectedApp = { connector, webhooks, credential, appClient, signal, ending }
    if (subscription.isCheckDue) await checkSubscription(options, app, subscription)
    const processed = await processEvents(options, app, fetchFailures)
    await releaseSubscription(database, lease, { received, ...processed })
  }

  const runHeld = async (subscription: AcquiredSubscription, sentMs: number): Promise<void> => {
    const { lease, credentialId, received, fetchFailures } = subscription
    const held = leases.hold(lease, sentMs)
    try {
      await work(subscription, AbortSignal.any([held.signal, stopping.signal]))
    } catch (error) {
      if (error instanceof LeaseLostError || held.signal.aborted) return
      if (stopping.signal.aborted) {
        const rest = { received, retryInMs: 0, fetchFailures }
        // If it cannot be released, the lease expires.
        await releaseSubscription(database, lease, rest).catch(() => {})
      }
      // It is due again once its lease expires.
      else log.error({ credentialId, err: error }, 'the work on webhooks was interrupted')
    } finally {
      held.release()
    }
  }

  const fill = async (signal: AbortSignal): Promise<void> => {
    const due = await listDueSubscriptions(database, CANDIDATES)
    const chosen = chooseNext(due, [...running.values()])
    if (chosen.length === 0 || signal.aborted) return
    const sentMs = performance.now()
    const apps = new Map(chosen.map(({ id, app }) => [id, app]))
    for (const acquired of await acquireSubscriptions(database, [...apps.keys()], leaseMs)) {
      const ended = runHeld(acquired, sentMs).finally(() => running.delete(ended))
      running.set(ended, apps.get(acquired.id) ?? '')
    }
  }

  const ticks = createRepeater({
    everyMs: tickMs,
    step: fill,
    onFailure: (error) =>
      log.warn({ err: error }, 'due webhook subscriptions could not be acquired'),
  })
  const purges = createRepeater({
    everyMs: PURGE_EVERY_MS,
    step: async (signal) => {
      while (!signal.aborted && (await purgeEvents(database)) > 0);
    },
    onFailure: (error) => log.warn({ err: error }, 'old webhook events could not be deleted'),
  })

  return {
    start: async () => {
      const offered = [...connectors.values()].filter(({ webhooks }) => webhooks)
      await addMissingEndpoints(
        database,
        offered.map(({ app }) => app),
      )
      ticks.start()
      purges.start()
      await ticks.run()
    },
    stop: async () => {
      stopping.abort(new Error('The process stops.'))
      await Promise.all([ticks.stop(), purges.stop()])
      await Promise.all(running.keys())
    },
  }
}
