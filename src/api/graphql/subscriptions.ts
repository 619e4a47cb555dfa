/** The subscription fields: one for each resource, one for each event, and one for any set of topics. */
import type { FieldMap, InputRef, SubscriptionFieldBuilder } from '@pothos/core'
import type { Catalogue } from '../../definition/catalogue.ts'
import { type EventTopic, eventTopics } from '../../definition/change.ts'
import { object } from '../../definition/field.ts'
import { pascalCase, type Resource } from '../../definition/resource.ts'
import { type ExactRecord, parseExactly } from '../../query/exact-json.ts'
import { filterKey, type ListFilter } from '../../query/filter.ts'
import { parseFilterInput } from '../../query/filter-input.ts'
import { type FilterVerdict, matchChange } from '../../query/record-filter.ts'
import type { Change } from '../../store/changes/changes.ts'
import { MAX_CREDENTIALS, type Scope } from '../auth/caller.ts'
import {
  type ChangeResponse,
  changeShape,
  expiredCursor,
  readAfter,
  readTopics,
  toChangeResponse,
} from '../change-response.ts'
import { type Builder, type GraphContext, keyCallerOf } from './builder.ts'
import { type BatchStream, type ChangeEvent, createBatchStream } from './event-stream.ts'
import type { RecordType } from './fields.ts'
import type { GraphRecord } from './loaders.ts'
import type { OperationTypes } from './operation-types.ts'
import {
  createSubscribedCredentials,
  type SubscribedCredentials,
} from './subscribed-credentials.ts'

type Types = Builder['$inferSchemaTypes']

export interface SubscriptionParts {
  readonly builder: Builder
  readonly catalogue: Catalogue
  readonly operationTypes: OperationTypes
  typesOf(resource: Resource): { readonly record: RecordType; readonly filter: InputRef<object> }
}

/** The source value of a change type: the change with its parsed record. */
interface RecordChange extends Omit<ChangeResponse, 'record'> {
  readonly record: GraphRecord
  readonly inFilter: boolean
}

/** Evaluates one filter for a change. */
type ChangeMatcher = (change: Change) => FilterVerdict

const MAX_MATCHERS = 1000

/** Creates matchers; equal filters share one, so that each change is evaluated once. */
const createMatchers = (catalogue: Catalogue) => {
  const records = new WeakMap<Change, ExactRecord>()
  const matchers = new Map<string, ChangeMatcher>()

  const createMatcher = (resource: Resource, filter: ListFilter): ChangeMatcher => {
    const verdicts = new WeakMap<Change, FilterVerdict>()
    return (change) => {
      const cached = verdicts.get(change)
      if (cached !== undefined) return cached
      const { record: text, credentialId } = change
      if (text === null || credentialId === null) return 'out'
      const record = records.get(change) ?? parseExactly(text)
      records.set(change, record)
      const verdict = matchChange(resource, filter, { ...change, credentialId }, record)
      verdicts.set(change, verdict)
      return verdict
    }
  }

  return (resource: Resource, input: object | null | undefined): ChangeMatcher => {
    // Parsed first, so that invalid filters are not cached.
    const filter = parseFilterInput({ catalogue, acceptsLinks: false }, resource, { ...input })
    const key = JSON.stringify([resource.topic, filterKey(filter)])
    const cached = matchers.get(key)
    if (cached) return cached
    if (matchers.size >= MAX_MATCHERS) matchers.clear()
    const matcher = createMatcher(resource, filter)
    matchers.set(key, matcher)
    return matcher
  }
}

interface FollowRequest extends Scope {
  readonly topics: readonly string[]
  readonly after?: string | null | undefined
  readonly matcher?: ChangeMatcher
}

/** The changes of a batch that are of the credentials. */
const selectChanges = async (
  changes: readonly Change[],
  credentials: SubscribedCredentials | undefined,
): Promise<readonly Change[]> => {
  if (credentials === undefined) return changes
  const selected: Change[] = []
  for (const change of changes)
    if (credentials.has(change) ?? (await credentials.decide(change))) selected.push(change)
  return selected
}

type ReadCredentials = ReturnType<typeof createSubscribedCredentials>

/** Subscribes to changes. @throws CREDENTIAL_NOT_FOUND, USER_NOT_FOUND, INVALID_CURSOR, INVALID_PARAMETER, FORBIDDEN */
const follow = async (
  context: GraphContext,
  readCredentials: ReadCredentials,
  { topics, after, matcher, ...scope }: FollowRequest,
): Promise<BatchStream<ChangeEvent>> => {
  const caller = keyCallerOf(context)
  const position = readAfter(after)
  const credentials = await readCredentials(context, caller, scope)
  const changes = context.subscriptions.subscribe({
    environmentId: caller.environmentId,
    topics,
    after: position,
    expired: expiredCursor,
    logged: credentials?.logged,
    wants: (change) =>
      credentials?.has(change) !== false && (matcher === undefined || matcher(change) !== 'out'),
  })
  return createBatchStream({
    nextBatch: async () => {
      for (;;) {
        const batch = await changes.next()
        if (batch.done) return undefined
        const selected = await selectChanges(batch.value, credentials)
        if (selected.length === 0) continue
        return selected.map((change) => ({
          change,
          inFilter: matcher === undefined || matcher(change) === 'in',
        }))
      }
    },
    close: async () => changes.return?.(),
  })
}

/** `sync/completed` → `syncCompleted`. */
const eventField = (topic: EventTopic): string => {
  const [first = '', ...others] = topic.split(/[/_]/)
  return first + others.map(pascalCase).join('')
}

const AFTER =
  'The cursor of a change. The changes that follow it are sent first. Without it, only new changes are sent.'

export const createSubscriptionFields = ({
  builder,
  catalogue,
  operationTypes,
  typesOf,
}: SubscriptionParts) => {
  const matcherOf = createMatchers(catalogue)
  const readCredentials = createSubscribedCredentials()
  const change = operationTypes.outputType('Change', '', object(changeShape, changeShape.doc))
  const kind = operationTypes.outputType('Change', 'kind', changeShape.fields.kind)

  const toEventResponse = (
    { change: event }: ChangeEvent,
    context: GraphContext,
  ): Promise<ChangeResponse> => toChangeResponse(context, keyCallerOf(context), event)

  /** `AccountingVendorChange`. */
  const recordChange = (resource: Resource) =>
    builder.objectRef<RecordChange>(`${resource.typeName}Change`).implement({
      description: `A change of one ${resource.name}.`,
      fields: (t) => ({
        kind: t.field({
          type: kind,
          nullable: false,
          description: 'What happened to the record.',
          resolve: (event) => event.kind as never,
        }),
        cursor: t.exposeString('cursor', {
          nullable: false,
          description: changeShape.fields.cursor.doc,
        }),
        changedFields: t.exposeStringList('changedFields', {
          nullable: false,
          description: changeShape.fields.changedFields.doc,
        }),
        at: t.field({
          type: 'DateTime',
          nullable: false,
          description: changeShape.fields.at.doc,
          resolve: ({ at }) => at,
        }),
        credentialId: t.exposeID('credentialId', {
          nullable: true,
          description: changeShape.fields.credentialId.doc,
        }),
        userId: t.exposeID('userId', {
          nullable: true,
          description: changeShape.fields.userId.doc,
        }),
        inFilter: t.exposeBoolean('inFilter', {
          nullable: false,
          description:
            'Whether the record matches this filter after the change. False: it may have matched before.',
        }),
        record: t.field({
          type: typesOf(resource).record,
          nullable: false,
          description: 'The record after the change. Its links resolve to the current records.',
          resolve: ({ record }) => record,
        }),
      }),
    })

  return (t: SubscriptionFieldBuilder<Types, object>): FieldMap => {
    const after = t.arg.string({ description: AFTER })
    const scope = {
      credentialId: t.arg.id({ description: 'Only changes of this credential.' }),
      credentialIds: t.arg.idList({
        description: `Only changes of these credentials, at most ${MAX_CREDENTIALS}.`,
      }),
      userId: t.arg.id({
        description:
          'Only changes of the credentials of this end user, including those that are connected later.',
      }),
    }

    const ofResource = (resource: Resource) =>
      t.field({
        type: recordChange(resource),
        nullable: false,
        description: `Every change of ${resource.plural}.`,
        args: {
          ...scope,
          filter: t.arg({
            type: typesOf(resource).filter,
            description: 'Only changes of records that match this filter, or may have matched it.',
          }),
          after,
        },
        subscribe: (_root, { filter, ...position }, context) => {
          const matcher = matcherOf(resource, filter)
          return follow(context, readCredentials, {
            ...position,
            topics: [resource.topic],
            matcher,
          })
        },
        resolve: async (event, _args, context): Promise<RecordChange> => {
          const response = await toEventResponse(event, context)
          if (response.credentialId !== null) context.loaders.allow([{ id: response.credentialId }])
          // Changes with a resource's topic always have a record.
          return { ...response, inFilter: event.inFilter, record: response.record as GraphRecord }
        },
      })

    const ofEvent = (topic: EventTopic) =>
      t.field({
        type: change,
        nullable: false,
        description: `Every event ${topic}.`,
        args: { ...scope, after },
        subscribe: (_root, position, context) =>
          follow(context, readCredentials, { ...position, topics: [topic] }),
        // The value matches `changeShape`.
        resolve: async (event, _args, context) => (await toEventResponse(event, context)) as never,
      })

    return {
      changes: t.field({
        type: change,
        nullable: false,
        description: 'Every change of these topics.',
        args: {
          topics: t.arg.stringList({
            description: 'The topics to follow. All topics if it is omitted or contains `*`.',
          }),
          recordsOnly: t.arg.boolean({
            description: 'Excludes the events of connections, syncs and webhooks.',
          }),
          ...scope,
          after,
        },
        subscribe: (_root, { topics, recordsOnly, ...position }, context) =>
          follow(context, readCredentials, {
            ...position,
            topics: readTopics(catalogue, { topics, recordsOnly }),
          }),
        resolve: async (event, _args, context) => (await toEventResponse(event, context)) as never,
      }),
      ...Object.fromEntries(
        catalogue.resources.map((resource) => [resource.listField, ofResource(resource)]),
      ),
      ...Object.fromEntries(eventTopics.map((topic) => [eventField(topic), ofEvent(topic)])),
    }
  }
}
