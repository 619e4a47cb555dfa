/**
 * The actor that sends notifications (Standard Webhooks), in any number of processes.
 *
 * Each process holds a share of the subscriptions, and one subscription is held by one process. That
 * reads the change log, sends, and saves how far it has come, with the attempts that it made: that is all
 * that a message costs that arrives. What fails waits in a row, and the place in the log moves on.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createPostbox } from '../outbound/postbox.ts'
import { createRepeater } from '../repeater.ts'
import type { ChangeFeed } from '../store/change-feed.ts'
import type { Database } from '../store/database.ts'
import type { Vault } from '../store/vault.ts'
import { pruneAttempts } from '../store/webhook-attempts.ts'
import { removeWorker } from '../store/webhook-deliveries.ts'
import { listDueRetries } from '../store/webhook-progress.ts'
import { KEPT_ANSWER_BYTES } from './attempt.ts'
import { createCheckpoints } from './checkpoints.ts'
import type { DeliveryContext, DeliveryLog } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import { createFollower } from './follow.ts'
import { createHoldings } from './holdings.ts'

export interface WebhookDeliveryOptions {
  readonly database: Database
  readonly vault: Vault
  /** Started and stopped by its owner. */
  readonly feed: Pick<ChangeFeed, 'next'>
  readonly log: DeliveryLog
  /** Sends to loopback and private networks too: for tests, or where every integrator is trusted. */
  readonly allowPrivateAddresses: boolean
  /** Another process takes over so long after this one was killed: 10 s. */
  readonly leaseMs?: number
  /** From the dial to the last byte: 20 s. */
  readonly deadlineMs?: number
  /** Messages at once to one endpoint: 16. */
  readonly concurrency?: number
  /** Messages to one endpoint that a SIGKILL may cause to be sent again, at most: 512. */
  readonly window?: number
  /** The longest time between two checkpoints: 1 s. */
  readonly checkpointMs?: number
  /** Attempts after which one is due at once: 150. */
  readonly checkpointAttempts?: number
  /** An endpoint that has failed for so long is switched off: 3 days. */
  readonly disableAfterMs?: number
  /** Attempts are kept so long: 30 days. */
  readonly keepAttemptsDays?: number
  /** What is under way may end before the process does: 5 s. */
  readonly graceMs?: number
  /** Of all pauses between attempts: 1. */
  readonly timeScale?: number
  readonly nowMs?: () => number
}

export interface WebhookDelivery {
  start(): Promise<void>
  /** What does not end in time is sent by another process, or later. */
  stop(): Promise<void>
}

// A change becomes readable when all transactions have ended that began before it: mostly in milliseconds.
const LOOK_AGAIN_MS = [3, 20, 100]
const DUE_EVERY_MS = 500
const DUE_AT_ONCE = 16
const PRUNE_EVERY_MS = 3_600_000
const DAY_MS = 86_400_000
// Only its first bytes are kept; an endpoint that goes on and on is cut off.
const MAX_ANSWER_BYTES = 64 * 1024
// Standard Webhooks: 15 to 30 s.
const DEADLINE_MS = 20_000

/** Sends notifications until it is stopped. */
export const createWebhookDelivery = (options: WebhookDeliveryOptions): WebhookDelivery => {
  const { database, vault, feed, log, allowPrivateAddresses, leaseMs = 10_000 } = options
  const { keepAttemptsDays = 30, graceMs = 5000, nowMs = Date.now } = options
  const worker = { id: randomUUID(), leaseMs }
  const endpoints = new Map<string, Endpoint>()
  const postbox = createPostbox({
    allowPrivateAddresses,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    keptAnswerBytes: KEPT_ANSWER_BYTES,
  })
  const stopping = new AbortController()
  const stopped = Promise.withResolvers<void>()
  let following: Promise<void> | undefined
  let renewedMs = Number.NEGATIVE_INFINITY
  let wake = Promise.withResolvers<void>()

  const checkpoints = createCheckpoints({
    ...{ database, worker, log, endpoints },
    everyMs: options.checkpointMs ?? 1000,
    everyAttempts: options.checkpointAttempts ?? 150,
    // Until it had ended, its transaction held up what changed meanwhile.
    onSaved: () => wake.resolve(),
    onLost: (endpoint) => {
      endpoints.delete(endpoint.id)
      void endpoint.drain(0)
    },
  })
  const context: DeliveryContext = {
    ...{ postbox, log, nowMs },
    limits: {
      timing: { scale: options.timeScale ?? 1, random: Math.random },
      concurrency: options.concurrency ?? 16,
      disableAfterMs: options.disableAfterMs ?? 3 * DAY_MS,
      window: options.window ?? 512,
    },
    // A process that could not renew for so long may have been taken for dead.
    mayStart: () => performance.now() - renewedMs < leaseMs,
    onProgress: (isStarved) => {
      if (isStarved) wake.resolve()
      checkpoints.note()
    },
  }
  const holdings = createHoldings({
    ...{ database, vault, worker, endpoints, context, graceMs },
    flush: checkpoints.flush,
  })
  const follower = createFollower(database, log)

  const renew = async (): Promise<void> => {
    const beganMs = performance.now()
    const before = endpoints.size
    await holdings.renew(() => {
      renewedMs = beganMs
    })
    if (endpoints.size > before) wake.resolve()
    for (const endpoint of endpoints.values()) endpoint.pump()
  }

  const loadDue = async (): Promise<void> => {
    const now = nowMs()
    const open = [...endpoints.values()].filter(
      ({ health }) => health.pausedUntil === null || health.pausedUntil.getTime() <= now,
    )
    if (open.length === 0) return
    for (const endpoint of open) endpoint.awaitDue()
    const due = await listDueRetries(database, open, DUE_AT_ONCE)
    const dueOf = Map.groupBy(due, ({ subscriptionId }) => subscriptionId)
    // Those too whose circuit may be tried again by now.
    for (const endpoint of open) {
      endpoint.addDue(dueOf.get(endpoint.id) ?? [])
      endpoint.pump()
      if (endpoint.isStarved) wake.resolve()
    }
  }

  const renewals = createRepeater({
    step: renew,
    everyMs: leaseMs / 5,
    onFailure: (error) =>
      log.warn({ err: error }, 'the lease on webhook subscriptions was not renewed'),
  })
  const loads = createRepeater({
    step: loadDue,
    everyMs: DUE_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'due notifications were not loaded'),
  })
  const prunes = createRepeater({
    step: async (signal) => {
      while (!signal.aborted && (await pruneAttempts(database, keepAttemptsDays)) > 0);
    },
    everyMs: PRUNE_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'old attempts were not deleted'),
  })
  const repeaters = [renewals, loads, prunes]

  const follow = async (): Promise<void> => {
    let looks: readonly number[] = []
    while (!stopping.signal.aborted) {
      const next = feed.next().then(() => LOOK_AGAIN_MS)
      wake = Promise.withResolvers()
      try {
        const hasMore = await follower.read(endpoints.values())
        checkpoints.note()
        if (hasMore) continue
      } catch (error) {
        log.warn({ err: error }, 'the change log was not read')
      }
      const [lookMs, ...later] = looks
      const rest = new AbortController()
      const look = lookMs === undefined ? [] : [wait(lookMs, later, { signal: rest.signal })]
      for (const waited of look) waited.catch(() => {})
      const others = [wake.promise, stopped.promise].map((woken) => woken.then(() => looks))
      looks = await Promise.race([next, ...others, ...look])
      rest.abort()
    }
  }

  return {
    start: async () => {
      if (allowPrivateAddresses)
        log.warn({}, 'notifications are sent to private addresses as well: ALLOW_PRIVATE_ADDRESSES')
      await renew()
      for (const repeater of repeaters) repeater.start()
      // A process that never lives for an hour prunes too.
      void prunes.run()
      following = follow()
    },
    stop: async () => {
      stopping.abort()
      stopped.resolve()
      await Promise.all([following, ...repeaters.map((repeater) => repeater.stop())])
      await holdings.leaveAll()
      checkpoints.stop()
      await removeWorker(database, worker)
      await postbox.stop()
    },
  }
}
