/** The actor that runs workflows: follows the change log and performs what is due, in any number of processes. */
import { randomUUID } from 'node:crypto'
import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector } from '../definition/connector.ts'
import { createPostbox } from '../outbound/postbox.ts'
import { createRepeater } from '../repeater.ts'
import type { ChangeFeed } from '../store/change-feed.ts'
import type { Database } from '../store/database.ts'
import { ensureLogReader } from '../store/log-readers.ts'
import type { Vault } from '../store/vault.ts'
import { type Claim, claimRuns } from '../store/workflow-claims.ts'
import { type ClaimedRun, pruneRuns, renewRunLeases } from '../store/workflow-runs.ts'
import {
  createDefinitions,
  type SignPost,
  type WorkflowContext,
  type WorkflowLog,
  type WorkflowWriter,
} from './context.ts'
import { defaultLimits, type RetryLimits } from './failure.ts'
import { followChanges, READER } from './follow.ts'
import { attemptRun } from './perform.ts'

export interface WorkflowEngineOptions extends Partial<RetryLimits> {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly connectors: ReadonlyMap<string, Connector>
  /** Started and stopped by its owner. */
  readonly feed: Pick<ChangeFeed, 'next'>
  readonly writer: WorkflowWriter
  readonly vault: Vault
  readonly sign: SignPost
  readonly log: WorkflowLog
  /** Posts to loopback and private networks too. */
  readonly allowPrivateAddresses: boolean
  /** Upserts at once in this process: 4. */
  readonly concurrency?: number
  /** Posts at once in this process, which cost little while their answers are waited for: 64. */
  readonly postConcurrency?: number
  /** A run goes on elsewhere so long after its process was killed: 15 s. */
  readonly leaseMs?: number
  /** The longest attempt: 2 min. */
  readonly attemptMs?: number
  /** Runs that have ended are kept so long: 30 days. */
  readonly keepRunsDays?: number
  /** The runs under way may end before the process does: 5 s. */
  readonly graceMs?: number
}

export interface WorkflowEngine {
  start(): Promise<void>
  /** Runs that do not end in time go on elsewhere or later. */
  stop(): Promise<void>
}

const TICK_MS = 1000
const PRUNE_EVERY_MS = 3_600_000
// Standard Webhooks: 15 to 30 s.
const POST_DEADLINE_MS = 20_000
// Only the status of an answer is of interest.
const MAX_ANSWER_BYTES = 64 * 1024

interface Held {
  readonly action: Claim['action']
  readonly run: ClaimedRun
  readonly lost: AbortController
  readonly ended: Promise<void>
}

/** Runs workflows until it is stopped. */
export const createWorkflowEngine = (options: WorkflowEngineOptions): WorkflowEngine => {
  const { database, catalogue, connectors, feed, writer, log } = options
  const { concurrency = 4, postConcurrency = 64 } = options
  const { leaseMs = 15_000, attemptMs = 120_000, graceMs = 5000 } = options
  const { allowPrivateAddresses, keepRunsDays = 30 } = options
  const limits = { ...defaultLimits, ...options }
  const postbox = createPostbox({
    allowPrivateAddresses,
    deadlineMs: POST_DEADLINE_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    keptAnswerBytes: 0,
  })
  const definitions = createDefinitions({ catalogue, connectors })
  const context: WorkflowContext = {
    ...{ database, catalogue, connectors, writer, postbox, log, definitions },
    ...{ vault: options.vault, sign: options.sign },
  }
  const holder = randomUUID()
  const held = new Map<string, Held>()
  const stopClaiming = new AbortController()
  const stopRunning = new AbortController()
  let ticker: NodeJS.Timeout | undefined
  let following: Promise<void> | undefined
  let claiming: Promise<void> | undefined
  let isClaimWanted = false

  const hold = (action: Claim['action'], run: ClaimedRun): void => {
    const lost = new AbortController()
    const attempt = { limits, attemptMs, stop: stopRunning.signal, lost: lost.signal }
    const ended = attemptRun(context, run, attempt)
      // The database did not take it down. The lease runs out, and the run is due again.
      .catch((error: unknown) => log.error({ run: run.id, err: error }, 'a run was not settled'))
      .finally(() => {
        held.delete(run.id)
        claim()
      })
    held.set(run.id, { action, run, lost, ended })
  }

  const claimSome = async (action: Claim['action'], places: number): Promise<void> => {
    const limit = places - [...held.values()].filter((one) => one.action === action).length
    if (limit <= 0) return
    // A target that hangs or fails must not hold up what others wait for.
    const share = Math.max(1, Math.floor(places / 2))
    const runs = await claimRuns(database, { holder, leaseMs, action, limit, share })
    for (const run of runs) hold(action, run)
  }

  const claimDue = async (): Promise<void> => {
    while (isClaimWanted && !stopClaiming.signal.aborted) {
      isClaimWanted = false
      await claimSome('upsert', concurrency)
      await claimSome('post', postConcurrency)
    }
  }

  /** Looks for runs that are due: now, or once more if that is under way. */
  const claim = (): void => {
    isClaimWanted = true
    claiming ??= claimDue()
      .catch((error: unknown) => log.warn({ err: error }, 'due workflow runs were not claimed'))
      .finally(() => {
        claiming = undefined
      })
  }

  const follow = async (): Promise<void> => {
    while (!stopClaiming.signal.aborted) {
      const next = feed.next()
      try {
        const { inserted, hasMore } = await followChanges(context)
        if (inserted > 0) claim()
        if (hasMore) continue
      } catch (error) {
        log.warn({ err: error }, 'the change log was not followed')
      }
      await Promise.race([next, stopped.promise])
    }
  }
  const stopped = Promise.withResolvers<void>()

  const renew = async (): Promise<void> => {
    const asked = [...held.values()]
    if (asked.length === 0) return
    const runs = asked.map(({ run }) => run)
    const still = await renewRunLeases(database, runs, leaseMs)
    for (const { run, lost } of asked) if (!still.has(run.id)) lost.abort()
  }

  const prune = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await pruneRuns(database, keepRunsDays)) > 0);
  }

  const renewals = createRepeater({
    step: renew,
    everyMs: leaseMs / 3,
    // Not lost yet: what settles a run says whether it still holds.
    onFailure: (error) => log.warn({ err: error }, 'the leases of workflow runs were not renewed'),
  })
  const prunes = createRepeater({
    step: prune,
    everyMs: PRUNE_EVERY_MS,
    onFailure: (error) => log.warn({ err: error }, 'old workflow runs were not deleted'),
  })

  return {
    start: async () => {
      await ensureLogReader(database, READER)
      ticker = setInterval(claim, TICK_MS)
      claim()
      renewals.start()
      prunes.start()
      // A process that never lives for an hour prunes too.
      void prunes.run()
      following = follow()
    },
    stop: async () => {
      stopClaiming.abort()
      stopped.resolve()
      clearInterval(ticker)
      await Promise.all([following, claiming, prunes.stop()])
      const grace = setTimeout(() => stopRunning.abort(), graceMs)
      // What is claimed in the last moment is held as well.
      while (held.size > 0) await Promise.all([...held.values()].map(({ ended }) => ended))
      clearTimeout(grace)
      await renewals.stop()
      await postbox.stop()
    },
  }
}
