/** Guards updates and deletions: they are sent only if the app still has the stored version of the record. */
import { isAbsent, type WriteGuard } from '../definition/connector.ts'
import { AppRefusedError } from '../outbound/app-error.ts'
import type { WriteAttempt } from '../query/write-request.ts'
import { checkExpectedVersion, checkUnchangedSinceAttempt, conflict, isStale } from './conflict.ts'
import type { StoredVersion, WriteTarget } from './open-target.ts'
import type { FailedOutcome } from './write-failure.ts'

/**
 * Compares the record with the version that the caller read.
 * @returns the raw record in the app; undefined if the app itself compares versions
 * @throws WRITE_CONFLICT if it has changed
 */
export const checkGuard = async (
  target: WriteTarget,
  before: StoredVersion,
  { guard, attempt }: { readonly guard: WriteGuard; readonly attempt: WriteAttempt },
): Promise<unknown> => {
  const { resource } = target
  checkExpectedVersion(resource, before.values, attempt)
  checkUnchangedSinceAttempt(resource, before.values, attempt)
  if (guard === 'version') return undefined
  const raw = await target.fetch(before)
  const { values: current } = await target.storeFetched(raw, before)
  if (current.remoteDeleted || isStale(resource, before.values, current))
    throw conflict(resource, before.values, current)
  checkUnchangedSinceAttempt(resource, current, attempt)
  return raw
}

/** Whether the app rejected a write because the record has another version there, or no longer exists. */
export const isConflict = (outcome: FailedOutcome): boolean =>
  outcome.status === 'refused' &&
  (isAbsent(outcome.error) ||
    (outcome.error instanceof AppRefusedError && outcome.error.kind === 'conflict'))
