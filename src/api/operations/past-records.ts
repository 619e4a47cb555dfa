/** The operation that lists records as they were at an earlier time. */
import {
  boolean,
  defineShape,
  json,
  list,
  object,
  reference,
  text,
  texts,
  timestamp,
} from '../../definition/field.ts'
import { isUuid } from '../../definition/identity.ts'
import { invalidParameter } from '../../errors.ts'
import { parsePageSize } from '../../query/list-request.ts'
import {
  cursorsOf,
  type ForwardPage,
  invalidCursor,
  type Listed,
  nextCursorOf,
} from '../../query/listed.ts'
import { expiredUntil } from '../../store/changes/log-start.ts'
import { readClock } from '../../store/database/database.ts'
import { countRecordsAsOf, recordsAsOf } from '../../store/records/past-records.ts'
import { resolveCredential } from '../auth/caller.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'
import {
  changeTag,
  EXAMPLE_RECORD,
  exampleChange,
  pageSizeField,
  requireResource,
} from './changes.ts'
import { credentialId, EXAMPLE_CREDENTIAL } from './credential-shape.ts'

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

interface PastInput {
  readonly credentialId: string
  readonly topic: string
  readonly asOf: string
  readonly includeDeleted?: boolean | null | undefined
}

/** One page of records at an earlier time. @throws INVALID_PARAMETER, INVALID_CURSOR, CREDENTIAL_NOT_FOUND */
const readPast = async (
  context: CallContext,
  input: PastInput,
  { size, after }: ForwardPage,
): Promise<Listed<unknown>> => {
  const { access, caller, database } = context
  const resource = requireResource(context, input.topic)
  if (after !== undefined && !isUuid(after))
    throw invalidCursor('after', 'the nextCursor of an earlier response of this operation')
  const { id } = await resolveCredential(access, caller, input.credentialId)
  const at = new Date(input.asOf)
  if (at > (await readClock(database))) throw invalidParameter('asOf', 'a time in the past')
  const includeDeleted = input.includeDeleted ?? false
  const scope = { credentialId: id, resource, at, includeDeleted }
  const found = await recordsAsOf(database, { ...scope, limit: size + 1, afterId: after })
  // Checked last: the log contains now what it contained during the read above.
  const logStart = await expiredUntil(database)
  if (logStart !== undefined && at < logStart)
    throw invalidParameter(
      'asOf',
      `${logStart.toISOString()} or later, where the change log begins`,
    )
  const nodes = found.slice(0, size).map(({ id: recordId, record, unknownFields }) => ({
    recordId,
    record: JSON.parse(record),
    unknownFields,
  }))
  return {
    nodes,
    cursorAt: cursorsOf(nodes, ({ recordId }) => recordId),
    hasNext: found.length > size,
    hasPrevious: after !== undefined,
    count: () => countRecordsAsOf(database, scope),
  }
}

export const pastRecordOperations = [
  defineOperation({
    name: 'recordsAsOf',
    summary: 'List records as of a time',
    doc: 'Returns the records of a credential as they were at an earlier time, as far back as the change log is retained.',
    tag: changeTag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/as-of` },
    callers: ['key'],
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
      const page = { size: parsePageSize(input.pageSize), after: input.after ?? undefined }
      const listed = await readPast(context, input, page)
      return { records: listed.nodes, nextCursor: nextCursorOf(listed) }
    },
    connection: { entry: pastRecord, read: readPast },
  }),
]
