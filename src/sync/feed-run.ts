/**
 * One run of a feed: lists the changes of several resources of one credential, reads the records if it reports
 * only their ids, and stores them. A page and the cursor of the next one are stored in one transaction, the token at the
 * end, so an interrupted run resumes from its last page.
 */
import { feedAt } from '../definition/feed.ts'
import type { SyncDefinition } from '../definition/sync.ts'
import { isExpiredPosition } from '../outbound/app-error.ts'
import { classifyFailure } from '../outbound/classify-failure.ts'
import { createLoopGuard } from '../outbound/loop-guard.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import { advanceCovered, endCoverage, lockStates } from '../store/sync/feeds.ts'
import { completeRun, saveProgress } from '../store/sync/held-run.ts'
import { resyncCredential } from '../store/sync/sync-control.ts'
import type { SeenPages } from '../store/sync/sync-state.ts'
import { appendSyncEvent, openApp, type SyncContext, transact } from './active-run.ts'
import { FAILURES_BEFORE_POLLING } from './failure-plan.ts'
import type { HeldRun } from './leases.ts'
import { remoteIdsOf } from './map-pages.ts'
import { nextPollMs } from './next-poll.ts'
import { MAX_DRIFT, nextStart, planRun, restartRun } from './plan-run.ts'
import { readReportedPage } from './read-reported.ts'
import { prepareContext, waitForContext } from './run-context.ts'
import {
  countFailures,
  endInterrupted,
  isSliceOver,
  parsed,
  pause,
  type RunResult,
  workedMs,
} from './run-end.ts'
import { logCompletedRun } from './run-log.ts'
import { type FeedRun, storeReportedPage } from './store-reported.ts'

// A run without a token is a feed that starts.
const BY_TOKEN: SyncDefinition = { changes: { by: 'token' }, deletions: 'reported' }

const openFeed = async (
  context: SyncContext,
  { lease, state, acquiredMs }: HeldRun,
): Promise<FeedRun | undefined> => {
  const { credentialId, topic } = lease.key
  const app = await openApp(context, credentialId)
  if (!app) return
  const feed = feedAt(app.connector.feeds, topic)
  if (!feed) throw new Error(`No connector for ${topic} of ${app.credential.app}.`)
  const { seen, ...progress } = state.progress ?? planRun(state, BY_TOKEN)
  return { context, lease, ...app, feed, state, acquiredMs, progress, seen, advanced: false }
}

/** Lists and stores pages. @returns undefined after the last page; the pages seen so far if the slice is over */
const listChanges = async (run: FeedRun, signal: AbortSignal): Promise<SeenPages | undefined> => {
  const guard = createLoopGuard(run.seen)
  for (;;) {
    const page = await readReportedPage(run, signal)
    const { next } = page
    guard.checkPage(
      page.reported.flatMap(({ resource: { topic }, mapped }) =>
        remoteIdsOf(mapped).map((id) => `${topic}/${id}`),
      ),
      next === undefined ? [] : [next],
    )
    if (next !== undefined) guard.checkCursor(next)
    await storeReportedPage(run, page)
    if (next === undefined) return
    if (signal.aborted || (await isSliceOver(run))) return guard.memory()
  }
}

/** Lists and stores pages; the feed starts again, once, if the app no longer accepts its token or cursor. */
const listOrRestart = async (run: FeedRun, signal: AbortSignal): Promise<SeenPages | undefined> => {
  try {
    return await listChanges(run, signal)
  } catch (error) {
    if (signal.aborted || !isExpiredPosition(error) || run.progress.expired) throw error
    run.progress = restartRun(run.progress)
    run.seen = undefined
    await transact(run, (transaction) => saveProgress(transaction, run.lease, run.progress))
    run.context.log.info(
      run.lease.key,
      'the token or cursor of a feed has expired: its resources are listed in full',
    )
    return listChanges(run, signal)
  }
}

/** Completes a run. If the feed has started again, its resources are listed in full, after the start. */
const finish = async (run: FeedRun): Promise<RunResult> => {
  const { context, lease, state, progress, feed, connector, owner } = run
  const { listing, counts, startedAt, topics = {} } = progress
  const { credentialId } = owner
  const tookMs = workedMs(run)
  const changed = Object.keys(topics).length > 0
  const isRestarted = listing === 'everything' && !progress.first
  const idleRuns = changed || progress.first ? 0 : state.idleRuns + 1
  const token = parsed(state.token)
  const poll = {
    topics: feed.topics,
    requests: 1,
    firstRequest: () => {
      const context = contextOf(connector, run.credential)
      return feed.request({ token, cursor: undefined, context })
    },
  }
  const dueInMs = await nextPollMs(run, poll, { tookMs, idleRuns })
  const isIdle = listing === 'changes' && counts.listed === 0
  const completion = {
    ...nextStart(state, progress, BY_TOKEN),
    listing,
    startedAt,
    idleRuns,
    remoteCount: null,
    isIdle,
    isFullListingDue: false,
    dueInMs,
    coveredDueInMs: dueInMs,
  }
  if (isIdle) await completeRun(context.database, lease, completion)
  else
    await transact(run, async (transaction) => {
      if (isRestarted) {
        await lockStates(transaction, credentialId, [...feed.topics, lease.key.topic])
        for (const topic of feed.topics) await resyncCredential(transaction, credentialId, topic)
      }
      await completeRun(transaction, lease, completion)
      for (const [resource, counted] of Object.entries(topics))
        await appendSyncEvent(transaction, run, 'completed', {
          resource,
          listing: 'changes',
          ...counted,
        })
    })
  const covered = { credentialId, topics: feed.topics, startedAt, clockRate: 1 - MAX_DRIFT }
  await advanceCovered(context.database, covered)
  logCompletedRun(run, tookMs)
  context.onRun?.(connector.app, 'completed')
  return { outcome: 'completed', counts }
}

/** Whether the resources of a failing feed are polled by themselves. Rate limits would count those requests too. */
const isBroken = (run: FeedRun, error: unknown): boolean => {
  const { code } = classifyFailure(error)
  if (code === 'APP_RATE_LIMITED') return false
  return code === 'APP_AUTHENTICATION' || countFailures(run.state, run) >= FAILURES_BEFORE_POLLING
}

/**
 * Starts or resumes the run of a feed and continues until it ends, fails or pauses; the signal is that of `runSync`.
 * When the feed fails several times in a row, its resources are polled by themselves until it works again.
 */
export const runFeed = async (context: SyncContext, held: HeldRun): Promise<RunResult> => {
  const { signal } = held
  let run: FeedRun | undefined
  try {
    run = await openFeed(context, held)
    if (!run) return { outcome: 'held' }
    // A changed context makes full listings of the resources due; the feed itself continues.
    if ((await prepareContext(run, signal)) === 'waiting') return await waitForContext(run)
    if (run.progress.stage === 'listing') {
      const seen = await listOrRestart(run, signal)
      if (seen) return await pause(run, { ...run.progress, seen }, 0)
    }
    return await finish(run)
  } catch (error) {
    const result = await endInterrupted(context, held, run, error)
    if (run && result.outcome === 'failed' && isBroken(run, error))
      await endCoverage(context.database, run.credential.id, run.feed.topics)
    return result
  }
}
