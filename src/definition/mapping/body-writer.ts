/** Writers whose request bodies the mapping builds. */
import {
  type AttemptFacts,
  type Pager,
  type ReadMany,
  type RecordName,
  RecordNotFoundError,
  type ResourceConnector,
  type ResourceWriter,
  type StoredRecord,
  type WriteGuard,
  type WriteInput,
} from '../connector.ts'
import type { Mapping } from '../mapping.ts'
import { getBy } from '../paging/compose.ts'
import { textsAt, valuesOf } from '../raw-values.ts'
import type { Steps } from '../steps.ts'
import { isObject } from '../value.ts'
import type { JsonObject, WriteVerb } from './rule.ts'
import { type BodyOptions, buildBody, writableFields } from './write.ts'

/** How a record is read, also after a write that does not return it. */
type Reading =
  | { readonly get: ResourceWriter['get']; readonly readMany?: never }
  | { readonly get?: never; readonly readMany: ReadMany }

/** The requests of a writer. Absent: the app, or the connector, has no such write. */
export type BodyWrites = Reading &
  Pick<ResourceWriter, 'normalize' | 'sideEffects'> &
  Pick<BodyOptions, 'app' | 'remoteFields'> & {
    /** Default: `compare`. */
    readonly guard?: WriteGuard
    /** Returns the id of the new record, which is then read, or the record in the form of a listing. */
    create?(body: JsonObject, attempt: AttemptFacts): Steps<unknown>
    /** Returns the record in the form of a listing; undefined: it is read. */
    update?(body: JsonObject, stored: StoredRecord, attempt: AttemptFacts): Steps<unknown>
    delete?(stored: StoredRecord, attempt: AttemptFacts): Steps<void>
  }

/** Creates the writer of a resource from its mapping and the requests that send the bodies. */
export const bodyWriter = (mapping: Mapping, writes: BodyWrites): ResourceWriter => {
  const { app, remoteFields, guard = 'compare', ...others } = writes
  const { create, update, delete: remove, readMany, get: read, ...rest } = others
  const get = readMany ? getBy(readMany) : read
  function* readBack(id: string, context: unknown, stored?: StoredRecord): Steps<unknown> {
    const record = yield* get(id, stored, context)
    if (record !== undefined) return record
    throw new RecordNotFoundError(`The app has no record with the id ${id}.`)
  }
  const bodyOf = (
    input: WriteInput,
    verb: WriteVerb,
    { context }: AttemptFacts,
    stored?: StoredRecord,
  ): Steps<JsonObject> =>
    buildBody(mapping, input, {
      app,
      verb,
      context,
      ...(stored && { stored: valuesOf(stored.raw ?? stored.record.remoteFields) }),
      ...(remoteFields && { remoteFields }),
    })
  return {
    ...rest,
    get,
    ...(create && {
      create: {
        fields: writableFields(mapping, 'create'),
        *steps(input, attempt) {
          const created = yield* create(yield* bodyOf(input, 'create', attempt), attempt)
          if (isObject(created)) return created
          if (typeof created !== 'string' && typeof created !== 'number')
            throw new RecordNotFoundError('The app returned no id of the new record.')
          return yield* readBack(String(created), attempt.context)
        },
      },
    }),
    ...(update && {
      update: {
        fields: writableFields(mapping, 'update'),
        guard,
        *steps(input, stored, attempt) {
          const body = yield* bodyOf(input, 'update', attempt, stored)
          const updated = yield* update(body, stored, attempt)
          return updated ?? (yield* readBack(stored.remoteId, attempt.context, stored))
        },
      },
    }),
    ...(remove && { delete: { guard, steps: remove } }),
  }
}

/** A resource whose records are listed, and written by its mapping. */
export const writableResource = (
  mapping: Mapping,
  {
    pages,
    sync,
    ...writes
  }: BodyWrites & { readonly pages: Pager } & Pick<ResourceConnector, 'sync'>,
): ResourceConnector => ({
  mapping,
  ...pages,
  ...(writes.readMany && { readMany: writes.readMany }),
  sync,
  write: bodyWriter(mapping, writes),
})

/**
 * The side effects of a write: the records whose ids are at a path of the written record, by topic:
 * `{ 'commerce/products': 'lines.product.id' }`.
 */
export const recordsAt =
  (paths: Readonly<Record<string, string>>): NonNullable<ResourceWriter['sideEffects']> =>
  (remoteFields): readonly RecordName[] =>
    Object.entries(paths).flatMap(([topic, path]) =>
      textsAt(remoteFields, path).map((remoteId) => ({ topic, remoteId })),
    )
