/** Creates a record: in the app first, then in the store. */
import { randomUUID } from 'node:crypto'
import type { CreateRequest, VersionedRecord } from '../query/write-request.ts'
import { readClock } from '../store/database/database.ts'
import { findCreated } from './find-created.ts'
import { notSupported, openTarget } from './open-target.ts'
import { prepareInput } from './prepare-input.ts'
import type { WriteContext } from './side-effects.ts'
import { storeWrite } from './store-write.ts'
import { unknownOutcome, writeFailure } from './write-failure.ts'

/** Creates a record. @returns the record as it is stored @throws ApiError */
export const createRecord = async (
  context: WriteContext,
  { owner, resource, request, attempt }: CreateRequest,
): Promise<VersionedRecord> => {
  const { interruptedSince, cause, key = randomUUID() } = attempt
  const target = await openTarget(context, { owner, resource, request })
  const { connector, nameField } = target
  const { create } = target.writer
  if (!create) throw notSupported(resource, connector, 'creating')
  const input = await prepareInput(context, target, request, create.fields)
  const startedAt = interruptedSince ?? (await readClock(context.database))
  const search = () => findCreated(context, target, { input, startedAt })
  const store = (raw: unknown): Promise<VersionedRecord> => {
    const facts = { requestedAt: startedAt, accept: 'written', cause } as const
    return storeWrite(context, target, () => target.store(raw, facts), { cause })
  }

  if (interruptedSince !== undefined) {
    const earlier = await search()
    if (earlier.status === 'found') return store(earlier.raw)
    // Sending the request again could create the record twice.
    if (earlier.status === 'unclear') throw unknownOutcome(connector.name, earlier)
  }
  const outcome = await target.run(create.steps(input, { key, context: target.context }))
  if (outcome.status === 'done') return store(outcome.result)
  if (outcome.status === 'unknown') {
    // If the app is still unavailable, report the first failure.
    const created = await search().catch(() => undefined)
    if (created?.status === 'found') return store(created.raw)
  }
  throw writeFailure(outcome, connector.name, nameField)
}
