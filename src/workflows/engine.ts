/** The workflow engine: turns changes in the change log into runs and performs due runs, in any number of processes. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector } from '../definition/connector.ts'
import type { Log } from '../log.ts'
import type { EgressOptions } from '../outbound/egress.ts'
import { createWebhookTransport, type OnWebhookRequest } from '../outbound/webhook-transport.ts'
import { createRepeater } from '../repeater.ts'
import type { ChangeSignal } from '../store/changes/change-signal.ts'
import { ensureLogReader } from '../store/changes/log-readers.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import { createLeaseRenewal, type HeldLease } from '../store/database/lease-renewal.ts'
import { renewLeases } from '../store/database/lease-sql.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { claimRuns, type WorkflowClaim } from '../store/workflows/workflow-claims.ts'
import {
  type ClaimedRun,
  pruneRuns,
  type RunLease,
  WORKFLOW_RUNS,
} from '../store/workflows/workflow-runs.ts'
import {
  createDefinitions,
  type SignRequest,
  type WorkflowContext,
  type WorkflowWriter,
} from './context.ts'
import { followChanges, READER } from './follow.ts'
import { attemptRun } from './perform.ts'
import { defaultLimits, type RetryLimits } from './retry-plan.ts'

/** The dependencies and settings of the workflow engine. */
export interface WorkflowEngineOptions extends EgressOptions, Partial<RetryLimits> {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly connectors: ReadonlyMap<string, Connector>
  /** Started and stopped by its owner. */
  readonly changeSignal: Pick<ChangeSignal, 'next'>
  readonly writer: WorkflowWriter
  readonly vault: Vault
  readonly clock: Clock
  readonly sign: SignRequest
  readonly log: Log
  /** Concurrent upserts in this process. Default: 4. */
  readonly concurrency?: number
  /** Concurrent posts in this process, which mostly wait for responses. Default: 64. */
  readonly postConcurrency?: number
  /** How long after its process was killed another process may take a run over. Default: 15 s. */
  readonly leaseMs?: number
  /** The time limit of an attempt. Default: 2 min. */
  readonly attemptMs?: number
  /** How long ended runs are kept. Default: 30 days. */
  readonly keepRunsDays?: number
  /** How long `stop` waits for current runs before it aborts them. Default: 5 s. */
  readonly graceMs?: number
  /** Receives each post to an address. */
  readonly onRequest?: OnWebhookRequest | undefined
}

/** The workflow engine of a process. */
export interface WorkflowEngine {
  start(): Promise<void>
  /** Waits for current runs. Those that do not end in time are released for another process or a later start. */
  stop(): Promise<void>
}

const TICK_MS = 1000
const PRUNE_EVERY_MS = 3_600_000
// Standard Webhooks: 15 to 30 s.
const POST_DEADLINE_MS = 20_000
// Only the status of a response is used.
const MAX_RESPONSE_BYTES = 64 * 1024

/** A run that this process performs. */
interface CurrentRun {
  readonly action: WorkflowClaim['action']
  readonly ended: Promise<void>
}

/** Creates the workflow engine of a process. */
export const createWorkflowEngine = (options: WorkflowEngineOptions): WorkflowEngine => {
  const { database, catalogue, connectors, changeSignal, writer, log } = options
  const { concurrency = 4, postConcurrency = 64 } = options
  const { leaseMs = 15_000, attemptMs = 120_000, graceMs = 5000 } = options
  const { allowPrivateAddresses, proxy, localAddress, keepRunsDays = 30 } = options
  const limits = { ...defaultLimits, ...options }
  const transport = createWebhookTransport({
    allowPrivateAddresses,
    proxy,
    localAddress,
    deadlineMs: POST_DEADLINE_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    storedResponseBytes: 0,
    onRequest: options.onRequest,
  })
  const definitions = createDefinitions({ catalogue, connectors })
  const context: WorkflowContext = {
    database,
    catalogue,
    connectors,
    writer,
    transport,
    log,
    definitions,
    vault: options.vault,
    clock: options.clock,
    sign: options.sign,
  }
  const renewal = createLeaseRenewal<RunLease>({
    durationMs: leaseMs,
    renew: (leases) => renewLeases(database, WORKFLOW_RUNS, leases),
    onFailure: (error) =>
      log.warn({ err: error }, 'the leases of workflow runs could not be renewed'),
  })
  /** By the holders of their leases. */
  const current = new Map<string, CurrentRun>()
  const stopClaiming = new AbortController()
  const stopRunning = new AbortController()
  let ticker: NodeJS.Timeout | undefined
  let following: Promise<void> | undefined
  let claiming: Promise<void> | undefined
  let isClaimWanted = false

  const perform = (action: WorkflowClaim['action'], run: ClaimedRun, held: HeldLease): void => {
    const { holder } = run.lease
    const attempt = { limits, attemptMs, stop: stopRunning.signal, lost: held.signal }
    const ended = attemptRun(context, run, attempt)
      // The outcome is not stored. The run is due again once its lease expires.
      .catch((error: unknown) =>
        log.error({ run: run.id, err: error }, 'the outcome of a workflow run could not be stored'),
      )
      .finally(() => {
        held.release()
        current.delete(holder)
        claim()
      })
    current.set(holder, { action, ended })
  }

  const claimRunsOf = async (action: WorkflowClaim['action'], slots: number): Promise<void> => {
    const limit = slots - [...current.values()].filter((one) => one.action === action).length
    if (limit <= 0) return
    // A target that hangs or fails must not occupy all slots.
    const share = Math.max(1, Math.floor(slots / 2))
    const holders = [...current.keys()]
    const sentMs = performance.now()
    const runs = await claimRuns(database, { holders, leaseMs, action, limit, share })
    for (const run of runs) perform(action, run, renewal.hold(run.lease, sentMs))
  }

  const claimDue = async (): Promise<void> => {
    while (isClaimWanted && !stopClaiming.signal.aborted) {
      isClaimWanted = false
      await claimRunsOf('upsert', concurrency)
      await claimRunsOf('post', postConcurrency)
    }
  }

  /** Claims due runs now, or again after the current claim. */
  const claim = (): void => {
    isClaimWanted = true
    claiming ??= claimDue()
      .catch((error: unknown) => log.warn({ err: error }, 'due workflow runs could not be claimed'))
      .finally(() => {
        claiming = undefined
      })
  }

  const follow = async (): Promise<void> => {
    while (!stopClaiming.signal.aborted) {
      const next = changeSignal.next()
      try {
        const { inserted, hasMore } = await followChanges(context)
        if (inserted > 0) claim()
        if (hasMore) continue
      } catch (error) {
        log.warn({ err: error }, 'the workflows could not read the change log')
      }
      await Promise.race([next, stopped.promise])
    }
  }
  const stopped = Promise.withResolvers<void>()

  const prune = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await pruneRuns(database, keepRunsDays)) > 0);
  }

  const prunes = createRepeater({
    step: prune,
    everyMs: PRUNE_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'old workflow runs could not be deleted'),
  })

  return {
    start: async () => {
      await ensureLogReader(database, READER)
      ticker = setInterval(claim, TICK_MS)
      claim()
      prunes.start()
      // A process that runs for less than an hour prunes too.
      void prunes.run()
      following = follow()
    },
    stop: async () => {
      stopClaiming.abort()
      stopped.resolve()
      clearInterval(ticker)
      await Promise.all([following, claiming, prunes.stop()])
      const grace = setTimeout(() => stopRunning.abort(), graceMs)
      // Includes the runs that were claimed last.
      while (current.size > 0) await Promise.all([...current.values()].map(({ ended }) => ended))
      clearTimeout(grace)
      await transport.stop()
    },
  }
}
