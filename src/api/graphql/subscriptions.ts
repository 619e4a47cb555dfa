/** The fields of Subscription: one for each resource and each event, and one for any set of topics. */
import type { FieldMap, InputRef, SubscriptionFieldBuilder } from '@pothos/core'
import type { Catalogue } from '../../definition/catalogue.ts'
import { type EventTopic, eventTopics } from '../../definition/change.ts'
import { object } from '../../definition/field.ts'
import { pascalCase, type Resource } from '../../definition/resource.ts'
import { type ExactRecord, parseExactly } from '../../query/exact-json.ts'
import { type ListFilter, parseFilter } from '../../query/list-request.ts'
import { type FilterVerdict, judgeChange } from '../../query/record-filter.ts'
import type { Change } from '../../store/changes.ts'
import { resolveCredential } from '../caller.ts'
import {
  type ChangeAnswer,
  changeShape,
  expiredCursor,
  readAfter,
  readTopics,
  toChangeAnswer,
} from '../change-answer.ts'
import { type Builder, backendOf, type GraphContext } from './builder.ts'
import { type BatchStream, type ChangeEvent, createBatchStream } from './event-stream.ts'
import type { RecordType } from './fields.ts'
import type { GraphRecord } from './loaders.ts'
import type { OperationTypes } from './operation-types.ts'

type Types = Builder['$inferSchemaTypes']

export interface SubscriptionParts {
  readonly builder: Builder
  readonly catalogue: Catalogue
  readonly operationTypes: OperationTypes
  typesOf(resource: Resource): { readonly record: RecordType; readonly filter: InputRef<object> }
}

/** A change of a record, with the record as GraphQL resolves it. */
interface RecordChange extends Omit<ChangeAnswer, 'record'> {
  readonly record: GraphRecord
  readonly inFilter: boolean
}

/** Says of each change what it means for the list of one filter. */
type Judge = (change: Change) => FilterVerdict

const MAX_JUDGES = 1000

/** Filters that are alike are judged by once, for all who gave them. */
const createJudges = () => {
  const records = new WeakMap<Change, ExactRecord>()
  const judges = new Map<string, Judge>()

  const createJudge = (resource: Resource, filter: ListFilter): Judge => {
    const verdicts = new WeakMap<Change, FilterVerdict>()
    return (change) => {
      const known = verdicts.get(change)
      if (known !== undefined) return known
      const { record: text, credentialId } = change
      if (text === null || credentialId === null) return 'out'
      const record = records.get(change) ?? parseExactly(text)
      records.set(change, record)
      const verdict = judgeChange(resource, filter, { ...change, credentialId }, record)
      verdicts.set(change, verdict)
      return verdict
    }
  }

  return (resource: Resource, given: object | null | undefined): Judge => {
    // Read first: what is refused is not remembered.
    const filter = parseFilter(resource, { ...given })
    const key = JSON.stringify([resource.topic, filter.deleted, ...termsOf(filter)])
    const known = judges.get(key)
    if (known) return known
    if (judges.size >= MAX_JUDGES) judges.clear()
    const judge = createJudge(resource, filter)
    judges.set(key, judge)
    return judge
  }
}

const termsOf = ({ terms }: ListFilter) =>
  terms.map(({ parameter, value, wholeDay }) => [parameter.name, value, wholeDay])

interface Wanted {
  readonly topics: readonly string[]
  readonly credentialId?: string | null | undefined
  readonly after?: string | null | undefined
  readonly judge?: Judge
}

/** @throws CREDENTIAL_NOT_FOUND, INVALID_CURSOR, INVALID_PARAMETER, FORBIDDEN */
const follow = async (
  context: GraphContext,
  { topics, credentialId, after, judge }: Wanted,
): Promise<BatchStream<ChangeEvent>> => {
  const caller = backendOf(context)
  const position = readAfter(after)
  const credential =
    credentialId == null ? undefined : await resolveCredential(context.access, caller, credentialId)
  const changes = context.subscriptions.subscribe({
    ...{ environmentId: caller.environmentId, topics, after: position, expired: expiredCursor },
    credentialId: credential?.id,
    wants: judge && ((change) => judge(change) !== 'out'),
  })
  return createBatchStream({
    nextBatch: async () => {
      const batch = await changes.next()
      if (batch.done) return undefined
      return batch.value.map((change) => ({
        change,
        inFilter: judge === undefined || judge(change) === 'in',
      }))
    },
    close: async () => changes.return?.(),
  })
}

/** `sync/completed` → `syncCompleted`. */
const eventField = (topic: EventTopic): string => {
  const [first = '', ...others] = topic.split(/[/_]/)
  return first + others.map(pascalCase).join('')
}

const AFTER = 'The cursor of a change: what follows it is told first. From now on unless given.'
const CREDENTIAL = 'Only what comes through this credential.'

export const createSubscriptionFields = ({
  builder,
  catalogue,
  operationTypes,
  typesOf,
}: SubscriptionParts) => {
  const judgeOf = createJudges()
  const change = operationTypes.outputType('Change', '', object(changeShape, changeShape.doc))
  const kind = operationTypes.outputType('Change', 'kind', changeShape.fields.kind)

  const answer = ({ change: told }: ChangeEvent, context: GraphContext): Promise<ChangeAnswer> =>
    toChangeAnswer(context, backendOf(context), told)

  /** `AccountingVendorChange`. */
  const recordChange = (resource: Resource) =>
    builder.objectRef<RecordChange>(`${resource.typeName}Change`).implement({
      description: `A change of one ${resource.name}.`,
      fields: (t) => ({
        kind: t.field({ type: kind, nullable: false, resolve: (told) => told.kind as never }),
        cursor: t.exposeString('cursor', {
          nullable: false,
          description: changeShape.fields.cursor.doc,
        }),
        changedFields: t.exposeStringList('changedFields', {
          nullable: false,
          description: changeShape.fields.changedFields.doc,
        }),
        at: t.field({ type: 'DateTime', nullable: false, resolve: ({ at }) => at }),
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
            'Whether the record is in the list of this filter now; false: it may have been until now.',
        }),
        record: t.field({
          type: typesOf(resource).record,
          nullable: false,
          description: 'The record as it was after the change; its links as they are now.',
          resolve: ({ record }) => record,
        }),
      }),
    })

  return (t: SubscriptionFieldBuilder<Types, object>): FieldMap => {
    const after = t.arg.string({ description: AFTER })
    const credentialId = t.arg.id({ description: CREDENTIAL })

    const ofResource = (resource: Resource) =>
      t.field({
        type: recordChange(resource),
        nullable: false,
        description: `Each change of the ${resource.plural}.`,
        args: { credentialId, filter: t.arg({ type: typesOf(resource).filter }), after },
        subscribe: (_root, { filter, ...given }, context) => {
          const judge = judgeOf(resource, filter)
          return follow(context, { ...given, topics: [resource.topic], judge })
        },
        resolve: async (event, _args, context): Promise<RecordChange> => {
          const told = await answer(event, context)
          if (told.credentialId !== null) context.loaders.allow([{ id: told.credentialId }])
          // A change of a resource's topic is of a record of it.
          return { ...told, inFilter: event.inFilter, record: told.record as GraphRecord }
        },
      })

    const ofEvent = (topic: EventTopic) =>
      t.field({
        type: change,
        nullable: false,
        description: `Each ${topic}.`,
        args: { credentialId, after },
        subscribe: (_root, given, context) => follow(context, { ...given, topics: [topic] }),
        // Of the kind that the shape says.
        resolve: async (event, _args, context) => (await answer(event, context)) as never,
      })

    return {
      changes: t.field({
        type: change,
        nullable: false,
        description: 'Each change of any of these topics.',
        args: {
          topics: t.arg.stringList({ description: 'All topics unless given.' }),
          credentialId,
          after,
        },
        subscribe: (_root, { topics, ...given }, context) => {
          const all = [...catalogue.resources.map((one) => one.topic), ...eventTopics]
          return follow(context, { ...given, topics: readTopics(catalogue, topics) ?? all })
        },
        resolve: async (event, _args, context) => (await answer(event, context)) as never,
      }),
      ...Object.fromEntries(
        catalogue.resources.map((resource) => [resource.listField, ofResource(resource)]),
      ),
      ...Object.fromEntries(eventTopics.map((topic) => [eventField(topic), ofEvent(topic)])),
    }
  }
}
