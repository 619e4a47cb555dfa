/** Operations on the change log: changes, and the history of one record. */
import {
  boolean,
  defineShape,
  integer,
  list,
  object,
  reference,
  text,
  texts,
} from '../../definition/field.ts'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { invalidParameter, recordNotFound } from '../../errors.ts'
import { encodeChangeCursor } from '../../query/change-cursor.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, parsePageSize } from '../../query/list-request.ts'
import { cursorsOf, type Listed } from '../../query/listed.ts'
import {
  type ChangesQuery,
  countChanges,
  endOfLog,
  readChanges,
} from '../../store/changes/changes.ts'
import { getRecords } from '../../store/records/records.ts'
import { requireKey, resolveCredential } from '../auth/caller.ts'
import {
  type ChangeResponse,
  changeShape,
  checkTopic,
  expiredCursor,
  readAfter,
  readTopics,
  toChangeResponse,
} from '../change-response.ts'
import { type CallContext, defineOperation, required } from '../operation.ts'
import { UNIFIED_PREFIX } from '../rest/paths.ts'
import { credentialId, EXAMPLE_CREDENTIAL } from './credential-shape.ts'

export const changeTag = 'Changes'

export const EXAMPLE_RECORD = '5b0e8f6a-0b1d-8c2e-9f31-6a7b8c9d0e1f'
const EXAMPLE_CURSOR = 'MS4wLjE4NDIuOTc'

export const exampleChange = {
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

/** The query parameter of a page's size. */
export const pageSizeField = integer(
  `Page size, 1 to ${MAX_PAGE_SIZE}. The default is ${DEFAULT_PAGE_SIZE}.`,
)
const afterField = text('The cursor of a change, or the nextCursor of a response.')

/** One page of changes in API form. @throws CURSOR_EXPIRED */
const readChangePage = async (context: CallContext, query: Omit<ChangesQuery, 'environmentId'>) => {
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

/** One page of changes for GraphQL. Its end is after all changes that were read, including those that the query excludes. @throws CURSOR_EXPIRED */
const listChanges = async (
  context: CallContext,
  { after, ...filter }: Omit<ChangesQuery, 'environmentId' | 'limit'>,
  size: number,
): Promise<Listed<ChangeResponse>> => {
  const { database } = context
  const caller = requireKey(context.caller)
  const query = { ...filter, environmentId: caller.environmentId }
  const { changes, next, truncated } = await readChanges(database, {
    ...query,
    after,
    limit: size + 1,
  })
  if (truncated) throw expiredCursor()
  const shown = changes.slice(0, size)
  const hasNext = changes.length > size
  const nodes = await Promise.all(shown.map((change) => toChangeResponse(context, caller, change)))
  const cursorAt = cursorsOf(nodes, ({ cursor }) => cursor)
  return {
    nodes,
    cursorAt,
    hasNext,
    hasPrevious: after !== undefined,
    end: hasNext ? cursorAt(size - 1) : encodeChangeCursor(next),
    count: () => countChanges(database, query),
  }
}

/** The resource of a topic. @throws INVALID_PARAMETER */
export const requireResource = ({ catalogue }: CallContext, topic: string): Resource => {
  const resource = catalogue.find(checkTopic(catalogue, 'topic', topic))
  if (resource !== undefined) return resource
  throw invalidParameter('topic', 'the topic of a resource; events have no records')
}

const NOW = 'now'

interface ChangesInput {
  readonly after?: string | null | undefined
  readonly topics?: readonly string[] | null | undefined
  readonly recordsOnly?: boolean | null | undefined
  readonly credentialId?: string | null | undefined
}

/** @throws INVALID_PARAMETER, CREDENTIAL_NOT_FOUND, INVALID_CURSOR */
const readFilter = async (
  { access, caller, catalogue, database }: CallContext,
  input: ChangesInput,
) => {
  const topics = readTopics(catalogue, input)
  const credential =
    input.credentialId == null
      ? undefined
      : await resolveCredential(access, caller, input.credentialId)
  const after = input.after === NOW ? await endOfLog(database) : readAfter(input.after)
  return { after, topics, ...(credential && { credentialIds: [credential.id] }) }
}

interface RecordInput {
  readonly credentialId: string
  readonly topic: string
  readonly recordId: string
  readonly after?: string | null | undefined
}

/** @throws INVALID_PARAMETER, INVALID_CURSOR, CREDENTIAL_NOT_FOUND, NOT_FOUND */
const readRecordFilter = async (context: CallContext, input: RecordInput) => {
  const { access, caller, database } = context
  const resource = requireResource(context, input.topic)
  const after = readAfter(input.after)
  const { id } = await resolveCredential(access, caller, input.credentialId)
  const recordId = resolveId(id, resource.topic, input.recordId)
  const [record] = await getRecords(database, resource, [{ credentialId: id, id: recordId }])
  if (record === undefined) throw recordNotFound(resource.name)
  return { after, recordId, credentialIds: [id] }
}

export const changeOperations = [
  defineOperation({
    name: 'changes',
    summary: 'List changes',
    doc: 'Returns the changes of the environment, oldest first, from the start of the change log or after a cursor. A change is a record that was created, updated or deleted, or an event of a connection, a sync or a webhook.',
    tag: changeTag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/changes` },
    callers: ['key'],
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
      const limit = parsePageSize(input.pageSize)
      return readChangePage(context, { ...(await readFilter(context, input)), limit })
    },
    connection: {
      entry: changeShape,
      after: `The cursor of a change, or an endCursor. \`${NOW}\` starts at the current end of the change log.`,
      read: async (context, input, { size, after }) =>
        listChanges(context, await readFilter(context, { ...input, after }), size),
    },
  }),
  defineOperation({
    name: 'recordHistory',
    summary: 'List the changes of a record',
    doc: 'Returns the changes of one record, oldest first, as far back as the change log is retained.',
    tag: changeTag,
    rest: { method: 'GET', path: `${UNIFIED_PREFIX}/history` },
    callers: ['key'],
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
      const limit = parsePageSize(input.pageSize)
      return readChangePage(context, { ...(await readRecordFilter(context, input)), limit })
    },
    connection: {
      entry: changeShape,
      read: async (context, input, { size, after }) =>
        listChanges(context, await readRecordFilter(context, { ...input, after }), size),
    },
  }),
]
