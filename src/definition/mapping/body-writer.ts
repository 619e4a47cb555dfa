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
import { buildBody, type RemoteFieldLimits, writableFields } from './write.ts'

/** What differs from resource to resource. Each write returns the record in the form in which a listing shows it. */
export interface BodyWrites
  extends Pick<ResourceWriter, 'get' | 'normalize' | 'sideEffects'>,
    RemoteFieldLimits {
  /** The subject of error messages: `The sandbox`. */
  readonly app: string
  /** Default: `compare`. */
  readonly guard?: WriteGuard
  /** Absent: the app, or the connector, creates none. */
  create?(body: JsonObject, attempt: AttemptFacts): Steps<unknown>
  update?(body: JsonObject, stored: StoredRecord, attempt: AttemptFacts): Steps<unknown>
  delete?(stored: StoredRecord, attempt: AttemptFacts): Steps<void>
}

/** Creates the writer of a resource from its mapping and the requests that send the bodies. */
export const bodyWriter = (
  mapping: Mapping,
  { app, guard = 'compare', create, update, delete: remove, ...rest }: BodyWrites,
): ResourceWriter => {
  const { accepted, reserved, ...others } = rest
  const limits = { ...(accepted && { accepted }), ...(reserved && { reserved }) }
  const bodyOf = (input: WriteInput, verb: WriteVerb, context: unknown, stored?: StoredRecord) =>
    buildBody(mapping, input, {
      ...{ app, verb, context, ...limits },
      ...(stored && { stored: valuesOf(stored.raw ?? stored.record.remoteFields) }),
    })
  return {
    ...others,
    ...(create && {
      create: {
        fields: writableFields(mapping, 'create'),
        *steps(input, attempt) {
          return yield* create(yield* bodyOf(input, 'create', attempt.context), attempt)
        },
      },
    }),
    ...(update && {
      update: {
        fields: writableFields(mapping, 'update'),
        guard,
        *steps(input, stored, attempt) {
          const body = yield* bodyOf(input, 'update', attempt.context, stored)
          return yield* update(body, stored, attempt)
        },
      },
    }),
    ...(remove && { delete: { guard, steps: remove } }),
  }
}
