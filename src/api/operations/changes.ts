/** Operations on the change log: changes, the history of one record, and records at an earlier time. */
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
import { type ChangesQuery, endOfLog, readChanges } from '../../store/changes/changes.ts'
import { expiredUntil } from '../../store/changes/log-start.ts'
import { readClock } from '../../store/database/database.ts'
import { recordsAsOf } from '../../store/records/past-records.ts'
import { getRecords } from '../../store/records/records.ts'
import { requireKey, resolveCredential } from '../auth/caller.ts'
import {
  changeShape,
  checkTopic,
  expiredCursor,
  readAfter,
  readTopics,
  toChangeResponse,
} from '../change-response.ts'
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
  doc: 'A page of the change log, oldest first.',
  fields: {
    changes: list(changeShape, 'The changes.'),
    nextCursor: required(
      text(
        'Pass it as `after` to continue, immediately or later. It also skips changes that the filters excluded.',
      ),
    ),
    hasMore: required(boolean('Whether more changes may be available now.')),
  },
})

const pastRecord = defineShape({
  name: 'PastRecord',
  doc: 'A record at an earlier time.',
  fields: {
    recordId: required(reference('records', 'The record.')),
    record: json('The record at that time, as in REST.'),
    unknownFields: texts(
      'Fields that have changed since and whose earlier values are no longer in the change log. They are null in the record.',
    ),
  },
})

const pastPage = defineShape({
  name: 'PastRecordPage',
  doc: 'A page of records at an earlier time, ordered by id.',
  fields: {
    records: list(pastRecord, 'The records.'),
    nextCursor: text('Pass it as `after` for the next page; null on the last page.'),
  },
})

const pageSizeField = integer(
  `Page size, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`,
)
const afterField = text('The cursor of a change, or the nextCursor of a response.')
const credentialId = required(reference('credentials', 'The credential.'))
const argumentNames = { pageSize: 'first' }

/** One page of changes in API form. @throws CURSOR_EXPIRED */
const readChangePage = async (
  context: OperationContext,
  query: Omit<ChangesQuery, 'environmentId'>,
) => {
  const caller = requireKey(context.caller)
  const { environmentId } = caller
  const { changes, next, truncated } = await readChanges(context.database, {
    ...query,
    environmentId,
  })
  if (truncated) throw expiredCursor()
  return {
    changes: await Promise.all(changes.map((change) => toChangeResponse(context, caller, change))),
    nextCursor: encodeChangeCursor(next),
    hasMore: changes.length === query.limit,
  }
}

/** The resource of a topic. @throws INVALID_PARAMETER */
const resourceOf = ({ catalogue }: OperationContext, topic: string): Resource => {
  const resource = catalogue.find(checkTopic(catalogue, 'topic', topic))
  if (resource !== undefined) return resource
  throw invalidParameter('topic', 'the topic of a resource; events have no records')
}

const NOW = 'now'

export const changeOperations = [
  defineOperation({
    name: 'changes',
    summary: 'List changes',
    doc: 'Returns the changes of the environment, oldest first, from the start of the change log or after a cursor. A change is a record that was created, updated or deleted, or an event of a connection, a sync or a webhook.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/changes` },
    callers: ['key'],
    argumentNames,
    query: {
      after: text(`${afterField.doc} \`${NOW}\` starts at the current end of the change log.`),
      topics: texts('Only these topics. All topics if it is omitted or contains `*`.'),
      recordsOnly: boolean(
        'Excludes the events of connections, syncs and webhooks, so that every change is one of a record.',
      ),
      credentialId: reference('credentials', 'Only changes of this credential.'),
      pageSize: pageSizeField,
    },
    response: { value: object(changePage, 'The changes.') },
    errors: ['INVALID_CURSOR', 'CREDENTIAL_NOT_FOUND', 'CURSOR_EXPIRED'],
    example: {
      input: { topics: ['crm/accounts'], pageSize: 1 },
      result: { changes: [exampleChange], nextCursor: EXAMPLE_CURSOR, hasMore: true },
    },
    run: async (context, input) => {
      const { access, caller, catalogue, database } = context
      const limit = parsePageSize(input.pageSize)
      const topics = readTopics(catalogue, input)
      const credential =
        input.credentialId == null
          ? undefined
          : await resolveCredential(access, caller, input.credentialId)
      const after = input.after === NOW ? await endOfLog(database) : readAfter(input.after)
      return readChangePage(context, {
        after,
        limit,
        topics,
        ...(credential && { credentialIds: [credential.id] }),
      })
    },
  }),
  defineOperation({
    name: 'recordHistory',
    summary: 'List the changes of a record',
    doc: 'Returns the changes of one record, oldest first, as far back as the change log is retained.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/history` },
    callers: ['key'],
    argumentNames,
    query: {
      credentialId,
      topic: required(text('The resource, such as crm/accounts.')),
      recordId: required(reference('records', 'The id of the record in this API or in the app.')),
      after: afterField,
      pageSize: pageSizeField,
    },
    response: { value: object(changePage, 'The changes of the record.') },
    errors: ['INVALID_CURSOR', 'CREDENTIAL_NOT_FOUND', 'NOT_FOUND', 'CURSOR_EXPIRED'],
    example: {
      input: { credentialId: EXAMPLE_CREDENTIAL, topic: 'crm/accounts', recordId: '1042' },
      result: { changes: [exampleChange], nextCursor: EXAMPLE_CURSOR, hasMore: false },
    },
    run: async (context, input) => {
      const { access, caller, database } = context
      const limit = parsePageSize(input.pageSize)
      const resource = resourceOf(context, input.topic)
      const after = readAfter(input.after)
      const { id } = await resolveCredential(access, caller, input.credentialId)
      const recordId = resolveId(id, resource.topic, input.recordId)
      const [record] = await getRecords(database, resource, [{ credentialId: id, id: recordId }])
      if (record === undefined) throw new ApiError('NOT_FOUND', `No ${resource.name} has this id.`)
      return readChangePage(context, { after, limit, recordId, credentialIds: [id] })
    },
  }),
  defineOperation({
    name: 'recordsAsOf',
    summary: 'List records as of a time',
    doc: 'Returns the records of a credential as they were at an earlier time, as far back as the change log is retained.',
    tag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/as-of` },
    callers: ['key'],
    argumentNames,
    query: {
      credentialId,
      topic: required(text('The resource, such as crm/accounts.')),
      asOf: required(
        timestamp('The time. A date alone means the end of that day in UTC.', { ofDay: 'last' }),
      ),
      includeDeleted: boolean('Includes records that were deleted in the app at that time.'),
      after: text('The nextCursor of the previous page.'),
      pageSize: pageSizeField,
    },
    response: { value: object(pastPage, 'The records.') },
    errors: ['INVALID_CURSOR', 'CREDENTIAL_NOT_FOUND'],
    example: {
      input: {
        credentialId: EXAMPLE_CREDENTIAL,
        topic: 'crm/accounts',
        asOf: '2026-01-31T00:00:00.000Z',
      },
      result: {
        records: [{ recordId: EXAMPLE_RECORD, record: exampleChange.record, unknownFields: [] }],
        nextCursor: null,
      },
    },
    run: async (context, input) => {
      const { access, caller, database } = context
      const limit = parsePageSize(input.pageSize)
      const resource = resourceOf(context, input.topic)
      if (input.after != null && !isUuid(input.after))
        throw new ApiError(
          'INVALID_CURSOR',
          'after: expected the nextCursor of an earlier response of this operation.',
          [{ field: 'after', expected: 'the nextCursor of an earlier response of this operation' }],
        )
      const { id } = await resolveCredential(access, caller, input.credentialId)
      const at = new Date(input.asOf)
      if (at > (await readClock(database))) throw invalidParameter('asOf', 'a time in the past')
      const records = await recordsAsOf(database, {
        credentialId: id,
        resource,
        at,
        limit: limit + 1,
        afterId: input.after ?? undefined,
        includeDeleted: input.includeDeleted ?? false,
      })
      // Checked last: the log contains now what it contained during the read above.
      const logStart = await expiredUntil(database)
      if (logStart !== undefined && at < logStart)
        throw invalidParameter(
          'asOf',
          `${logStart.toISOString()} or later, where the change log begins`,
        )
      const pageRecords = records.slice(0, limit)
      return {
        records: pageRecords.map(({ id: recordId, record, unknownFields }) => ({
          recordId,
          record: JSON.parse(record),
          unknownFields,
        })),
        nextCursor: records.length > limit ? pageRecords.at(-1)?.id : null,
      }
    },
  }),
]
