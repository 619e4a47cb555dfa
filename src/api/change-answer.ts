/** A change as every face of the API tells it: asked for, subscribed to, or in a record's history. */

import { type Catalogue, nearest } from '../definition/catalogue.ts'
import { eventTopics } from '../definition/change.ts'
import {
  defineShape,
  enumeration,
  json,
  reference,
  text,
  texts,
  timestamp,
} from '../definition/field.ts'
import { storableText } from '../definition/value.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { type ChangePosition, decodeChangeCursor } from '../query/change-cursor.ts'
import { checkText } from '../query/filter.ts'
import { type Change, type ChangeKind, cursorOf } from '../store/changes.ts'
import type { KeyCaller } from './caller.ts'
import type { ApiContext } from './context.ts'
import { required } from './operation.ts'

export const changeShape = defineShape({
  name: 'Change',
  doc: 'A record that was created, updated or deleted, or an event of a connection or a sync.',
  fields: {
    topic: required(
      text('The resource, such as crm/accounts, or the event, such as sync/completed.'),
    ),
    kind: required(
      enumeration('What happened to the record; an event is always created.', [
        'created',
        'updated',
        'deleted',
      ]),
    ),
    recordId: reference('records', 'The record; null for an event.'),
    record: json('The record as it was after the change, as REST shows it; what an event tells.'),
    changedFields: texts('The fields of an updated record that are different from before.'),
    environment: required(enumeration('Where it happened.', ['development', 'production'])),
    userId: reference('users', 'The end user; null once the credential is gone.'),
    credentialId: reference('credentials', 'The credential that the record came through.'),
    at: required(timestamp('When.')),
    cursor: required(text('The place in the log: what is asked for after it comes next.')),
  },
})

/** A change as it is told. */
export interface ChangeAnswer {
  readonly topic: string
  readonly kind: ChangeKind
  readonly recordId: string | null
  readonly record: Readonly<Record<string, unknown>> | null
  readonly changedFields: readonly string[]
  readonly environment: KeyCaller['environment']
  readonly userId: string | null
  readonly credentialId: string | null
  readonly at: string
  readonly cursor: string
}

const userOf = async (
  { access }: Pick<ApiContext, 'access'>,
  { credentialId }: Change,
  record: ChangeAnswer['record'],
): Promise<string | null> => {
  const credential = credentialId === null ? undefined : await access.credential(credentialId)
  if (credential !== undefined) return credential.userId
  // The event of a credential's end says whose it was.
  return typeof record?.userId === 'string' ? record.userId : null
}

/** Tells a change to the caller, whose environment it is of. */
export const toChangeAnswer = async (
  context: Pick<ApiContext, 'access'>,
  { environment }: KeyCaller,
  change: Change,
): Promise<ChangeAnswer> => {
  const { topic, kind, recordId, changedFields, credentialId, at } = change
  // The text is a record of ours, or what an event of ours tells.
  const record =
    change.record === null ? null : (JSON.parse(change.record) as ChangeAnswer['record'])
  return {
    ...{ topic, kind, recordId, record, changedFields, environment, credentialId },
    userId: await userOf(context, change, record),
    at: at.toISOString(),
    cursor: cursorOf(change),
  }
}

/** @throws INVALID_PARAMETER */
export const checkTopic = (catalogue: Catalogue, name: string, topic: string): string => {
  checkText(name, topic)
  const known = [...catalogue.resources.map((resource) => resource.topic), ...eventTopics]
  if (known.includes(topic)) return topic
  const shown = storableText(topic, 64)
  throw new ApiError('INVALID_PARAMETER', `${name}: there is no topic ${shown}.`, [
    { field: name, expected: `a topic, such as ${nearest(shown, known)}` },
  ])
}

/** Undefined: all topics. @throws INVALID_PARAMETER */
export const readTopics = (
  catalogue: Catalogue,
  topics: readonly string[] | null | undefined,
): readonly string[] | undefined => {
  if (topics == null) return
  if (topics.length === 0)
    throw invalidParameter('topics', 'one topic or more; leave it out for all')
  return [...new Set(topics.map((topic) => checkTopic(catalogue, 'topics', topic)))]
}

/** @throws INVALID_CURSOR */
export const readAfter = (after: string | null | undefined): ChangePosition | undefined =>
  after == null ? undefined : decodeChangeCursor(after, 'after')

/** The refusal of a cursor whose next changes are gone: what was missed can only be read anew. */
export const expiredCursor = (): ApiError =>
  new ApiError(
    'CURSOR_EXPIRED',
    'after: the change log no longer keeps all that follows this cursor. Get a new one with after=now, read the records, and go on from it.',
    [{ field: 'after', expected: 'a cursor within the retention of the change log, or now' }],
  )
