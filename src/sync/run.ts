/**
 * One run of one resource of one credential: list, store, settle. Each page is one transaction with the
 * mark of the next, so whatever ends the process, the run goes on from its last page.
 */
import type { Json } from '../definition/connector.ts'
import { isAppError } from '../outbound/app-error.ts'
import { MAX_BATCH } from '../store/apply-changes.ts'
import { isDatabaseAway } from '../store/database.ts'
import { clearSightings } from '../store/sightings.ts'
import { reportAuthenticationFailure } from '../store/sync-events.ts'
import {
  completeRun,
  type Lease,
  LeaseLostError,
  type RunProgress,
  releaseRun,
  type SyncCounts,
  type SyncState,
  saveProgress,
} from '../store/sync-state.ts'
import { settleAbsence } from './absence.ts'
import { type ActiveRun, announce, type SyncContext, transact } from './active-run.ts'
import { readSurplus } from './census.ts'
import { failureToKeep, isNews, isRecovery, planFailure } from './failure.ts'
import { gather } from './gather.ts'
import type { HeldLease } from './leases.ts'
import { createPageMapper, joinPages, type MappedPages } from './map-pages.ts'
import { createLoopGuard, listPages } from './pages.ts'
import { storePages } from './store-pages.ts'

export type RunResult =
  | { readonly outcome: 'completed'; readonly counts: SyncCounts }
  /** To go on at its time, here or elsewhere. */
  | { readonly outcome: 'paused'; readonly dueInMs: number }
  | { readonly outcome: 'failed'; readonly error: unknown; readonly retryInMs: number }
  /** Another holds the lease, or the credential is gone. */
  | { readonly outcome: 'held' }
  /** Another has taken over in the middle. */
  | { readonly outcome: 'lost' }

const noCounts: SyncCounts = {
  pages: 0,
  listed: 0,
  skipped: 0,
  problems: 0,
  created: 0,
  updated: 0,
  deleted: 0,
}

/** A run from its beginning: everything if that was never listed, is due, or is all that the app can do. */
const planRun = (state: SyncState, { sync }: ActiveRun['resource'], fullMs: number) => {
  const first = state.fullListingAgeMs === null
  const isDue = sync.deletions === 'absent' && (state.fullListingAgeMs ?? 0) >= fullMs
  const everything = first || !sync.incremental || isDue
  const progress: RunProgress = {
    listing: everything ? 'everything' : 'changes',
    first,
    startedAt: state.now,
    stage: 'listing',
    pass: 1,
    since: everything ? null : state.since,
    cursor: null,
    appTime: null,
    newest: null,
    // The first listing is worth telling of before its first record; others once they bring one.
    announced: first,
    counts: noCounts,
  }
  return progress
}

const openRun = async (
  context: SyncContext,
  lease: Lease,
  state: SyncState,
  takenUpMs: number,
): Promise<ActiveRun | undefined> => {
  const { credentialId, topic } = lease.key
  const credential = await context.loadCredential(credentialId)
  if (!credential) return
  const connector = context.connectors.get(credential.app)
  const resource = connector?.resources[topic]
  if (!connector || !resource) throw new Error(`No connector for ${topic} of ${credential.app}.`)
  const owner = { credentialId, environmentId: credential.environmentId }
  const progress = state.progress ?? planRun(state, resource, context.fullListingIntervalMs)
  const run: ActiveRun = {
    ...{ context, lease, owner, credential, connector, resource, state, takenUpMs, progress },
    advanced: false,
  }
  // A run for changes is written down with its first page: most have none.
  if (!state.progress && progress.listing === 'everything')
    await transact(run, async (transaction) => {
      await clearSightings(transaction, lease.key)
      if (progress.first) await announce(transaction, run, 'started')
      await saveProgress(transaction, lease, progress)
    })
  return run
}

/** Lists and stores until the last page. @returns false if there are more, but the time is over */
const listAll = async (
  run: ActiveRun,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<boolean> => {
  const { context, connector, resource, credential, lease } = run
  const { cursor, since } = run.progress
  const guard = createLoopGuard()
  const mapPage = createPageMapper(resource.mapping, credential.id)
  const misfits = new Set<string>()
  const listing = {
    appClient: context.appClient,
    ...{ connector, resource },
    credential: credential.values,
    since: since ?? undefined,
    // Written by storePages of a connector's mark.
    cursor: cursor === null ? undefined : (JSON.parse(cursor) as Json),
  }
  // Mapped as they arrive: while PostgreSQL stores what came before.
  async function* read(left: AbortSignal): AsyncGenerator<MappedPages, void, void> {
    for await (const page of listPages(listing, guard, AbortSignal.any([signal, left]))) {
      const mapped = await mapPage(page)
      guard.checkPage(mapped.records.map(({ remoteId }) => remoteId))
      yield mapped
    }
  }
  try {
    for await (const pages of gather(read, ({ records }) => records.length, MAX_BATCH)) {
      const mapped = joinPages(pages)
      for (const path of mapped.problems) if (misfits.size < 20) misfits.add(path)
      await storePages(run, mapped)
      if (mapped.next !== undefined && (signal.aborted || isOver())) return false
    }
    return true
  } finally {
    const { problems, skipped } = run.progress.counts
    if (misfits.size > 0 || skipped > 0)
      context.log.warn(
        { ...lease.key, problems, skipped, paths: [...misfits] },
        'some values of an app did not fit the common model',
      )
  }
}

/** The later of what it was and the newest change seen, less the overlap; by the app's clock alone. */
const nextSince = ({ state, progress, resource }: ActiveRun): string | null => {
  const { appTime, startedAt } = progress
  // An app without records has no newest: then its clock says from when on there may be some.
  const newest = progress.newest ?? (state.since === null ? appTime : null)
  if (newest === null) return state.since
  // What changed while the run read other pages was perhaps not seen: no mark after its beginning.
  const endMs = Math.min(Date.parse(newest), Date.parse(appTime ?? startedAt))
  const since = new Date(endMs - resource.sync.overlapMs).toISOString()
  return state.since !== null && state.since > since ? state.since : since
}

const finish = async (
  run: ActiveRun,
  surplus: number | null,
  tookMs: number,
): Promise<RunResult> => {
  const { context, lease, state, progress } = run
  const { listing, counts, announced } = progress
  const isFullListingDue =
    listing === 'changes' && state.surplus !== null && surplus !== state.surplus
  await transact(run, async (transaction) => {
    // A listing that takes longer than the interval takes up half of the time, not all of it.
    const dueInMs = Math.max(context.intervalMs, tookMs)
    const since = nextSince(run)
    await completeRun(transaction, lease, { since, listing, surplus, isFullListingDue, dueInMs })
    if (announced || isRecovery(state.failure))
      await announce(transaction, run, 'completed', { ...counts })
  })
  context.log.debug({ ...lease.key, listing, ...counts, tookMs }, 'synchronised')
  return { outcome: 'completed', counts }
}

const pause = async (
  { context, lease }: ActiveRun,
  progress: RunProgress,
  dueInMs: number,
  alarm?: string,
): Promise<RunResult> => {
  await releaseRun(context.database.prisma, lease, { progress, dueInMs, absence: alarm })
  if (alarm) context.log.warn({ ...lease.key, dueInMs }, alarm)
  return { outcome: 'paused', dueInMs }
}

const fail = async (
  context: SyncContext,
  lease: Lease,
  state: SyncState,
  run: ActiveRun | undefined,
  error: unknown,
): Promise<RunResult> => {
  // Pages that were stored say that the app was well in between.
  const count = run?.advanced ? 1 : state.failures + 1
  const plan = planFailure(error, { count, intervalMs: context.intervalMs })
  const { code, reason, retryInMs } = plan
  const facts = { ...lease.key, code, reason, count, retryInMs }
  if (code === 'INTERNAL') context.log.error({ ...facts, err: error }, 'a synchronisation failed')
  else context.log.warn(facts, 'a synchronisation failed')
  const progress = plan.keepProgress ? (run?.progress ?? state.progress) : null
  const failure = { ...failureToKeep({ code, reason }, state.failure), count }
  const release = { progress, dueInMs: retryInMs, failure }
  if (!run) await releaseRun(context.database.prisma, lease, release)
  else
    await transact(run, async (transaction) => {
      const told = { code, reason, app: run.credential.app }
      if (code === 'APP_AUTHENTICATION')
        await reportAuthenticationFailure(transaction, run.owner, told)
      if (isNews(plan, state.failure))
        await announce(transaction, run, 'failed', { ...told, ...run.progress.counts })
      await releaseRun(transaction, lease, release)
    })
  return { outcome: 'failed', error, retryInMs }
}

/**
 * Takes up or begins the run of a lease and carries it as far as it goes. When the signal is aborted the
 * page in hand is stored and the run left for another; when its reason is a LeaseLostError, it is simply
 * left.
 */
export const runSync = async (
  context: SyncContext,
  { lease, state, takenUpMs, signal }: HeldLease,
): Promise<RunResult> => {
  const tookMs = (): number => performance.now() - takenUpMs
  let run: ActiveRun | undefined
  try {
    run = await openRun(context, lease, state, takenUpMs)
    if (!run) return { outcome: 'held' }
    for (;;) {
      const isListing = run.progress.stage === 'listing'
      const isOver = (): boolean => tookMs() > context.sliceMs
      if (isListing && !(await listAll(run, isOver, signal)))
        return await pause(run, run.progress, 0)
      const absence = await settleAbsence(run)
      if (absence.kind === 'settled')
        return await finish(run, await readSurplus(run, signal), tookMs())
      const { progress, alarm } = absence
      if (alarm) return await pause(run, progress, context.confirmAfterMs, alarm)
      run.progress = progress
    }
  } catch (error) {
    if (error instanceof LeaseLostError || signal.reason instanceof LeaseLostError)
      return { outcome: 'lost' }
    if (run && signal.aborted) return await pause(run, run.progress, 0)
    // No failure of the app's: the lease runs out, and whoever has a database goes on from what was saved.
    if (!isAppError(error) && isDatabaseAway(error)) throw error
    return await fail(context, lease, state, run, error)
  }
}
