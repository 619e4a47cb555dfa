/**
 * Records that a listing of everything did not show: gone from the app, or only missed. Pages that are
 * cut by position skip a record when one before it is deleted, and an app with a hiccup may list next to
 * nothing. So an absence counts once two listings agree, and if a large part is absent the second one
 * waits: what was deleted in the app is marked a little later, what was not is never marked.
 */
import { deleteUnsighted } from '../store/apply-changes.ts'
import { countUnsighted, sightRecentChanges } from '../store/sightings.ts'
import { reserveLogPlace } from '../store/sync-events.ts'
import { type RunProgress, saveProgress } from '../store/sync-state.ts'
import { type ActiveRun, announce, raise, resourceOf, transact } from './active-run.ts'

const MANY_RECORDS = 10
const LARGE_PART = 0.5

export type Absence =
  /** Nothing is absent, or all that is has been marked as deleted. */
  | { readonly kind: 'settled' }
  /** A second listing must confirm it. */
  | { readonly kind: 'unconfirmed'; readonly progress: RunProgress; readonly alarm?: string }

/** Marks what is absent as deleted, or asks for a second listing. */
export const settleAbsence = async (run: ActiveRun): Promise<Absence> => {
  const { progress, lease, context, resource } = run
  if (progress.listing === 'changes' || progress.first || resource.sync.deletions === 'reported')
    return { kind: 'settled' }
  const { held, unsighted } = await countUnsighted(context.database, lease.key, resourceOf(run))
  if (unsighted === 0) return { kind: 'settled' }
  if (progress.pass === 1) {
    const second: RunProgress = { ...progress, pass: 2, stage: 'listing', cursor: null }
    return unsighted >= MANY_RECORDS && unsighted >= held * LARGE_PART
      ? {
          kind: 'unconfirmed',
          progress: second,
          alarm: `${unsighted} of ${held} records were not listed; a second listing is to confirm it`,
        }
      : { kind: 'unconfirmed', progress: second }
  }
  while ((await deleteBatch(run)) > 0);
  return { kind: 'settled' }
}

const deleteBatch = (run: ActiveRun): Promise<number> =>
  transact(run, async (transaction) => {
    const { progress, owner, lease } = run
    await sightRecentChanges(transaction, lease.key, resourceOf(run), progress.startedAt)
    const place = progress.announced ? undefined : await reserveLogPlace(transaction)
    const deleted = await deleteUnsighted(transaction, owner, resourceOf(run))
    if (deleted === 0) return 0
    if (place !== undefined) await announce(transaction, run, 'started', {}, place)
    const advanced = { ...progress, announced: true, counts: raise(progress.counts, { deleted }) }
    await saveProgress(transaction, lease, advanced)
    run.progress = advanced
    return deleted
  })
