/**
 * One sync run: lists one resource of one credential, stores its pages and reconciles missing records. A page
 * and the cursor of the next one are stored in one transaction, so an interrupted run resumes from its last page.
 */
import type { Json } from '../definition/connector.ts'
import { isAppError, isExpired } from '../outbound/app-error.ts'
import { createLoopGuard, listPages } from '../outbound/list-pages.ts'
import type { Transaction } from '../store/database/database.ts'
import { LeaseLostError } from '../store/database/lease-sql.ts'
import { temporaryFailureOf } from '../store/database/temporary-failure.ts'
import { lockRecords, MAX_BATCH } from '../store/records/apply-changes.ts'
import { ensureRecordTotal } from '../store/records/record-totals.ts'
import { reportAuthenticationFailure } from '../store/sync/authentication-failure.ts'
import { isAnyRunWaiting } from '../store/sync/claims.ts'
import { clearSeenRecords } from '../store/sync/seen-records.ts'
import {
  completeRun,
  type RunProgress,
  releaseRun,
  type SeenPages,
  type SyncCounts,
  type SyncLease,
  type SyncState,
  saveProgress,
} from '../store/sync/sync-state.ts'
import {
  type ActiveRun,
  appClientOf,
  appendSyncEvent,
  resourceOf,
  type SyncContext,
  transact,
} from './active-run.ts'
import {
  failureToStore,
  isFinalFailure,
  isNewFailure,
  isRecovery,
  planFailure,
} from './failure-plan.ts'
import { batchAvailable } from './gather.ts'
import type { HeldRun } from './leases.ts'
import { createPageMapper, joinPages, type MappedPages, remoteIdsOf, sizeOf } from './map-pages.ts'
import { readMissingLabel } from './missing-label.ts'
import { reconcileMissing } from './missing-records.ts'
import { nextPollMs } from './next-poll.ts'
import { nextStart, planRun, restartRun } from './plan-run.ts'
import { compareRemoteCount, countBeforeListing } from './remote-count.ts'
import { logCompletedRun, logFailedRun } from './run-log.ts'
import { TICK_MS } from './run-slots.ts'
import { storePages, tracksSeenRecords } from './store-pages.ts'

/** The outcome of a run, or of one slice of it. */
export type RunResult =
  | { readonly outcome: 'completed'; readonly counts: SyncCounts }
  /** The run continues after `dueInMs`, in this process or another. */
  | { readonly outcome: 'paused'; readonly dueInMs: number }
  | { readonly outcome: 'failed'; readonly error: unknown; readonly retryInMs: number }
  /** Another process holds the lease, or the credential was deleted. */
  | { readonly outcome: 'held' }
  /** Another process took the run over. */
  | { readonly outcome: 'lost' }

const openRun = async (
  context: SyncContext,
  lease: SyncLease,
  state: SyncState,
  acquiredMs: number,
): Promise<ActiveRun | undefined> => {
  const { credentialId, topic } = lease.key
  const credential = await context.loadCredential(credentialId)
  if (!credential) return
  const connector = context.connectors.get(credential.app)
  const resource = connector?.resources[topic]
  if (!connector || !resource) throw new Error(`No connector for ${topic} of ${credential.app}.`)
  const owner = { credentialId, environmentId: credential.environmentId }
  const { seen, ...progress } = state.progress ?? planRun(state, resource.sync)
  const run: ActiveRun = {
    ...{ context, lease, owner, credential, connector, resource, state, acquiredMs, progress },
    seen,
    advanced: false,
  }
  // A run for changes is saved with its first page: most have none.
  const startsListing = !state.progress && progress.listing === 'everything'
  if (!state.hasRecordTotal || startsListing)
    await transact(run, async (transaction) => {
      if (!state.hasRecordTotal) {
        await lockRecords(transaction, credentialId, resourceOf(run))
        await ensureRecordTotal(transaction, credentialId, resourceOf(run))
      }
      if (startsListing) await startFullListing(transaction, run)
    })
  return run
}

const startFullListing = async (transaction: Transaction, run: ActiveRun): Promise<void> => {
  const { lease, progress } = run
  await clearSeenRecords(transaction, lease.key)
  if (progress.first && !progress.expired) await appendSyncEvent(transaction, run, 'started')
  await saveProgress(transaction, lease, progress)
}

/** Whether the run must yield its slot to a waiting run. Queries the database only after the slice has elapsed. */
const isSliceOver = async ({ context, acquiredMs }: ActiveRun): Promise<boolean> =>
  performance.now() - acquiredMs > context.sliceMs &&
  (await isAnyRunWaiting(context.database, TICK_MS))

/** The JSON of a connector's token or cursor, saved by storePages. */
const parsed = (text: string | null): Json | undefined =>
  text === null ? undefined : (JSON.parse(text) as Json)

/** Lists and stores pages. @returns undefined after the last page; the pages seen so far if the slice is over */
const listAll = async (run: ActiveRun, signal: AbortSignal): Promise<SeenPages | undefined> => {
  const { context, connector, resource, credential, lease } = run
  const { cursor, token, since } = run.progress
  const guard = createLoopGuard(run.seen)
  const mapPage = createPageMapper(
    resource.mapping,
    credential.id,
    (steadyMs) => Date.parse(run.state.now) + steadyMs - run.acquiredMs,
  )
  const problemPaths = new Set<string>()
  const listing = {
    appClient: appClientOf(run),
    connector,
    resource,
    credential,
    since: since ?? undefined,
    token: parsed(token ?? null),
    cursor: parsed(cursor),
  }
  // Map pages as they arrive, while PostgreSQL stores earlier ones.
  async function* read(cancelled: AbortSignal): AsyncGenerator<MappedPages, void, void> {
    for await (const page of listPages(listing, guard, AbortSignal.any([signal, cancelled]))) {
      yield await mapPage(page)
    }
  }
  try {
    for await (const pages of batchAvailable(read, sizeOf, MAX_BATCH)) {
      // Not checked on arrival: the next slice lists pages again that this one does not store.
      for (const page of pages) guard.checkPage(remoteIdsOf(page))
      const mapped = joinPages(pages)
      for (const path of mapped.problems) if (problemPaths.size < 20) problemPaths.add(path)
      await storePages(run, mapped)
      const { next } = mapped
      if (next !== undefined && (signal.aborted || (await isSliceOver(run))))
        return guard.memory(next)
    }
    return
  } finally {
    const { problems, skipped } = run.progress.counts
    if (problemPaths.size > 0 || skipped > 0)
      context.log.warn(
        { ...lease.key, problems, skipped, paths: [...problemPaths] },
        'some values of the app do not fit the unified model',
      )
  }
}

/** The duration of the run over all of its slices. */
const workedMs = ({ progress, acquiredMs }: ActiveRun): number =>
  (progress.workedMs ?? 0) + performance.now() - acquiredMs

/** Lists and stores pages; everything, once, if the app no longer accepts the token or cursor. @returns as `listAll` */
const listOrRestart = async (
  run: ActiveRun,
  signal: AbortSignal,
): Promise<SeenPages | undefined> => {
  try {
    return await listAll(run, signal)
  } catch (error) {
    if (signal.aborted || !isExpired(error) || run.progress.expired) throw error
    run.progress = restartRun(run.progress)
    run.seen = undefined
    await transact(run, (transaction) => startFullListing(transaction, run))
    run.context.log.info(
      run.lease.key,
      'the token or cursor of a listing has expired: everything is listed',
    )
    return listAll(run, signal)
  }
}

const finish = async (run: ActiveRun, signal: AbortSignal): Promise<RunResult> => {
  const { context, lease, state, progress, resource } = run
  const { listing, counts, announced } = progress
  const counted = await compareRemoteCount(run, signal)
  const tookMs = workedMs(run)
  const changed = counts.created + counts.updated + counts.deleted > 0
  const idleRuns = changed || progress.first ? 0 : state.idleRuns + 1
  const dueInMs = await nextPollMs(run, { tookMs, idleRuns })
  const isReported = announced || isRecovery(state.failure)
  // Most polls write one row, which needs no transaction.
  const isIdle = listing === 'changes' && !isReported && counts.listed === 0
  const completion = {
    ...nextStart(state, progress, resource.sync),
    ...counted,
    listing,
    idleRuns,
    isIdle,
    dueInMs,
  }
  if (isIdle) await completeRun(context.database, lease, completion)
  else
    await transact(run, async (transaction) => {
      await completeRun(transaction, lease, completion)
      if (tracksSeenRecords(run)) await clearSeenRecords(transaction, lease.key)
      if (isReported) await appendSyncEvent(transaction, run, 'completed', { ...counts })
    })
  logCompletedRun(run, tookMs)
  context.onRun?.(run.credential.app, 'completed')
  context.inBackground((signal) => readMissingLabel(run, signal))
  return { outcome: 'completed', counts }
}

const pause = async (
  run: ActiveRun,
  progress: RunProgress,
  dueInMs: number,
  warning?: string,
): Promise<RunResult> => {
  const { context, lease } = run
  const paused = { ...progress, workedMs: workedMs(run) }
  await releaseRun(context.database, lease, { progress: paused, dueInMs, absence: warning })
  if (warning) context.log.warn({ ...lease.key, dueInMs }, warning)
  return { outcome: 'paused', dueInMs }
}

const fail = async (
  context: SyncContext,
  lease: SyncLease,
  state: SyncState,
  run: ActiveRun | undefined,
  error: unknown,
): Promise<RunResult> => {
  // Stored pages show that the app has worked since the last failure.
  const count = run?.advanced ? 1 : state.failures + 1
  const plan = planFailure(error, { count, intervalMs: context.intervalMs })
  const { code, reason, retryInMs } = plan
  const progress = plan.keepProgress ? (run?.progress ?? state.progress) : null
  const failure = { ...failureToStore({ code, reason }, state.failure), count }
  const release = { progress, dueInMs: retryInMs, failure }
  if (!run) await releaseRun(context.database, lease, release)
  else
    await transact(run, async (transaction) => {
      const reported = { code, reason, app: run.credential.app }
      if (code === 'APP_AUTHENTICATION' && !isFinalFailure(error))
        await reportAuthenticationFailure(transaction, run.owner, reported)
      if (isNewFailure(plan, state.failure))
        await appendSyncEvent(transaction, run, 'failed', { ...reported, ...run.progress.counts })
      await releaseRun(transaction, lease, release)
    })
  // Logged once it is stored: while the database is unavailable, the run is repeated.
  const app = run?.credential.app
  if (app !== undefined) context.onRun?.(app, code)
  logFailedRun(context.log, { lease, app, before: state.failure, plan, failures: count, error })
  return { outcome: 'failed', error, retryInMs }
}

/**
 * Starts or resumes the run of a lease and continues until it ends, fails or pauses. When the signal is
 * aborted, the current page is stored and the run is paused; with a LeaseLostError as the reason, nothing more
 * is stored.
 */
export const runSync = async (
  context: SyncContext,
  { lease, state, acquiredMs, signal }: HeldRun,
): Promise<RunResult> => {
  let run: ActiveRun | undefined
  try {
    run = await openRun(context, lease, state, acquiredMs)
    if (!run) return { outcome: 'held' }
    await countBeforeListing(run, signal)
    for (;;) {
      if (run.progress.stage === 'listing') {
        const seen = await listOrRestart(run, signal)
        if (seen) return await pause(run, { ...run.progress, seen }, 0)
      }
      const missing = await reconcileMissing(run)
      if (missing.kind === 'reconciled') return await finish(run, signal)
      const { progress, warning } = missing
      if (warning) return await pause(run, progress, context.confirmAfterMs, warning)
      run.progress = progress
      // The second listing returns the same pages again.
      run.seen = undefined
    }
  } catch (error) {
    if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError)
      return { outcome: 'lost' }
    if (run && signal.aborted) return await pause(run, run.progress, 0)
    // A failure of the database, not of the app: the lease expires, and any process resumes from the stored progress.
    if (!isAppError(error) && temporaryFailureOf(error)) throw error
    return await fail(context, lease, state, run, error)
  }
}
