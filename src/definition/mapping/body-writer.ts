/** Writers whose request bodies the mapping builds. */
import type {
  AttemptFacts,
  ReadMany,
  ResourceWriter,
  StoredRecord,
  WriteGuard,
  WriteInput,
} from '../connector.ts'
import type { Mapping } from '../mapping.ts'
import { getBy, readOne } from '../paging/compose.ts'
import { valuesOf } from '../raw-values.ts'
import type { Steps } from '../steps.ts'
import type { JsonObject, WriteVerb } from './rule.ts'
import { type BodyOptions, buildBody, writableFields } from './write.ts'

/** How a record is read, also after each write. */
type Reading =
  /** `create` and `update` return the record in the form of a listing. */
  | { readonly get: ResourceWriter['get']; readonly readMany?: never }
  /** Records are read by their ids: `create` returns the id, the result of `update` is ignored. */
  | { readonly get?: never; readonly readMany: ReadMany }

/** The requests of a writer. Absent: the app, or the connector, has no such write. */
export type BodyWrites = Reading &
  Pick<ResourceWriter, 'normalize' | 'sideEffects'> &
  Pick<BodyOptions, 'app' | 'remoteFields'> & {
    /** Default: `compare`. */
    readonly guard?: WriteGuard
    create?(body: JsonObject, attempt: AttemptFacts): Steps<unknown>
    update?(body: JsonObject, stored: StoredRecord, attempt: AttemptFacts): Steps<unknown>
    delete?(stored: StoredRecord, attempt: AttemptFacts): Steps<void>
  }

/** Creates the writer of a resource from its mapping and the requests that send the bodies. */
export const bodyWriter = (mapping: Mapping, writes: BodyWrites): ResourceWriter => {
  const { app, remoteFields, guard = 'compare', readMany, get, ...others } = writes
  const { create, update, delete: remove, ...rest } = others
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
    get: readMany ? getBy(readMany) : get,
    ...(create && {
      create: {
        fields: writableFields(mapping, 'create'),
        *steps(input, attempt) {
          const created = yield* create(yield* bodyOf(input, 'create', attempt), attempt)
          return readMany ? yield* readOne(readMany, String(created), attempt.context) : created
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
          return readMany ? yield* readOne(readMany, stored.remoteId, attempt.context) : updated
        },
      },
    }),
    ...(remove && { delete: { guard, steps: remove } }),
  }
}
