/**
 * The actor that delivers webhooks (Standard Webhooks), in any number of processes.
 *
 * Each process owns a share of the subscriptions; a subscription has one owner. The owner reads the change
 * log, sends the messages, and saves its position with the attempts: a successful message costs nothing more.
 * A failed message gets a row of its own and is retried, while the position in the log moves on.
 */

import { randomUUID } from 'node:crypto'
import type { Log } from '../log.ts'
import type { EgressOptions } from '../outbound/egress.ts'
import { createWebhookTransport, type OnWebhookRequest } from '../outbound/webhook-transport.ts'
import type { ChangePosition } from '../query/change-cursor.ts'
import { createRepeater } from '../repeater.ts'
import type { ChangeSignal } from '../store/changes/change-signal.ts'
import { isBefore } from '../store/changes/changes.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import { createLeaseTerm } from '../store/database/lease-renewal.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { pruneAttempts } from '../store/webhooks/webhook-attempts.ts'
import { listOutdated, removeWorker } from '../store/webhooks/webhook-deliveries.ts'
import { listDueRetries } from '../store/webhooks/webhook-progress.ts'
import { createAssignments } from './assignments.ts'
import { STORED_RESPONSE_BYTES } from './attempt.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { DeliveryContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import { createEndpointReader } from './follow.ts'

export interface WebhookDeliveryOptions extends EgressOptions {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  /** Started and stopped by the caller. */
  readonly changeSignal: Pick<ChangeSignal, 'next'>
  readonly log: Log
  /** Time after which another process takes over from a killed one: 10 s. */
  readonly leaseMs?: number
  /** Time limit of a request, from the start of the connection to the last byte: 20 s. */
  readonly deadlineMs?: number
  /** Messages in flight to one endpoint: 16. */
  readonly concurrency?: number
  /** Maximum number of messages to one endpoint that are sent again after a SIGKILL: 96. */
  readonly window?: number
  /** The longest time between two checkpoints: 50 ms. */
  readonly checkpointMs?: number
  /** A subscription is disabled after its endpoint has failed for this time: 3 days. */
  readonly disableAfterMs?: number
  /** Time before attempts are deleted: 30 days. */
  readonly keepAttemptsDays?: number
  /** Time for messages in flight to end when an endpoint is released: 5 s. */
  readonly graceMs?: number
  /** Factor of all pauses between attempts: 1. */
  readonly timeScale?: number
  /** Receives each request to an endpoint. */
  readonly onRequest?: OnWebhookRequest | undefined
}

export interface WebhookDelivery {
  start(): Promise<void>
  /** Stops sending. Messages that do not end in time are sent by another process, or later. */
  stop(): Promise<void>
  /** The position of the endpoint that is furthest behind, of those that this process owns; undefined: it owns none. */
  readonly position: ChangePosition | undefined
}

// 16 in flight, 53 completed, and 27 more while those are saved.
const WINDOW = 96
const CHECKPOINT_MS = 50
// A change is readable when all transactions that began before it have ended: mostly within milliseconds.
const POLL_MS = [3, 20, 100]
const DUE_EVERY_MS = 500
const DUE_BATCH_SIZE = 16
const PRUNE_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
// Only the first bytes are kept; an endless response is aborted.
const MAX_RESPONSE_BYTES = 64 * 1024
// Standard Webhooks: 15 to 30 s.
const DEADLINE_MS = 20_000

/** Creates the actor that delivers webhooks. */
export const createWebhookDelivery = (options: WebhookDeliveryOptions): WebhookDelivery => {
  const { database, vault, changeSignal, log, leaseMs = 10_000 } = options
  const { allowPrivateAddresses, proxy, localAddress } = options
  const { keepAttemptsDays = 30, graceMs = 5000 } = options
  const { nowMs } = options.clock
  const worker = { id: randomUUID(), leaseMs }
  const endpoints = new Map<string, Endpoint>()
  const transport = createWebhookTransport({
    allowPrivateAddresses,
    proxy,
    localAddress,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    storedResponseBytes: STORED_RESPONSE_BYTES,
    onRequest: options.onRequest,
  })
  const stopping = new AbortController()
  let following: Promise<void> | undefined
  const term = createLeaseTerm(leaseMs)
  let wake = Promise.withResolvers<void>()

  const checkpoints = createCheckpoints({
    database,
    worker,
    log,
    endpoints,
    everyMs: options.checkpointMs ?? CHECKPOINT_MS,
    // Changes that were committed during the transaction of the save become readable after it.
    onSaved: () => wake.resolve(),
    onLost: (endpoint) => {
      endpoints.delete(endpoint.id)
      void endpoint.drain(0)
    },
  })
  const context: DeliveryContext = {
    transport,
    log,
    nowMs,
    limits: {
      timing: { scale: options.timeScale ?? 1, random: Math.random },
      concurrency: options.concurrency ?? 16,
      disableAfterMs: options.disableAfterMs ?? 3 * DAY_MS,
      window: options.window ?? WINDOW,
    },
    hasLease: () => term.remainingMs() > 0,
    onProgress: (needsPage) => {
      if (needsPage) wake.resolve()
      checkpoints.schedule()
    },
  }
  const assignments = createAssignments({
    database,
    vault,
    worker,
    endpoints,
    context,
    graceMs,
    flush: checkpoints.flush,
  })
  /** Releases an endpoint with outdated settings, and claims it again with the new ones if it is enabled. */
  const reload = async (endpoint: Endpoint): Promise<void> => {
    await assignments.leave(endpoint)
    await renewals.run()
  }
  const onOutdated = (endpoint: Endpoint): void => void reload(endpoint)
  const endpointReader = createEndpointReader({ database, log, onOutdated })

  const renew = async (): Promise<void> => {
    const startedMs = performance.now()
    const before = endpoints.size
    await assignments.renew(() => term.extend(startedMs))
    if (endpoints.size > before) wake.resolve()
    for (const endpoint of endpoints.values()) endpoint.pump()
  }

  const loadDue = async (): Promise<void> => {
    const now = nowMs()
    const open = [...endpoints.values()].filter(
      ({ health }) => health.pausedUntil === null || health.pausedUntil.getTime() <= now,
    )
    if (open.length === 0) return
    for (const endpoint of open) endpoint.beginDueQuery()
    const due = await listDueRetries(database, open, DUE_BATCH_SIZE)
    // After the due retries are read, and even if there are none: queued messages of old settings stop soon.
    const outdated = await listOutdated(database, open)
    const dueOf = Map.groupBy(due, ({ subscriptionId }) => subscriptionId)
    // Includes endpoints whose circuit may be tried again by now.
    for (const endpoint of open) {
      if (outdated.has(endpoint.id)) {
        onOutdated(endpoint)
        continue
      }
      endpoint.addDue(dueOf.get(endpoint.id) ?? [])
      endpoint.pump()
      if (endpoint.needsPage) wake.resolve()
    }
  }

  const renewals = createRepeater({
    step: renew,
    everyMs: leaseMs / 5,
    onFailure: (error) =>
      log.warn({ err: error }, 'could not renew the lease on webhook subscriptions'),
  })
  const loads = createRepeater({
    step: loadDue,
    everyMs: DUE_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'could not load due webhook retries'),
  })
  const prunes = createRepeater({
    step: async (signal) => {
      while (!signal.aborted && (await pruneAttempts(database, keepAttemptsDays)) > 0);
    },
    everyMs: PRUNE_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'could not delete old webhook attempts'),
  })
  const repeaters = [renewals, loads, prunes]

  const follow = async (): Promise<void> => {
    let pauses: readonly number[] = []
    while (!stopping.signal.aborted) {
      const next = changeSignal.next().then(() => POLL_MS)
      wake = Promise.withResolvers()
      try {
        const hasMore = await endpointReader.read(endpoints.values())
        checkpoints.schedule()
        if (hasMore) continue
      } catch (error) {
        log.warn({ err: error }, 'could not read the change log for webhooks')
      }
      const [pauseMs, ...later] = pauses
      const polled = Promise.withResolvers<readonly number[]>()
      const timer = pauseMs !== undefined && setTimeout(polled.resolve, pauseMs, later)
      const woken = wake.promise.then(() => pauses)
      pauses = await Promise.race([next, polled.promise, woken])
      if (timer) clearTimeout(timer)
    }
  }

  return {
    get position() {
      const [first, ...others] = [...endpoints.values()].map(({ main }) => main.readTo)
      return others.reduce((least, next) => (least && isBefore(next, least) ? next : least), first)
    },
    start: async () => {
      if (allowPrivateAddresses)
        log.warn(
          {},
          'webhooks may be sent to private addresses, because ALLOW_PRIVATE_ADDRESSES is true',
        )
      await renew()
      for (const repeater of repeaters) repeater.start()
      // Also now, for processes that run for less than an hour.
      void prunes.run()
      following = follow()
    },
    stop: async () => {
      stopping.abort()
      wake.resolve()
      await Promise.all([following, ...repeaters.map((repeater) => repeater.stop())])
      await assignments.leaveAll()
      checkpoints.stop()
      await removeWorker(database, worker)
      await transport.stop()
    },
  }
}
