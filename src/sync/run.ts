/**
 * One sync run: lists one resource of one credential, stores its pages and reconciles missing records. A page
 * and the cursor of the next one are stored in one transaction, so an interrupted run resumes from its last page.
 */
import { feedKeyOf } from '../definition/feed.ts'
import { pagesAtOnce } from '../definition/request-limits.ts'
import { isExpiredPosition } from '../outbound/app-error.ts'
import { listPages } from '../outbound/list-pages.ts'
import { createLoopGuard } from '../outbound/loop-guard.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import { lockRecords, MAX_BATCH } from '../store/records/apply-changes.ts'
import { ensureRecordTotal } from '../store/records/record-totals.ts'
import { isFeedStarting } from '../store/sync/feeds.ts'
import { completeRun, releaseRun } from '../store/sync/held-run.ts'
import type { SeenPages } from '../store/sync/sync-state.ts'
import {
  accountOf,
  appClientOf,
  appendSyncEvent,
  openApp,
  type ResourceRun,
  resourceOf,
  type SyncContext,
  transact,
} from './active-run.ts'
import { isRecovery } from './failure-plan.ts'
import { endFullListing, startFullListing } from './full-listing.ts'
import { batchAvailable } from './gather.ts'
import type { HeldRun } from './leases.ts'
import { createPageMapper, joinPages, type MappedPages, remoteIdsOf, sizeOf } from './map-pages.ts'
import { readMissingLabel } from './missing-label.ts'
import { reconcileMissing } from './missing-records.ts'
import { nextPollMs, pollOf } from './next-poll.ts'
import { nextFullListingMs, nextStart, planRun, restartRun } from './plan-run.ts'
import { compareRemoteCount, countBeforeListing } from './remote-count.ts'
import { prepareContext, waitForContext } from './run-context.ts'
import {
  endInterrupted,
  isSliceOver,
  parsed,
  pause,
  type RunResult,
  savedCursorsOf,
  workedMs,
} from './run-end.ts'
import { logCompletedRun } from './run-log.ts'
import { NEXT_TICK_MS } from './run-slots.ts'
import { storePages, tracksSeenRecords } from './store-pages.ts'

const openRun = async (
  context: SyncContext,
  { lease, state, acquiredMs }: HeldRun,
): Promise<ResourceRun | undefined> => {
  const { credentialId, topic } = lease.key
  const app = await openApp(context, credentialId)
  if (!app) return
  const resource = app.connector.resources[topic]
  if (!resource) throw new Error(`No connector for ${topic} of ${app.credential.app}.`)
  const { seen, ...progress } = state.progress ?? planRun(state, resource.sync)
  return { context, lease, ...app, resource, state, acquiredMs, progress, seen, advanced: false }
}

/** Whether the first listing waits for its feed, which then reports every change since the listing has started. */
const waitsForFeed = async ({
  context,
  lease,
  connector,
  state,
}: ResourceRun): Promise<boolean> => {
  const { credentialId, topic } = lease.key
  const feed = feedKeyOf(connector.feeds, topic)
  const isFirst = state.fullListingAgeMs === null && state.progress === null && state.failures === 0
  if (feed === undefined || !isFirst) return false
  return isFeedStarting(context.database, { credentialId, topic: feed })
}

const prepareRun = async (run: ResourceRun): Promise<void> => {
  const { state, progress, owner } = run
  // A run for changes is saved with its first page: most have none.
  const startsListing = !state.progress && progress.listing === 'everything'
  if (state.hasRecordTotal && !startsListing) return
  await transact(run, async (transaction) => {
    if (!state.hasRecordTotal) {
      await lockRecords(transaction, owner.credentialId, resourceOf(run))
      await ensureRecordTotal(transaction, owner.credentialId, resourceOf(run))
    }
    if (startsListing) await startFullListing(transaction, run)
  })
}

/** The end of a slice of a listing. */
interface SliceEnd {
  readonly seen: SeenPages
  /** How long the app needs before the listing continues. */
  readonly waitMs: number
}

/** Lists and stores pages. @returns undefined after the last page */
const listAll = async (run: ResourceRun, signal: AbortSignal): Promise<SliceEnd | undefined> => {
  const { context, connector, resource, credential, lease } = run
  const { token, since } = run.progress
  const guard = createLoopGuard(run.seen)
  const mapPage = createPageMapper(
    resource.mapping,
    accountOf(run, resourceOf(run)),
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
    cursors: savedCursorsOf(run.progress),
    context: contextOf(connector, credential),
    pagesAtOnce: pagesAtOnce(connector.limits),
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
      // A page after which the app needs time may be repeated.
      for (const page of pages)
        if (page.waitMs === undefined) guard.checkPage(remoteIdsOf(page), page.cursors)
      const mapped = joinPages(pages)
      for (const path of mapped.problems) if (problemPaths.size < 20) problemPaths.add(path)
      await storePages(run, mapped)
      const { waitMs } = mapped
      const isEnd = mapped.remaining.length === 0
      if (!isEnd && (waitMs !== undefined || signal.aborted || (await isSliceOver(run))))
        return { seen: guard.memory(), waitMs: waitMs ?? 0 }
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

/** Lists and stores pages; everything, once, if the app no longer accepts the token or cursor. @returns as `listAll` */
const listOrRestart = async (
  run: ResourceRun,
  signal: AbortSignal,
): Promise<SliceEnd | undefined> => {
  try {
    return await listAll(run, signal)
  } catch (error) {
    if (signal.aborted || !isExpiredPosition(error) || run.progress.expired) throw error
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

const finish = async (run: ResourceRun, signal: AbortSignal): Promise<RunResult> => {
  const { context, lease, state, progress, resource } = run
  const { listing, counts, announced, startedAt, reconciliationId } = progress
  const counted = await compareRemoteCount(run, signal)
  const tookMs = workedMs(run)
  const changed = counts.created + counts.updated + counts.deleted > 0
  const idleRuns = changed || progress.first ? 0 : state.idleRuns + 1
  const dueInMs = await nextPollMs(run, pollOf(run), { tookMs, idleRuns })
  const isReported = announced || isRecovery(state.failure)
  // Most polls write one row, which needs no transaction.
  const isIdle = listing === 'changes' && !isReported && counts.listed === 0
  const completion = {
    ...nextStart(state, progress, resource.sync),
    ...counted,
    listing,
    startedAt,
    ...(reconciliationId !== undefined && { reconciliationId }),
    idleRuns,
    isIdle,
    dueInMs,
    coveredDueInMs: counted.isFullListingDue
      ? dueInMs
      : Math.max(dueInMs, nextFullListingMs(state, progress, resource.sync)),
  }
  if (isIdle) await completeRun(context.database, lease, completion)
  else
    await transact(run, async (transaction) => {
      await completeRun(transaction, lease, completion)
      if (tracksSeenRecords(run)) await endFullListing(transaction, run)
      if (isReported) await appendSyncEvent(transaction, run, 'completed', { ...counts })
    })
  logCompletedRun(run, tookMs)
  context.onRun?.(run.credential.app, 'completed')
  context.inBackground((signal) => readMissingLabel(run, signal))
  return { outcome: 'completed', counts }
}

/**
 * Starts or resumes the run of a lease and continues until it ends, fails or pauses. When the signal is
 * aborted, the current page is stored and the run is paused; with a LeaseLostError as the reason, nothing more
 * is stored.
 */
export const runSync = async (context: SyncContext, held: HeldRun): Promise<RunResult> => {
  const { signal } = held
  let run: ResourceRun | undefined
  try {
    run = await openRun(context, held)
    if (!run) return { outcome: 'held' }
    if (await waitsForFeed(run)) {
      await releaseRun(context.database, held.lease, { progress: null, dueInMs: NEXT_TICK_MS })
      return { outcome: 'held' }
    }
    const readiness = await prepareContext(run, signal)
    if (readiness === 'waiting') return await waitForContext(run)
    // Every resource is listed again, this one too.
    if (readiness === 'changed') return { outcome: 'held' }
    await prepareRun(run)
    await countBeforeListing(run, signal)
    for (;;) {
      if (run.progress.stage === 'listing') {
        const end = await listOrRestart(run, signal)
        if (end) return await pause(run, { ...run.progress, seen: end.seen }, end.waitMs)
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
    return endInterrupted(context, held, run, error)
  }
}
