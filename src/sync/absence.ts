/**
 * Records that a listing of everything did not show: gone from the app, or only missed. Pages that are
 * cut by position skip a record when one before it is deleted, and an app with a hiccup may list next to
 * nothing. So an absence counts once two listings agree, and if a large part is absent the second one
 * waits: what was deleted in the app is marked a little later, what was not is never marked.
 */
import { deleteUnsighted, lockRecords } from '../store/apply-changes.ts'
import { countUnsighted } from '../store/sightings.ts'
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
  let last: string | null = null
  do last = await deleteBatch(run, last)
  while (last !== null)
  return { kind: 'settled' }
}

/** @returns the last record that it marked; null: there are no more */
const deleteBatch = (run: ActiveRun, after: string | null): Promise<string | null> =>
  transact(run, async (transaction) => {
    const { progress, owner, lease } = run
    // First the lock: the place may give the transaction its id, and ids order the log.
    await lockRecords(transaction, owner.credentialId, resourceOf(run))
    const place = progress.announced ? undefined : await reserveLogPlace(transaction)
    const choice = { since: progress.startedAt, after }
    const marked = await deleteUnsighted(transaction, owner, resourceOf(run), choice)
    if (marked.last === null) return null
    if (place !== undefined) await announce(transaction, run, 'started', {}, place)
    const advanced = {
      ...progress,
      announced: true,
      counts: raise(progress.counts, { deleted: marked.count }),
    }
    await saveProgress(transaction, lease, advanced)
    run.progress = advanced
    return marked.last
  })
