/** Updates a record: in the app first, then in the store. */
import { randomUUID } from 'node:crypto'
import type { ApiError } from '../errors.ts'
import type { UpdateRequest, VersionedRecord, WriteRequest } from '../query/write-request.ts'
import { bothVersions, conflict, isStale } from './conflict.ts'
import { checkGuard, isConflict } from './guard.ts'
import { notSupported, openTarget, type StoredVersion, type WriteTarget } from './open-target.ts'
import { prepareInput } from './prepare-input.ts'
import { isAsRequested } from './record-match.ts'
import type { WriteContext } from './side-effects.ts'
import { storeWrite, type WriteFacts } from './store-write.ts'
import { type FailedOutcome, partlyWritten, writeFailure } from './write-failure.ts'

/** Stores the record after a partial update. @returns the error that names the changed fields */
const reportPartialUpdate = async (
  context: WriteContext,
  target: WriteTarget,
  { refusal }: Extract<FailedOutcome, { status: 'partly-written' }>,
  { before, cause }: WriteFacts & { readonly before: StoredVersion },
): Promise<ApiError> => {
  const { connector, resource, nameField } = target
  const readBack = async () => target.refresh(await target.read(before.id), cause)
  // If the app is unavailable, the next sync stores the record; the refusal is still reported.
  const after = await storeWrite(context, target, readBack, { before, cause }).catch(
    () => undefined,
  )
  if (after === undefined) return partlyWritten(refusal, connector.name, nameField)
  if (!isStale(resource, before.values, after.values))
    return writeFailure({ status: 'refused', error: refusal }, connector.name, nameField)
  const changes = bothVersions(resource, before.values, after.values)
  return partlyWritten(refusal, connector.name, nameField, changes)
}

/** Whether an update changes no field. */
const isEmpty = ({ fields, remoteFields, customFields = {} }: WriteRequest): boolean =>
  [fields, remoteFields, customFields].every((part) => Object.keys(part).length === 0)

/**
 * Updates a record. An update without fields writes nothing: it returns the record after the checks that every
 * update makes, so that a caller may send the difference of two versions without testing whether there is one.
 * @returns the record as it is stored
 * @throws ApiError
 */
export const updateRecord = async (
  context: WriteContext,
  { owner, resource, id, request, attempt }: UpdateRequest,
): Promise<VersionedRecord> => {
  const { cause, key = randomUUID() } = attempt
  const target = await openTarget(context, { owner, resource, request })
  const { connector, resourceConnector } = target
  const { update } = target.writer
  if (!update) throw notSupported(resource, connector, 'updating')
  return target.exclusively(id, update.guard, async (claim) => {
    const before = await target.read(id, attempt.below)
    const { values: record, readAt: requestedAt } = before
    if (isEmpty(request)) {
      await checkGuard(target, before, { guard: 'compare', attempt })
      return target.read(id, attempt.below)
    }
    const input = await prepareInput(context, target, request, update.fields)
    const store = (raw: unknown): Promise<VersionedRecord> => {
      const facts = { requestedAt, accept: 'written', cause } as const
      return storeWrite(context, target, () => target.store(raw, facts), { before, cause })
    }
    /** The raw record if the app has the requested values: an earlier attempt has succeeded. */
    const findUpdated = async (): Promise<unknown> => {
      const raw = await target.fetch(before)
      if (raw === undefined) return
      const found = { raw, row: target.map(raw).row, context: target.context }
      return isAsRequested(resourceConnector, owner.credentialId, input, found) ? raw : undefined
    }

    if (attempt.interruptedSince !== undefined) {
      // Check this before the guard: the earlier attempt itself may have changed the record.
      const earlier = await findUpdated()
      if (earlier !== undefined) return store(earlier)
    }
    const raw = await checkGuard(target, before, { guard: update.guard, attempt })
    claim.throwIfAborted()
    const stored = { remoteId: record.remoteId, record, raw }
    const steps = update.steps(input, stored, { key, context: target.context })
    const outcome = await target.run(steps)
    if (outcome.status === 'done') return store(outcome.result)
    if (outcome.status === 'unknown') {
      const updated = await findUpdated().catch(() => undefined)
      if (updated !== undefined) return store(updated)
    }
    if (outcome.status === 'partly-written')
      throw await reportPartialUpdate(context, target, outcome, { before, cause })
    if (isConflict(outcome)) throw conflict(resource, record, (await target.refresh(before)).values)
    throw writeFailure(outcome, connector.name, target.nameField)
  })
}
