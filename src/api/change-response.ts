/** The API form of a change, shared by the change log, record history and subscriptions. */
import type { Catalogue } from '../definition/catalogue.ts'
import { ALL_TOPICS, eventTopics } from '../definition/change.ts'
import { defineShape, json, reference, text, texts, timestamp } from '../definition/field.ts'
import { nearest } from '../definition/nearest.ts'
import { storableText } from '../definition/value.ts'
import { ApiError, invalidParameter } from '../errors.ts'
import { type ChangePosition, decodeChangeCursor } from '../query/change-cursor.ts'
import { checkText } from '../query/filter.ts'
import { type Change, type ChangeKind, changeCursorOf } from '../store/changes/changes.ts'
import type { KeyCaller } from './auth/caller.ts'
import type { ApiContext } from './context.ts'
import { changeKind, environment } from './enumerations.ts'
import { required } from './operation.ts'

export const changeShape = defineShape({
  name: 'Change',
  doc: 'A record that was created, updated or deleted, or an event of a connection or a sync.',
  fields: {
    topic: required(
      text('The resource, such as crm/accounts, or the event, such as sync/completed.'),
    ),
    kind: required(
      changeKind('What happened to the record; the kind of an event is that of a new record.'),
    ),
    recordId: reference('records', 'The record; null for an event.'),
    record: json('The record after the change, as in REST; for an event, its payload.'),
    changedFields: texts('The fields of an updated record whose values changed.'),
    environment: required(environment('The environment of the change.')),
    userId: reference('users', 'The end user; null after the credential was deleted.'),
    credentialId: reference('credentials', 'The credential through which the record was synced.'),
    at: required(timestamp('Time of the change.')),
    cursor: required(
      text('Position in the change log. Pass it as `after` to receive the changes that follow.'),
    ),
  },
})

/** A change as the API returns it: the values of `changeShape`. */
export interface ChangeResponse {
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

/** The record of a change, or the payload of an event. */
const recordOf = ({ record }: Change): ChangeResponse['record'] =>
  // The store wrote this JSON.
  record === null ? null : (JSON.parse(record) as ChangeResponse['record'])

const userOf = async (
  { access }: Pick<ApiContext, 'access'>,
  { credentialId }: Change,
  readRecord: () => ChangeResponse['record'],
): Promise<string | null> => {
  const credential = credentialId === null ? undefined : await access.credential(credentialId)
  if (credential !== undefined) return credential.userId
  // The event of a deleted credential names its end user.
  const userId = readRecord()?.userId
  return typeof userId === 'string' ? userId : null
}

/** The end user of a change; null if its credential was deleted, except for the event of that deletion. */
export const userOfChange = (
  context: Pick<ApiContext, 'access'>,
  change: Change,
): Promise<string | null> => userOf(context, change, () => recordOf(change))

/** Converts a change of the caller's environment to its API form. */
export const toChangeResponse = async (
  context: Pick<ApiContext, 'access'>,
  { environment }: KeyCaller,
  change: Change,
): Promise<ChangeResponse> => {
  const { topic, kind, recordId, changedFields, credentialId, at } = change
  const record = recordOf(change)
  return {
    topic,
    kind,
    recordId,
    record,
    changedFields,
    environment,
    credentialId,
    userId: await userOf(context, change, () => record),
    at: at.toISOString(),
    cursor: changeCursorOf(change),
  }
}

/** The topics of records, in the order of the catalogue. */
const recordTopics = ({ resources }: Catalogue): readonly string[] =>
  resources.map(({ topic }) => topic)

/** Checks that a topic exists. @throws INVALID_PARAMETER with the nearest topic */
export const checkTopic = (catalogue: Catalogue, name: string, topic: string): string => {
  checkText(name, topic)
  const topics = [...recordTopics(catalogue), ...eventTopics]
  if (topics.includes(topic)) return topic
  const shortTopic = storableText(topic, 64)
  throw invalidParameter(name, `a topic, such as ${nearest(shortTopic, topics)}, not ${shortTopic}`)
}

/**
 * The topics of a webhook subscription without duplicates; `*` stands for all of them and is not expanded.
 * @throws INVALID_PARAMETER naming an unknown topic
 */
export const readSubscribedTopics = (
  catalogue: Catalogue,
  topics: readonly string[],
): readonly string[] => {
  if (topics.length === 0) throw invalidParameter('topic', 'at least one topic, or * for all')
  const checked = topics.map((topic, index) =>
    topic === ALL_TOPICS ? topic : checkTopic(catalogue, `topic[${index}]`, topic),
  )
  return checked.includes(ALL_TOPICS) ? [ALL_TOPICS] : [...new Set(checked)]
}

export interface TopicFilter {
  /** The requested topics; `*` or undefined: all. */
  readonly topics?: readonly string[] | null | undefined
  /** Whether to exclude the events of connections, syncs and webhooks. */
  readonly recordsOnly?: boolean | null | undefined
}

/** The topics that pass the filter, without duplicates. @throws INVALID_PARAMETER */
export const readTopics = (
  catalogue: Catalogue,
  { topics, recordsOnly }: TopicFilter,
): readonly string[] => {
  if (topics?.length === 0)
    throw invalidParameter('topics', 'one topic or more; leave it out for all')
  const ofRecords = recordTopics(catalogue)
  const offered = recordsOnly ? ofRecords : [...ofRecords, ...eventTopics]
  if (topics == null) return offered
  const requested = new Set(
    topics.flatMap((topic) =>
      topic === ALL_TOPICS ? offered : checkTopic(catalogue, 'topics', topic),
    ),
  )
  const selected = offered.filter((topic) => requested.has(topic))
  if (selected.length > 0) return selected
  throw invalidParameter('topics', 'the topic of a resource, because recordsOnly is true')
}

/** The log position of the parameter `after`. @throws INVALID_CURSOR */
export const readAfter = (after: string | null | undefined): ChangePosition | undefined =>
  after == null ? undefined : decodeChangeCursor(after, 'after')

/** The error for a cursor whose following changes are deleted: the records must be read again. */
export const expiredCursor = (): ApiError =>
  new ApiError(
    'CURSOR_EXPIRED',
    'after: the change log no longer contains the changes that follow this cursor. Get a new cursor with after=now, read the records, and continue from it.',
    [{ field: 'after', expected: 'a cursor within the retention of the change log, or now' }],
  )
