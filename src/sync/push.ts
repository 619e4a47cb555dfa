/**
 * Writes that reach the app: what a caller asks for goes to the app first, and what the app then says of
 * the record goes into the store, with its change, in one transaction.
 */
import { isAbsent, type WriteGuard, type WriteInput } from '../definition/connector.ts'
import type { Resource } from '../definition/resource.ts'
import { ApiError } from '../errors.ts'
import { AppRefusedError } from '../outbound/app-error.ts'
import {
  fieldsNotTaken,
  type RecordWriter,
  type WriteAttempt,
  type WriteRequest,
} from '../query/write-request.ts'
import type { RecordOwner } from '../store/apply-changes.ts'
import { isDatabaseAway, readClock } from '../store/database.ts'
import { idsStoredBefore } from '../store/records.ts'
import { isAsAsked } from './likeness.ts'
import { OutcomeUnknownError, PartlyWrittenError } from './perform.ts'
import {
  checkSeen,
  checkUntouched,
  conflict,
  isStale,
  toPushError,
  withChanges,
} from './push-failure.ts'
import { refusedField } from './refused-field.ts'
import { resolveReferences } from './resolve-references.ts'
import { findCreated } from './settle.ts'
import { readBackTouched, type TouchedOptions } from './touched.ts'
import {
  openTarget,
  parseStored,
  type SeenRecord,
  type StoredValues,
  unsupported,
  type WriteTarget,
} from './write-target.ts'

export type PushOptions = TouchedOptions

/** What of a write its failure is told by. */
interface AskedWrite {
  readonly owner: RecordOwner
  readonly resource: Resource
  readonly remoteFields?: WriteRequest['remoteFields']
}

// A caller waits for it.
const LOOK_UP_MS = 20_000

/** The road of every write. */
export const createPush = (options: PushOptions): RecordWriter => {
  const { database, catalogue, appClient } = options

  /** What the app is given: only fields that it takes, and its own ids. */
  const prepare = async (
    { owner, resource, connector }: WriteTarget,
    { fields, remoteFields }: WriteRequest,
    taken: readonly string[],
  ): Promise<WriteInput> => {
    const missing = fieldsNotTaken(fields, taken)
    if (missing.length > 0)
      throw new ApiError(
        'FIELD_NOT_SUPPORTED',
        `${connector.name} cannot take ${missing.join(', ')} of ${resource.plural}.`,
        missing.map((field) => ({ field, expected: 'to be left out' })),
      )
    const { credentialId } = owner
    return {
      fields: await resolveReferences(database, catalogue, credentialId, resource, fields),
      remoteFields,
    }
  }

  /** Carries out a change of a record that must be in the app as it is stored here. */
  const guarded = async <Result>(
    target: WriteTarget,
    seen: SeenRecord,
    { guard, attempt }: { readonly guard: WriteGuard; readonly attempt: WriteAttempt },
    change: () => Promise<Result>,
  ): Promise<Result> => {
    const { resource } = target
    checkSeen(resource, seen.values, attempt)
    checkUntouched(resource, seen.values, attempt)
    if (guard === 'compare') {
      const current = await target.refresh(seen)
      if (current.remoteDeleted || isStale(resource, seen.values, current))
        throw conflict(resource, seen.values, current)
      checkUntouched(resource, current, attempt)
    }
    try {
      return await change()
    } catch (error) {
      const isConflict = error instanceof AppRefusedError && error.kind === 'conflict'
      if (!isConflict && !isAbsent(error)) throw error
      throw conflict(resource, seen.values, await target.refresh(seen))
    }
  }

  /** `change`, and if its outcome is lost, what `lookUp` finds; undefined: nothing, so it stays unknown. */
  const settled = async <Result>(
    change: () => Promise<Result>,
    lookUp: () => Promise<Result | undefined>,
  ): Promise<Result> => {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError)) throw error
      // The app may be out of reach still: then nothing is found out, and the first failure is told.
      const found = await lookUp().catch(() => undefined)
      if (found === undefined) throw error
      return found
    }
  }

  /** Opens the target, and tells every failure in the API's words. */
  const told = async (
    { owner, resource, remoteFields = {} }: AskedWrite,
    work: (target: WriteTarget) => Promise<string>,
  ): Promise<string> => {
    const target = await openTarget(options, owner, resource)
    try {
      return await work(target)
    } catch (error) {
      throw toPushError(error, target.connector.name, (field) =>
        refusedField(target.resourceConnector, remoteFields, field),
      )
    }
  }

  /** The record as it is stored now, once what the app has changed along with it is so too. */
  const finished = async (
    target: WriteTarget,
    id: string,
    { before, cause }: { readonly before?: StoredValues; readonly cause: string | undefined },
  ): Promise<string> => {
    const text = await target.read(id)
    if (target.writer.touches) {
      const versions = [...(before ? [before] : []), parseStored(text)]
      await readBackTouched(options, target, { versions, cause })
    }
    return text
  }

  /** `change`; if the app refuses a part of it, the record is stored as it is then, and what is new of it told. */
  const accounted = async <Result>(
    target: WriteTarget,
    { id, values: before }: SeenRecord,
    cause: string | undefined,
    change: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await change()
    } catch (error) {
      if (!(error instanceof PartlyWrittenError)) throw error
      const readBack = async (): Promise<StoredValues> => {
        await target.refresh(await target.see(id), cause)
        return parseStored(await finished(target, id, { before, cause }))
      }
      // The app may be out of reach: then the next sync brings it, and the refusal is told all the same.
      const current = await readBack().catch(() => undefined)
      throw current === undefined ? error : withChanges(error, target.resource, before, current)
    }
  }

  /** What is done once the app has changed: if the database goes away now, nobody knows what is stored. */
  const afterChange = async (work: () => Promise<string>): Promise<string> => {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      throw new OutcomeUnknownError('A write was not stored.', { cause: error })
    }
  }

  const deletedIn = async (target: WriteTarget, seen: SeenRecord): Promise<true | undefined> =>
    (await target.ask(seen)) === undefined ? true : undefined

  return {
    create: (owner, resource, request, { brokenOffSince, cause }) =>
      told({ owner, resource, remoteFields: request.remoteFields }, async (target) => {
        const { writer, connector, credential, resourceConnector } = target
        const { create } = writer
        if (!create) throw unsupported(resource, connector, 'created')
        const asked = await prepare(target, request, create.fields)
        const startedAt = brokenOffSince ?? (await readClock(database))
        const { credentialId } = owner
        const lookUp = (): Promise<unknown> =>
          findCreated(
            {
              listing: {
                ...{ appClient, connector, resource: resourceConnector },
                credential: credential.values,
              },
              ...{ credentialId, asked, startedAt },
              readClock: () => readClock(database),
              storedBefore: (ids) =>
                idsStoredBefore(database, resource, credentialId, ids, startedAt),
            },
            AbortSignal.timeout(LOOK_UP_MS),
          )
        const found = brokenOffSince === undefined ? undefined : await lookUp()
        const raw = found ?? (await settled(() => target.run(create.steps(asked)), lookUp))
        return afterChange(async () => {
          const id = await target.store(raw, { askedAt: startedAt, accept: 'written', cause })
          return finished(target, id, { cause })
        })
      }),

    update: (owner, resource, id, request, attempt) =>
      told({ owner, resource, remoteFields: request.remoteFields }, async (target) => {
        const { writer, connector } = target
        const { update } = writer
        if (!update) throw unsupported(resource, connector, 'updated')
        return target.alone(id, update.guard, async () => {
          const seen = await target.see(id, attempt.below)
          const { values: record, readAt: askedAt } = seen
          const { remoteId } = record
          const asked = await prepare(target, request, update.fields)
          const lookUp = async (): Promise<unknown> => {
            const raw = await target.ask(seen)
            if (raw === undefined) return
            const found = { raw, row: target.map(raw).row }
            return isAsAsked(target.resourceConnector, owner.credentialId, asked, found)
              ? raw
              : undefined
          }
          // Before the guard: what has changed since the caller saw it was perhaps changed by the earlier try.
          const found = attempt.brokenOffSince === undefined ? undefined : await lookUp()
          const raw =
            found ??
            (await guarded(target, seen, { guard: update.guard, attempt }, () =>
              settled(
                () =>
                  accounted(target, seen, attempt.cause, () =>
                    target.run(update.steps(asked, { remoteId, record })),
                  ),
                lookUp,
              ),
            ))
          return afterChange(async () => {
            const { cause } = attempt
            const written = await target.store(raw, { askedAt, accept: 'written', cause })
            return finished(target, written, { before: record, cause })
          })
        })
      }),

    delete: (owner, resource, id, attempt) =>
      told({ owner, resource }, async (target) => {
        const { writer, connector } = target
        const remove = writer.delete
        if (!remove) throw unsupported(resource, connector, 'deleted')
        return target.alone(id, remove.guard, async () => {
          const seen = await target.see(id, attempt.below)
          const { values: record } = seen
          const { remoteId } = record
          const lookUp = () => deletedIn(target, seen)
          const wasTried = attempt.brokenOffSince !== undefined
          if (record.remoteDeleted) {
            if (!wasTried) checkSeen(resource, record, attempt)
            return target.read(id)
          }
          const found = wasTried && (await lookUp())
          if (!found)
            await guarded(target, seen, { guard: remove.guard, attempt }, () =>
              settled(async () => {
                await target.run(remove.steps({ remoteId, record }))
                return true as const
              }, lookUp),
            )
          return afterChange(async () => {
            await target.markDeleted(id)
            return finished(target, id, { before: record, cause: attempt.cause })
          })
        })
      }),
  }
}
