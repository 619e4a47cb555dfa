/** Stores the result of a write, together with the other records that it changed in the app. */
import { temporaryFailureOf } from '../store/database/temporary-failure.ts'
import type { StoredVersion, WriteTarget } from './open-target.ts'
import { readBackSideEffects, type WriteContext } from './side-effects.ts'
import { unknownOutcome } from './write-failure.ts'

/** Facts about a write that is stored. */
export interface WriteFacts {
  /** The record before the write; undefined for a new one. */
  readonly before?: StoredVersion
  /** The workflow run that caused the write. */
  readonly cause: string | undefined
}

/**
 * Stores a write that the app has carried out. @returns the record as it is stored
 * @throws WRITE_OUTCOME_UNKNOWN if the database is unavailable: the app has changed, but the store may not have
 */
export const storeWrite = async (
  context: WriteContext,
  target: WriteTarget,
  store: () => Promise<StoredVersion>,
  { before, cause }: WriteFacts,
): Promise<StoredVersion> => {
  try {
    const after = await store()
    const versions = before ? [before, after] : [after]
    if (target.writer.sideEffects) await readBackSideEffects(context, target, { versions, cause })
    return after
  } catch (error) {
    if (temporaryFailureOf(error) === undefined) throw error
    throw unknownOutcome(target.connector.name, { cause: error })
  }
}
