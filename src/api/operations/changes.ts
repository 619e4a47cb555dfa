/** Asking the change log: what changed, what became of one record, and how records were at a time. */

import {
  boolean,
  defineShape,
  integer,
  json,
  list,
  object,
  reference,
  text,
  texts,
  timestamp,
} from '../../definition/field.ts'
import { isUuid, resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { ApiError, invalidParameter } from '../../errors.ts'
import { encodeChangeCursor } from '../../query/change-cursor.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, parsePageSize } from '../../query/list-request.ts'
import { type ChangesQuery, endOfLog, readChanges } from '../../store/changes.ts'
import { forgottenUntil, recordsAsOf } from '../../store/past-records.ts'
import { getRecords } from '../../store/records.ts'
import { requireKey, resolveCredential } from '../caller.ts'
import {
  changeShape,
  checkTopic,
  expiredCursor,
  readAfter,
  readTopics,
  toChangeAnswer,
} from '../change-answer.ts'
import { defineOperation, type OperationContext, required } from '../operation.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'

const tag = 'Changes'

const EXAMPLE_CREDENTIAL = '5b0e8f6a-2c41-4d7e-9a33-0c6f1d2e4b85'
const EXAMPLE_RECORD = '5b0e8f6a-0b1d-8c2e-9f31-6a7b8c9d0e1f'
const EXAMPLE_CURSOR = 'MS4wLjE4NDIuOTc'

const exampleChange = {
  topic: 'crm/accounts',
  kind: 'updated',
  recordId: EXAMPLE_RECORD,
  record: { id: EXAMPLE_RECORD, remoteId: '1042', accountName: 'Harbour Light Ltd' },
  changedFields: ['accountName'],
  environment: 'development',
  userId: '0d9c1f7e-5a42-4b63-8f0d-7c2b9e6a1d35',
  credentialId: EXAMPLE_CREDENTIAL,
  at: '2026-01-31T09:30:00.000Z',
  cursor: EXAMPLE_CURSOR,
}

const changePage = defineShape({
  name: 'ChangePage',
  doc: 'A part of the change log, oldest first.',
  fields: {
    changes: list(changeShape, 'The changes.'),
    nextCursor: required(
      text(
        'Where to go on, now or later: after these, and after all others that were looked through.',
      ),
    ),
    hasMore: required(boolean('Whether more may be there already.')),
  },
})

const pastRecord = defineShape({
  name: 'PastRecord',
  doc: 'A record as it was.',
  fields: {
    recordId: required(reference('records', 'The record.')),
    record: json('The record, as REST showed it then.'),
    unknownFields: texts(
      'Fields that have changed since then, and whose value the log has forgotten: null in the record.',
    ),
  },
})

const pastPage = defineShape({
  name: 'PastRecordPage',
  doc: 'Records as they were, by id.',
  fields: {
    records: list(pastRecord, 'The records.'),
    nextCursor: text('What to ask for after these; null: that was all.'),
  },
})

const pageSizeField = integer(
  `How many, at most ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} unless given.`,
)
const afterField = text('The cursor of a change, or the nextCursor of an answer.')
const credentialId = required(reference('credentials', 'The credential.'))
const argumentNames = { pageSize: 'first' }

/** @throws CURSOR_EXPIRED */
const answerPage = async (
  context: OperationContext,
  query: Omit<ChangesQuery, 'environmentId'>,
) => {
  const caller = requireKey(context.caller)
  const { prisma } = context.database
  const { environmentId } = caller
  const { changes, next, truncated } = await readChanges(prisma, { ...query, environmentId })
  if (truncated) throw expiredCursor()
  return {
    changes: await Promise.all(changes.map((change) => toChangeAnswer(context, caller, change))),
    nextCursor: encodeChangeCursor(next),
    hasMore: changes.length === query.limit,
  }
}

/** The resource of a topic. @throws INVALID_PARAMETER */
const resourceOf = ({ catalogue }: OperationContext, topic: string): Resource => {
  const resource = catalogue.find(checkTopic(catalogue, 'topic', topic))
  if (resource !== undefined) return resource
  throw invalidParameter('topic', 'the topic of a resource: an event has no records')
}

const NOW = 'now'

export const changeOperations = [
  defineOperation({
    name: 'changes',
    doc: 'What has changed, oldest first: from the oldest that is kept, or after a cursor.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/changes` },
    callers: ['key'],
    argumentNames,
    query: {
      after: text(`${afterField.doc} \`${NOW}\`: the current end of the log, to start from.`),
      topics: texts('Only these topics; all unless given.'),
      credentialId: reference('credentials', 'Only those of this credential.'),
      pageSize: pageSizeField,
    },
    answer: { value: object(changePage, 'The changes.') },
    errors: ['INVALID_CURSOR', 'CREDENTIAL_NOT_FOUND', 'CURSOR_EXPIRED'],
    example: {
      given: { topics: ['crm/accounts'], pageSize: 1 },
      result: { changes: [exampleChange], nextCursor: EXAMPLE_CURSOR, hasMore: true },
    },
    run: async (context, given) => {
      const { access, caller, catalogue, database } = context
      const limit = parsePageSize(given.pageSize)
      const topics = readTopics(catalogue, given.topics)
      const credential =
        given.credentialId == null
          ? undefined
          : await resolveCredential(access, caller, given.credentialId)
      const after = given.after === NOW ? await endOfLog(database.prisma) : readAfter(given.after)
      return answerPage(context, {
        ...{ after, limit },
        ...(topics && { topics }),
        ...(credential && { credentialIds: [credential.id] }),
      })
    },
  }),
  defineOperation({
    name: 'recordHistory',
    doc: 'The history of one record, oldest first, as far as the change log goes back.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/history` },
    callers: ['key'],
    argumentNames,
    query: {
      credentialId,
      topic: required(text('The resource, such as crm/accounts.')),
      recordId: required(reference('records', "The record: the service's id or the app's.")),
      after: afterField,
      pageSize: pageSizeField,
    },
    answer: { value: object(changePage, 'The changes of the record.') },
    errors: ['INVALID_CURSOR', 'CREDENTIAL_NOT_FOUND', 'NOT_FOUND', 'CURSOR_EXPIRED'],
    example: {
      given: { credentialId: EXAMPLE_CREDENTIAL, topic: 'crm/accounts', recordId: '1042' },
      result: { changes: [exampleChange], nextCursor: EXAMPLE_CURSOR, hasMore: false },
    },
    run: async (context, given) => {
      const { access, caller, database } = context
      const limit = parsePageSize(given.pageSize)
      const resource = resourceOf(context, given.topic)
      const after = readAfter(given.after)
      const { id } = await resolveCredential(access, caller, given.credentialId)
      const recordId = resolveId(id, resource.topic, given.recordId)
      const [record] = await getRecords(database, resource, [{ credentialId: id, id: recordId }])
      if (record === undefined)
        throw new ApiError('NOT_FOUND', `There is no ${resource.name} with this id.`)
      return answerPage(context, { ...{ after, limit, recordId }, credentialIds: [id] })
    },
  }),
  defineOperation({
    name: 'recordsAsOf',
    doc: 'The records of a credential as they were at a time, as far as the change log goes back.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/as-of` },
    callers: ['key'],
    argumentNames,
    query: {
      credentialId,
      topic: required(text('The resource, such as crm/accounts.')),
      asOf: required(
        timestamp('The time; a day alone stands for its end in UTC.', { ofDay: 'last' }),
      ),
      includeDeleted: boolean('Also records that were deleted in the app then.'),
      after: text('The nextCursor of the answer before.'),
      pageSize: pageSizeField,
    },
    answer: { value: object(pastPage, 'The records.') },
    errors: ['INVALID_CURSOR', 'CREDENTIAL_NOT_FOUND'],
    example: {
      given: {
        credentialId: EXAMPLE_CREDENTIAL,
        topic: 'crm/accounts',
        asOf: '2026-01-31T00:00:00.000Z',
      },
      result: {
        records: [{ recordId: EXAMPLE_RECORD, record: exampleChange.record, unknownFields: [] }],
        nextCursor: null,
      },
    },
    run: async (context, given) => {
      const { access, caller, database } = context
      const limit = parsePageSize(given.pageSize)
      const resource = resourceOf(context, given.topic)
      if (given.after != null && !isUuid(given.after))
        throw new ApiError('INVALID_CURSOR', 'after: expected the nextCursor of such an answer.', [
          { field: 'after', expected: 'the nextCursor of such an answer' },
        ])
      const { id } = await resolveCredential(access, caller, given.credentialId)
      const at = new Date(given.asOf)
      if (at.getTime() > Date.now()) throw invalidParameter('asOf', 'a time that has passed')
      const records = await recordsAsOf(database, {
        ...{ credentialId: id, resource, at, limit: limit + 1 },
        afterId: given.after ?? undefined,
        includeDeleted: given.includeDeleted ?? false,
      })
      // Asked for last: what is still remembered now was there when it was read.
      const forgotten = await forgottenUntil(database)
      if (forgotten !== undefined && at < forgotten)
        throw invalidParameter(
          'asOf',
          `a time from ${forgotten.toISOString()} on: the change log begins there`,
        )
      const shown = records.slice(0, limit)
      return {
        records: shown.map(({ id: recordId, record, unknownFields }) => ({
          recordId,
          record: JSON.parse(record),
          unknownFields,
        })),
        nextCursor: records.length > limit ? shown.at(-1)?.id : null,
      }
    },
  }),
]
