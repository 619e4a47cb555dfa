/**
 * Writes records and their changes to the change log. All record writes go through this module: records and
 * changes are written by one statement in one transaction. Unchanged records are not written or logged.
 */
import { Prisma } from '@prisma/client'
import type { Column } from '../../definition/column.ts'
import { timeText } from '../../definition/kinds/column.ts'
import type { Resource } from '../../definition/resource.ts'
import { activeSpan } from '../../tracing.ts'
import { CHANGES_CHANNEL } from '../changes/change-signal.ts'
import { lockName } from '../database/advisory-lock.ts'
import type { Transaction } from '../database/database.ts'
import { withLongText } from '../database/long-text.ts'
import { DOCUMENT_END, lastOfEach, type RecordLine } from './record-lines.ts'
import { DOCUMENT, recordSql, TIMESTAMP_FIELDS } from './record-sql.ts'
import { addToChangeTotals, addToRecordTotals } from './record-totals.ts'

const { sql, raw } = Prisma

export const MAX_BATCH = 1000

/** The credential that owns the records. */
export interface RecordOwner {
  readonly credentialId: string
  readonly environmentId: string
}

export interface ApplyOptions {
  /**
   * Which records replace the stored ones.
   * `newer`: skips a record whose `remoteUpdatedAt` is older than the stored one (a stale response).
   * `all`: accepts every record, whatever its date (a full listing, or a single fetched record).
   * `written`: like `all`, for the app's response to a write.
   * `new`: stores only records that are not stored yet.
   */
  readonly accept: 'newer' | 'all' | 'written' | 'new'
  /**
   * When the request to the app was sent, or slightly earlier, by the database's clock. A record stored since
   * then may be newer than the response. It is replaced only if the app dates the response later (for a write:
   * not earlier). A record marked as deleted since then stays deleted, because apps do not date deletions.
   */
  readonly requestedAt?: string | undefined
  /** The workflow run that wrote to the app; undefined: none. Stored with the changes. */
  readonly cause?: string | undefined
}

export interface AppliedChanges {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

interface ApplySql {
  /** Fields and types of a line, without the id. */
  readonly fields: Prisma.Sql
  /** The columns that a record sets. */
  readonly written: Prisma.Sql
  readonly values: Prisma.Sql
  readonly document: Prisma.Sql
  readonly assignments: Prisma.Sql
  readonly markDeleted: Prisma.Sql
  readonly differs: Prisma.Sql
  readonly changedFields: Prisma.Sql
}

// The statement's time, because the statement starts under the lock: the transaction's time may precede a
// concurrent change. A change has the timestamp of its record, so history and record agree. The cast rounds to
// milliseconds, as the columns do; a conversion to text would truncate.
const NOW = 'statement_timestamp()::timestamptz(3)'

// A subquery runs once per statement; a column default would run once per row.
const EPOCH = raw('(SELECT change_log.current_epoch())')
// PostgreSQL delivers identical notifications of a transaction once, after the commit.
const NOTIFY_CHANGES = raw(`pg_notify('${CHANGES_CHANNEL}', '')::text`)

// By the app's clock: the incoming record (`i`) against the stored one (`b`).
const DATED_LATER = raw('i."remoteUpdatedAt" > b.remote_updated_at')
const NOT_DATED_EARLIER = raw('(i."remoteUpdatedAt" < b.remote_updated_at) IS NOT TRUE')

/** The trace that writes the changes; null: none. */
const traceparent = (): string | null => activeSpan()?.traceparent ?? null

const quoted = (name: string): string => `"${name}"`

const listed = (columns: readonly Column[], text: (column: Column) => string): Prisma.Sql =>
  raw(columns.map(text).join(', '))

const cache = new WeakMap<Resource, ApplySql>()

const applySql = (resource: Resource): ApplySql => {
  const cached = cache.get(resource)
  if (cached) return cached
  const { columns: all, document } = recordSql(resource)
  const columns = all.filter(({ field }) => !TIMESTAMP_FIELDS.has(field))
  const names = [...columns.map(({ name }) => name), 'updated_at', DOCUMENT]
  const compared = columns.filter(({ field }) => field !== 'remoteId')
  const differs = ({ field, name }: Column): string =>
    `b.${name} IS DISTINCT FROM i.${quoted(field)}`
  const marked = document('t.id', ({ field, name }) =>
    field === 'remoteDeleted' ? 'true' : field === 'updatedAt' ? NOW : `t.${name}`,
  )
  // PostgreSQL evaluates a subquery once, not for every record.
  const now = `(SELECT ${timeText(NOW)})`
  const statement: ApplySql = {
    fields: listed(columns, ({ field, sqlType }) => `${quoted(field)} ${sqlType}`),
    written: raw(['credential_id', 'id', 'created_at', ...names].join(', ')),
    values: listed(columns, ({ field, name }) => `i.${quoted(field)} AS ${name}`),
    document: raw(
      `split_part(line, '${DOCUMENT_END}', 1) || ',"createdAt":' || coalesce(${timeText('b.created_at')}, ${now}) || ',"updatedAt":' || ${now} || '}'`,
    ),
    assignments: raw(names.map((name) => `${name} = excluded.${name}`).join(', ')),
    markDeleted: raw(`remote_deleted = true, updated_at = ${NOW}, ${DOCUMENT} = ${marked}`),
    differs: raw(`(${compared.map(differs).join(' OR ')})`),
    changedFields: listed(
      compared,
      (column) => `CASE WHEN ${differs(column)} THEN '${column.field}' END`,
    ),
  }
  cache.set(resource, statement)
  return statement
}

/**
 * Locks one credential's records of one resource until the transaction ends, so that the log lists a record's
 * changes, oldest first.
 */
export const lockRecords = async (
  transaction: Transaction,
  credentialId: string,
  resource: Resource,
): Promise<void> => {
  await lockName(transaction, `${credentialId}/${resource.topic}`)
}

/**
 * Writes up to 1,000 records of one resource and their changes. One statement in addition to the lock.
 * @returns how many records were created, updated and deleted; the rest were unchanged
 */
export const applyChanges = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  records: readonly RecordLine[],
  { accept, requestedAt, cause }: ApplyOptions,
): Promise<AppliedChanges> => {
  const lines = lastOfEach(records)
  if (lines.length === 0) return { created: 0, updated: 0, deleted: 0 }
  if (lines.length > MAX_BATCH) throw new RangeError(`At most ${MAX_BATCH} records in one batch.`)
  const { credentialId, environmentId } = owner
  await lockRecords(transaction, credentialId, resource)
  const { table, json } = recordSql(resource)
  const part = applySql(resource)
  const owned = { credentialId, topic: resource.topic }
  const condition =
    accept === 'new' ? sql`false` : accept === 'newer' ? NOT_DATED_EARLIER : sql`true`
  const isLater = accept === 'written' ? NOT_DATED_EARLIER : DATED_LATER
  const unlessSince =
    requestedAt === undefined
      ? Prisma.empty
      : sql`AND (b.updated_at < ${requestedAt}::timestamptz
          OR ((NOT b.remote_deleted OR i."remoteDeleted") AND ${isLater}))`
  const apply = (text: string): Prisma.Sql => sql`
    WITH changed AS (
      SELECT b.id IS NULL AS is_new, b.remote_deleted AS was_deleted,
        CASE WHEN b.id IS NULL THEN '{}'::text[]
          ELSE array_remove(ARRAY[${part.changedFields}], NULL) END AS changed_fields,
        ${credentialId}::uuid AS credential_id, i.id, ${part.values},
        coalesce(b.created_at, ${raw(NOW)}) AS created_at, ${raw(NOW)} AS updated_at,
        ${part.document} AS ${raw(DOCUMENT)}, octet_length(b.${raw(DOCUMENT)}) AS old_bytes
      FROM string_to_table(${text}::text, E'\n') AS line
      CROSS JOIN LATERAL jsonb_to_record(line::jsonb) AS i(id uuid, ${part.fields})
      LEFT JOIN LATERAL (
        -- Looks up each stored row in the primary key. The planner would choose a join by statistics, which are
        -- outdated while a table is being filled. With equality instead of bounds and ORDER BY, a plan made for an
        -- empty table uses the index (credential_id, updated_at, id) and later scans all of it for each row.
        SELECT * FROM ${table} r
        WHERE (r.credential_id, r.id) >= (${credentialId}::uuid, i.id)
          AND (r.credential_id, r.id) <= (${credentialId}::uuid, i.id)
        ORDER BY r.credential_id, r.id LIMIT 1) b ON true
      WHERE b.id IS NULL OR ${part.differs} AND ${condition} ${unlessSince}
    ), created AS (
      -- Without ON CONFLICT, which would look up each key again: under the lock, nobody else creates these rows.
      INSERT INTO ${table} (${part.written}) SELECT ${part.written} FROM changed WHERE is_new
    ), updated AS (
      INSERT INTO ${table} (${part.written}) SELECT ${part.written} FROM changed WHERE NOT is_new
      ON CONFLICT (credential_id, id) DO UPDATE SET ${part.assignments}
    ), logged AS (
      INSERT INTO change_log.changes
        (epoch, environment_id, credential_id, cause, traceparent, topic, record_id, kind, changed_fields,
          record, at)
      SELECT ${EPOCH}, ${environmentId}::uuid, credential_id, ${cause ?? null}::uuid,
        ${traceparent()}::text, ${resource.topic}, id,
        CASE WHEN remote_deleted AND was_deleted IS NOT TRUE THEN 'deleted'
          WHEN is_new THEN 'created' ELSE 'updated' END,
        changed_fields, ${json}::json, updated_at
      FROM changed t
      RETURNING kind
    ), record_total AS (${addToRecordTotals(owned)}), change_total AS (
      ${addToChangeTotals(owned, 'changed')}
    )
    SELECT count(*) FILTER (WHERE kind = 'created')::integer AS created,
      count(*) FILTER (WHERE kind = 'updated')::integer AS updated,
      count(*) FILTER (WHERE kind = 'deleted')::integer AS deleted,
      CASE WHEN count(*) > 0 THEN ${NOTIFY_CHANGES} END AS notified
    FROM logged`
  const [counts] = await withLongText(lines.join('\n'), (text) =>
    transaction.prisma.$queryRaw<(AppliedChanges & { notified: unknown })[]>(apply(text)),
  )
  const { created = 0, updated = 0, deleted = 0 } = counts ?? {}
  return { created, updated, deleted }
}

/** The number of records marked as deleted. */
export interface MarkedRecords {
  readonly count: number
  /** Id of the last marked record; null if there was none. */
  readonly last: string | null
}

/** Marks as deleted the first 1,000 records, by `id`, that the condition `gone` selects. */
const markDeleted = async (
  transaction: Transaction,
  { credentialId, environmentId }: RecordOwner,
  resource: Resource,
  gone: Prisma.Sql,
): Promise<MarkedRecords> => {
  await lockRecords(transaction, credentialId, resource)
  const { table, json } = recordSql(resource)
  const [marked] = await transaction.prisma.$queryRaw<
    (MarkedRecords & { notified: unknown })[]
  >(sql`
    WITH gone AS (
      SELECT r.id FROM ${table} r
      WHERE r.credential_id = ${credentialId}::uuid AND NOT r.remote_deleted AND ${gone}
      ORDER BY r.credential_id, r.id LIMIT ${MAX_BATCH}
    ), written AS (
      UPDATE ${table} t SET ${applySql(resource).markDeleted} FROM gone
      WHERE t.credential_id = ${credentialId}::uuid AND t.id = gone.id
      RETURNING t.*
    ), logged AS (
      INSERT INTO change_log.changes
        (epoch, environment_id, credential_id, traceparent, topic, record_id, kind, changed_fields, record, at)
      SELECT ${EPOCH}, ${environmentId}::uuid, ${credentialId}::uuid, ${traceparent()}::text,
        ${resource.topic}, t.id,
        'deleted', ARRAY['remoteDeleted'], ${json}::json, t.updated_at
      FROM written t
      RETURNING 1
    ), change_total AS (
      ${addToChangeTotals({ credentialId, topic: resource.topic }, 'written')}
    )
    SELECT count(*)::integer AS count, (SELECT id::text FROM gone ORDER BY id DESC LIMIT 1) AS last,
      CASE WHEN count(*) > 0 THEN ${NOTIFY_CHANGES} END AS notified
    FROM logged`)
  return marked ?? { count: 0, last: null }
}

export interface UnseenBatch {
  /** Start of the listing. Records changed since then came from a write, perhaps after their page was read. */
  readonly since: string
  /** Last id of the previous batch; null for the first batch. */
  readonly after: string | null
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Marks as deleted up to 1,000 records of a credential that a full listing has not returned, in the order of
 * their ids. Call again with `last` until it is null.
 */
export const deleteUnseen = (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  { since, after }: UnseenBatch,
): Promise<MarkedRecords> =>
  markDeleted(
    transaction,
    owner,
    resource,
    // The row comparison makes the planner use the primary key (see applyChanges). OFFSET 0 keeps the NOT EXISTS
    // subquery from becoming a join, which would read all seen records for each batch.
    sql`(r.credential_id, r.id) > (${owner.credentialId}::uuid, ${after ?? FIRST_ID}::uuid)
      AND r.updated_at < ${since}::timestamptz
      AND NOT EXISTS (
        SELECT FROM sync_sightings s WHERE s.credential_id = r.credential_id
          AND s.topic = ${resource.topic} AND s.record_id = r.id OFFSET 0)`,
  )

/**
 * Marks up to 1,000 records as deleted in the app, if they are stored and not marked already.
 * @returns how many were marked
 */
export const markRecordsDeleted = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  ids: readonly string[],
): Promise<number> =>
  (await markDeleted(transaction, owner, resource, sql`r.id = ANY (${ids}::uuid[])`)).count
