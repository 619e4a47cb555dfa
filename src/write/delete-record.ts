/** Deletes a record in the app, then marks it as deleted in the store. */
import { randomUUID } from 'node:crypto'
import type { DeleteRequest, VersionedRecord } from '../query/write-request.ts'
import { checkExpectedVersion, conflict } from './conflict.ts'
import { checkGuard, isConflict } from './guard.ts'
import { notSupported, openTarget } from './open-target.ts'
import type { WriteContext } from './side-effects.ts'
import { storeWrite } from './store-write.ts'
import { writeFailure } from './write-failure.ts'

/** Deletes a record. @returns the stored record, marked as deleted @throws ApiError */
export const deleteRecord = async (
  context: WriteContext,
  { owner, resource, id, attempt }: DeleteRequest,
): Promise<VersionedRecord> => {
  const { interruptedSince, below, cause, key = randomUUID() } = attempt
  const target = await openTarget(context, { owner, resource })
  const remove = target.writer.delete
  if (!remove) throw notSupported(resource, target.connector, 'deleting')
  return target.exclusively(id, remove.guard, async (claim) => {
    const before = await target.read(id, below)
    const { values: record } = before
    const isGone = async (): Promise<boolean> => (await target.fetch(before)) === undefined
    const markDeleted = (): Promise<VersionedRecord> =>
      storeWrite(context, target, () => target.markDeleted(id), { before, cause })

    if (record.remoteDeleted) {
      if (interruptedSince === undefined) checkExpectedVersion(resource, record, attempt)
      return before
    }
    if (interruptedSince !== undefined && (await isGone())) return markDeleted()
    const raw = await checkGuard(target, before, { guard: remove.guard, attempt })
    claim.throwIfAborted()
    const stored = { remoteId: record.remoteId, record, raw }
    const outcome = await target.run(remove.steps(stored, { key, context: target.context }))
    if (outcome.status === 'done') return markDeleted()
    if (outcome.status === 'unknown' && (await isGone().catch(() => false))) return markDeleted()
    if (isConflict(outcome)) throw conflict(resource, record, (await target.refresh(before)).values)
    throw writeFailure(outcome, target.connector.name, target.nameField)
  })
}
