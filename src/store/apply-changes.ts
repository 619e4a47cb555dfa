/**
 * The one road by which records change: records and their changes in one statement of one transaction.
 * What has not changed is not written and makes no change.
 */
import { Prisma } from '@prisma/client'
import type { Column } from '../definition/column.ts'
import type { Resource } from '../definition/resource.ts'
import { CHANGES_CHANNEL } from './change-feed.ts'
import type { Transaction } from './database.ts'
import { KEPT_END, type RecordLine } from './record-lines.ts'
import { DOCUMENT, recordSql, STAMPS, timeText } from './record-sql.ts'

const { sql, raw } = Prisma

export const MAX_BATCH = 1000

/** The credential whose records change. */
export interface RecordOwner {
  readonly credentialId: string
  readonly environmentId: string
}

export interface ApplyOptions {
  /**
   * `newer`: a record that the app changed earlier than the stored one is an old answer and is left alone.
   * `all`: the app's state holds, whatever its clock says (a listing of everything, or one record asked for).
   * `written`: as `all`, of what the app says of a write.
   */
  readonly accept: 'newer' | 'all' | 'written'
  /**
   * When the app was asked, by the database's clock, or a little earlier. What was stored since is perhaps
   * later than the answer: it is left alone unless the app dates the answer later, or, of a write, not
   * earlier. What was marked as deleted since stays so: of a deletion, apps tell no date.
   */
  readonly askedAt?: string | undefined
  /** The workflow run on whose behalf the app was written to; undefined: none. Kept with the changes. */
  readonly cause?: string | undefined
}

export interface AppliedChanges {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

interface ApplySql {
  /** Fields and types of what a line holds beside the id. */
  readonly fields: Prisma.Sql
  readonly names: Prisma.Sql
  readonly values: Prisma.Sql
  readonly document: Prisma.Sql
  readonly assignments: Prisma.Sql
  readonly markDeleted: Prisma.Sql
  readonly differs: Prisma.Sql
  readonly changedFields: Prisma.Sql
}

// The time of the statement, which begins under the lock: that of the transaction may lie before what
// another has changed meanwhile. A change bears the time of its record, so that both tell the same of the past.
// Rounded to milliseconds, as the columns keep it; as text it would be cut off.
const NOW = 'statement_timestamp()::timestamptz(3)'

// Asked for once a statement: as the column's default it would be once a row.
const EPOCH = raw('(SELECT change_log.current_epoch())')
// Heard when the transaction commits, and once, however often it says so.
const ANNOUNCE = raw(`pg_notify('${CHANGES_CHANNEL}', '')::text`)

// By the app's clock: what is given (`i`), beside what is stored (`b`).
const DATED_LATER = raw('i."remoteUpdatedAt" > b.remote_updated_at')
const NOT_DATED_EARLIER = raw('(i."remoteUpdatedAt" < b.remote_updated_at) IS NOT TRUE')

const quoted = (name: string): string => `"${name}"`

const listed = (columns: readonly Column[], text: (column: Column) => string): Prisma.Sql =>
  raw(columns.map(text).join(', '))

const cache = new WeakMap<Resource, ApplySql>()

const applySql = (resource: Resource): ApplySql => {
  const known = cache.get(resource)
  if (known) return known
  const { columns: all, document } = recordSql(resource)
  const columns = all.filter(({ field }) => !STAMPS.has(field))
  const compared = columns.filter(({ field }) => field !== 'remoteId')
  const differs = ({ field, name }: Column): string =>
    `b.${name} IS DISTINCT FROM i.${quoted(field)}`
  const marked = document('t.id', ({ field, name }) =>
    field === 'remoteDeleted' ? 'true' : field === 'updatedAt' ? NOW : `t.${name}`,
  )
  // A subquery of its own is made into text once, not for every record.
  const now = `(SELECT ${timeText(NOW)})`
  const statement: ApplySql = {
    fields: listed(columns, ({ field, sqlType }) => `${quoted(field)} ${sqlType}`),
    names: listed(columns, ({ name }) => name),
    values: listed(columns, ({ field, name }) => `i.${quoted(field)} AS ${name}`),
    document: raw(
      `split_part(line, '${KEPT_END}', 1) || ',"createdAt":' || coalesce(${timeText('b.created_at')}, ${now}) || ',"updatedAt":' || ${now} || '}'`,
    ),
    assignments: listed(columns, ({ name }) => `${name} = excluded.${name}`),
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

/** The last of several lines with one id: a page may list a record twice. */
const lastOfEach = (records: readonly RecordLine[]): string[] => [
  ...new Map(records.map(({ id, line }) => [id, line])).values(),
]

/**
 * Takes the lock under which one credential's records of one resource change, until the transaction ends:
 * a record's changes stand in the log in the order in which they happened.
 */
export const lockRecords = async (
  transaction: Transaction,
  credentialId: string,
  resource: Resource,
): Promise<void> => {
  const key = `${credentialId}/${resource.topic}`
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`
}

/**
 * Writes up to 1,000 records of one resource and their changes. One statement beside the lock.
 * @returns how many records were created, updated and deleted; the rest were as they are
 */
export const applyChanges = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  records: readonly RecordLine[],
  { accept, askedAt, cause }: ApplyOptions,
): Promise<AppliedChanges> => {
  const lines = lastOfEach(records)
  if (lines.length === 0) return { created: 0, updated: 0, deleted: 0 }
  if (lines.length > MAX_BATCH) throw new RangeError(`At most ${MAX_BATCH} records in one batch.`)
  const { credentialId, environmentId } = owner
  await lockRecords(transaction, credentialId, resource)
  const { table, json } = recordSql(resource)
  const part = applySql(resource)
  const newer = accept === 'newer' ? sql`AND ${NOT_DATED_EARLIER}` : Prisma.empty
  const isLater = accept === 'written' ? NOT_DATED_EARLIER : DATED_LATER
  const unlessSince =
    askedAt === undefined
      ? Prisma.empty
      : sql`AND (b.updated_at < ${askedAt}::timestamptz
          OR ((NOT b.remote_deleted OR i."remoteDeleted") AND ${isLater}))`
  const [counts] = await transaction.$queryRaw<(AppliedChanges & { told: unknown })[]>(sql`
    WITH changed AS (
      SELECT b.id IS NULL AS is_new, b.remote_deleted AS was_deleted,
        CASE WHEN b.id IS NULL THEN '{}'::text[]
          ELSE array_remove(ARRAY[${part.changedFields}], NULL) END AS changed_fields,
        ${credentialId}::uuid AS credential_id, i.id, ${part.values},
        coalesce(b.created_at, ${raw(NOW)}) AS created_at, ${raw(NOW)} AS updated_at,
        ${part.document} AS ${raw(DOCUMENT)}
      FROM string_to_table(${lines.join('\n')}::text, E'\n') AS line
      CROSS JOIN LATERAL jsonb_to_record(line::jsonb) AS i(id uuid, ${part.fields})
      LEFT JOIN LATERAL (
        -- The stored row, one by one: a join would be planned by statistics, which a table that fills up has
        -- outgrown. By bounds and order, which only the primary key answers: for equality the planner of an
        -- empty table takes (credential_id, updated_at, id), stays with it, and reads all of it for each row.
        SELECT * FROM ${table} r
        WHERE (r.credential_id, r.id) >= (${credentialId}::uuid, i.id)
          AND (r.credential_id, r.id) <= (${credentialId}::uuid, i.id)
        ORDER BY r.credential_id, r.id LIMIT 1) b ON true
      WHERE b.id IS NULL OR ${part.differs} ${newer} ${unlessSince}
    ), written AS (
      INSERT INTO ${table} (credential_id, id, ${part.names}, created_at, updated_at, ${raw(DOCUMENT)})
      SELECT credential_id, id, ${part.names}, created_at, updated_at, ${raw(DOCUMENT)} FROM changed
      ON CONFLICT (credential_id, id) DO UPDATE SET ${part.assignments},
        updated_at = excluded.updated_at, ${raw(DOCUMENT)} = excluded.${raw(DOCUMENT)}
    ), logged AS (
      INSERT INTO change_log.changes
        (epoch, environment_id, credential_id, cause, topic, record_id, kind, changed_fields, record, at)
      SELECT ${EPOCH}, ${environmentId}::uuid, credential_id, ${cause ?? null}::uuid,
        ${resource.topic}, id,
        CASE WHEN remote_deleted AND was_deleted IS NOT TRUE THEN 'deleted'
          WHEN is_new THEN 'created' ELSE 'updated' END,
        changed_fields, ${json}::json, updated_at
      FROM changed t
      RETURNING kind
    )
    SELECT count(*) FILTER (WHERE kind = 'created')::integer AS created,
      count(*) FILTER (WHERE kind = 'updated')::integer AS updated,
      count(*) FILTER (WHERE kind = 'deleted')::integer AS deleted,
      CASE WHEN count(*) > 0 THEN ${ANNOUNCE} END AS told
    FROM logged`)
  const { created = 0, updated = 0, deleted = 0 } = counts ?? {}
  return { created, updated, deleted }
}

/** What was marked as deleted. */
export interface Marked {
  readonly count: number
  /** The id of the last of them; null: there were none. */
  readonly last: string | null
}

/** Marks the first 1,000 records, by `id`, that `gone` selects as deleted. */
const markDeleted = async (
  transaction: Transaction,
  { credentialId, environmentId }: RecordOwner,
  resource: Resource,
  gone: Prisma.Sql,
): Promise<Marked> => {
  await lockRecords(transaction, credentialId, resource)
  const { table, json } = recordSql(resource)
  const [marked] = await transaction.$queryRaw<(Marked & { told: unknown })[]>(sql`
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
        (epoch, environment_id, credential_id, topic, record_id, kind, changed_fields, record, at)
      SELECT ${EPOCH}, ${environmentId}::uuid, ${credentialId}::uuid, ${resource.topic}, t.id,
        'deleted', ARRAY['remoteDeleted'], ${json}::json, t.updated_at
      FROM written t
      RETURNING 1
    )
    SELECT count(*)::integer AS count, (SELECT id::text FROM gone ORDER BY id DESC LIMIT 1) AS last,
      CASE WHEN count(*) > 0 THEN ${ANNOUNCE} END AS told
    FROM logged`)
  return marked ?? { count: 0, last: null }
}

export interface UnsightedChoice {
  /** When the listing began: what changed here since then came by another way, and its page was read before. */
  readonly since: string
  /** The last id of the batch before: what comes before it is not read again. */
  readonly after: string | null
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Marks as deleted up to 1,000 records of a credential that a listing of everything has not sighted, in the
 * order of their ids. Call again with the last until there is none.
 */
export const deleteUnsighted = (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  { since, after }: UnsightedChoice,
): Promise<Marked> =>
  markDeleted(
    transaction,
    owner,
    resource,
    // The bound as a row, which only the primary key answers (see applyChanges). OFFSET keeps the look for a
    // sighting apart from the rest: joined, it would read all of them for each batch.
    sql`(r.credential_id, r.id) > (${owner.credentialId}::uuid, ${after ?? FIRST_ID}::uuid)
      AND r.updated_at < ${since}::timestamptz
      AND NOT EXISTS (
        SELECT FROM sync_sightings s WHERE s.credential_id = r.credential_id
          AND s.topic = ${resource.topic} AND s.record_id = r.id OFFSET 0)`,
  )

/** Marks one record as deleted in the app, unless it is already. */
export const deleteRecord = async (
  transaction: Transaction,
  owner: RecordOwner,
  resource: Resource,
  id: string,
): Promise<void> => {
  await markDeleted(transaction, owner, resource, sql`r.id = ${id}::uuid`)
}
