/** Writers whose request bodies the mapping builds. */
import type {
  AttemptFacts,
  ResourceWriter,
  StoredRecord,
  WriteGuard,
  WriteInput,
} from '../connector.ts'
import type { Mapping } from '../mapping.ts'
import { valuesOf } from '../raw-values.ts'
import type { Steps } from '../steps.ts'
import type { JsonObject, WriteVerb } from './rule.ts'
import { type BodyOptions, buildBody, writableFields } from './write.ts'

/** The requests of a writer. Each write returns the record in the form in which a listing shows it. */
export interface BodyWrites
  extends Pick<ResourceWriter, 'get' | 'normalize' | 'sideEffects'>,
    Pick<BodyOptions, 'app' | 'remoteFields'> {
  /** Default: `compare`. */
  readonly guard?: WriteGuard
  /** Sends the body of a new record. Absent: none is created. */
  create?(body: JsonObject, attempt: AttemptFacts): Steps<unknown>
  update?(body: JsonObject, stored: StoredRecord, attempt: AttemptFacts): Steps<unknown>
  delete?(stored: StoredRecord, attempt: AttemptFacts): Steps<void>
}

/** Creates the writer of a resource from its mapping and the requests that send the bodies. */
export const bodyWriter = (
  mapping: Mapping,
  { app, remoteFields, guard = 'compare', create, update, delete: remove, ...rest }: BodyWrites,
): ResourceWriter => {
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
    ...(create && {
      create: {
        fields: writableFields(mapping, 'create'),
        *steps(input, attempt) {
          return yield* create(yield* bodyOf(input, 'create', attempt), attempt)
        },
      },
    }),
    ...(update && {
      update: {
        fields: writableFields(mapping, 'update'),
        guard,
        *steps(input, stored, attempt) {
          const body = yield* bodyOf(input, 'update', attempt, stored)
          return yield* update(body, stored, attempt)
        },
      },
    }),
    ...(remove && { delete: { guard, steps: remove } }),
  }
}
