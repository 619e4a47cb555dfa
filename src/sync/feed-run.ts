/**
 * One run of a feed: lists the changes of several resources of one credential, reads the records of which it reports
 * only the ids, and stores them. A page and the cursor of the next one are stored in one transaction, the token at the
 * end, so an interrupted run resumes from its last page.
 */
import type { AppRequest, ResourceConnector, Steps } from '../definition/connector.ts'
import { type FeedChange, type FeedPage, feedAt } from '../definition/feed.ts'
import { recordId } from '../definition/identity.ts'
import type { SyncDefinition } from '../definition/sync.ts'
import { AppUnavailableError, factsOf, isExpired } from '../outbound/app-error.ts'
import { classifyFailure } from '../outbound/classify-failure.ts'
import type { AppClient } from '../outbound/http.ts'
import { createLoopGuard } from '../outbound/list-pages.ts'
import { listStoppedTopics } from '../store/inbound/events.ts'
import { advanceCovered, endCoverage, lockStates } from '../store/sync/feeds.ts'
import { resyncCredential } from '../store/sync/sync-control.ts'
import { completeRun, type SeenPages, saveProgress } from '../store/sync/sync-state.ts'
import { resultOf, runSteps } from '../write/run-steps.ts'
import { appendSyncEvent, openApp, type SyncContext, transact } from './active-run.ts'
import { FAILURES_BEFORE_POLLING } from './failure-plan.ts'
import type { HeldRun } from './leases.ts'
import { createPageMapper, type MappedPages, remoteIdsOf } from './map-pages.ts'
import { nextPollMs } from './next-poll.ts'
import { MAX_DRIFT, nextStart, planRun, restartRun } from './plan-run.ts'
import { isFetchable, readRecords } from './read-records.ts'
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
import { LIMIT_REACHED } from './storage-limits.ts'
import { type FeedRun, type ReportedPage, storeReportedPage } from './store-reported.ts'

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

const appClientOf = ({ context, owner }: FeedRun): AppClient =>
  context.appClient.spending({ ...owner, purpose: 'changes' })

interface SentPage extends FeedPage {
  /** When it was requested, by `performance.now()`. */
  readonly requestedMs: number
}

/** Requests the page at the progress of a run. @throws AppError */
const fetchPage = async (run: FeedRun, signal: AbortSignal): Promise<SentPage> => {
  const { connector, credential, feed, progress } = run
  const position = { token: parsed(progress.token ?? null), cursor: parsed(progress.cursor) }
  const request: AppRequest = { ...feed.request(position), read: true }
  const requestedMs = performance.now()
  const response = await appClientOf(run).send(connector, credential, request, signal)
  try {
    const page = feed.read(response, position)
    if (page.next === undefined && page.token === undefined)
      throw new Error('The last page has no token.')
    return { ...page, requestedMs }
  } catch {
    // Without a cause: the error of a connector may quote the response.
    const reason = 'the response is not a page of changes'
    throw new AppUnavailableError({ ...factsOf(connector, request), reason }, 'malformed')
  }
}

/** The last change of each record. */
const lastOfEach = (changes: readonly FeedChange[]): readonly FeedChange[] => [
  ...new Map(changes.map((change) => [change.remoteId, change])).values(),
]

/** Reads records by their ids; undefined if the app refuses, and the resource must be listed by itself. @throws AppError */
const readByIds = async (
  run: FeedRun,
  resource: ResourceConnector,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly unknown[] | undefined> => {
  const { context, connector, credential, lease } = run
  if (!isFetchable(resource)) return
  const client = appClientOf(run)
  const send = (request: AppRequest) => client.send(connector, credential, request, signal)
  const source = {
    database: context.database,
    credentialId: credential.id,
    run: async <Result>(steps: Steps<Result>) => resultOf(await runSteps(steps, send)),
  }
  try {
    return await readRecords(source, resource, ids)
  } catch (error) {
    const { code, reason } = classifyFailure(error)
    if (signal.aborted || (code !== 'APP_REFUSED' && code !== 'INTERNAL')) throw error
    const { topic } = resource.mapping.resource
    context.log.warn({ ...lease.key, topic, code, reason }, 'records of a feed were not read')
    return
  }
}

/** The records of the changes of one resource; `isComplete` is false if some could not be read. @throws AppError */
const mapChanges = async (
  run: FeedRun,
  resource: ResourceConnector,
  changes: readonly FeedChange[],
  { signal, requestedMs }: { readonly signal: AbortSignal; readonly requestedMs: number },
): Promise<{ readonly mapped: MappedPages; readonly isComplete: boolean }> => {
  const { credential, state, acquiredMs } = run
  const all = lastOfEach(changes)
  const deleted = all.filter(({ kind }) => kind === 'deleted').map(({ remoteId }) => remoteId)
  const changed = all.filter(({ kind }) => kind === 'changed')
  const ids = changed.filter(({ record }) => record === undefined).map(({ remoteId }) => remoteId)
  const whole = changed.flatMap(({ record }) => (record === undefined ? [] : [record]))
  const read = ids.length === 0 ? [] : await readByIds(run, resource, ids, signal)
  const mapPage = createPageMapper(
    resource.mapping,
    credential.id,
    (steadyMs) => Date.parse(state.now) + steadyMs - acquiredMs,
  )
  const mapped = await mapPage({
    records: [...whole, ...(read ?? [])],
    deleted,
    next: undefined,
    appTime: undefined,
    requestedMs,
  })
  const present = new Set(remoteIdsOf(mapped))
  // A record without an id may be any of those that seem to be absent.
  const isComplete = read !== undefined && mapped.skipped === 0
  const absent = isComplete ? ids.filter((id) => !present.has(id)) : []
  const { topic } = resource.mapping.resource
  const gone = absent.map((remoteId) => ({
    id: recordId(credential.id, topic, remoteId),
    remoteId,
  }))
  return { mapped: { ...mapped, tombstones: [...mapped.tombstones, ...gone] }, isComplete }
}

/** Reads the records of a page. The changes of paused resources are left out. @throws AppError */
const readPage = async (
  run: FeedRun,
  page: SentPage,
  signal: AbortSignal,
): Promise<ReportedPage> => {
  const { context, connector, credential, feed } = run
  const { changes, next, token, requestedMs } = page
  const incomplete = new Set(page.incomplete?.filter((topic) => feed.topics.includes(topic)))
  const reported: ReportedPage['reported'][number][] = []
  const lacking: string[] = []
  const byTopic = Map.groupBy(changes, ({ topic }) => topic)
  const stopped =
    changes.length === 0
      ? new Set()
      : await listStoppedTopics(context.database, credential.id, LIMIT_REACHED)
  for (const topic of feed.topics) {
    const resource = connector.resources[topic]
    const own = byTopic.get(topic)
    if (!resource || !own) continue
    if (stopped.has(topic)) {
      incomplete.add(topic)
      if (own.some(({ kind }) => kind === 'deleted')) lacking.push(topic)
      continue
    }
    const { mapped, isComplete } = await mapChanges(run, resource, own, { signal, requestedMs })
    reported.push({ resource: resource.mapping.resource, mapped })
    if (!isComplete) incomplete.add(topic)
  }
  const last = token !== undefined && { token }
  return { reported, incomplete: [...incomplete], lacking, next, ...last }
}

/** Lists and stores pages. @returns undefined after the last page; the pages seen so far if the slice is over */
const listChanges = async (run: FeedRun, signal: AbortSignal): Promise<SeenPages | undefined> => {
  const guard = createLoopGuard(run.seen)
  for (;;) {
    const page = await readPage(run, await fetchPage(run, signal), signal)
    const { next } = page
    guard.checkPage(
      page.reported.flatMap(({ resource: { topic }, mapped }) =>
        remoteIdsOf(mapped).map((id) => `${topic}/${id}`),
      ),
    )
    if (next !== undefined) guard.checkCursor(next)
    await storeReportedPage(run, page)
    if (next === undefined) return
    if (signal.aborted || (await isSliceOver(run))) return guard.memory(next)
  }
}

/** Lists and stores pages; the feed starts again, once, if the app no longer accepts its token or cursor. */
const listOrRestart = async (run: FeedRun, signal: AbortSignal): Promise<SeenPages | undefined> => {
  try {
    return await listChanges(run, signal)
  } catch (error) {
    if (signal.aborted || !isExpired(error) || run.progress.expired) throw error
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
    firstRequest: () => feed.request({ token, cursor: undefined }),
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
