/**
 * The one road by which records change: records and their changes in one statement of one transaction.
 * What has not changed is not written and makes no change.
 */
import { Prisma } from '@prisma/client'
import type { Column } from '../definition/column.ts'
import type { RecordRow } from '../definition/mapping.ts'
import type { Resource } from '../definition/resource.ts'
import type { Transaction } from './database.ts'
import { DOCUMENT, recordSql } from './record-sql.ts'

const { sql, raw, join } = Prisma

export const MAX_BATCH = 1000

/** The credential whose records change. */
export interface RecordOwner {
  readonly credentialId: string
  readonly environmentId: string
}

export interface ApplyOptions {
  /**
   * `newer`: a record that the app changed earlier than the stored one is an old answer and is left alone.
   * `all`: the app's state holds, whatever its clock says (a listing of everything).
   */
  readonly accept: 'newer' | 'all'
}

export interface AppliedChanges {
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

const quoted = (name: string): string => `"${name}"`

interface ApplySql {
  readonly input: Prisma.Sql
  readonly insertColumns: Prisma.Sql
  readonly selectInput: Prisma.Sql
  readonly assignments: Prisma.Sql
  readonly markDeleted: Prisma.Sql
  readonly differs: Prisma.Sql
  readonly changedFields: Prisma.Sql
}

// The time of the statement, which begins under the lock: that of the transaction may lie before what
// another has changed meanwhile. Rounded to milliseconds, as the columns keep it; as text it would be cut off.
const NOW = 'statement_timestamp()::timestamptz(3)'

const cache = new WeakMap<Resource, ApplySql>()

const applySql = (resource: Resource): ApplySql => {
  const known = cache.get(resource)
  if (known) return known
  const stamped = new Set(['createdAt', 'updatedAt'])
  const { columns: all, document } = recordSql(resource)
  const columns = all.filter(({ field }) => !stamped.has(field))
  const names = columns.map(({ name }) => name)

  const compared = columns.filter(({ field }) => field !== 'remoteId')
  const stamp = ({ field, name }: Column, alias: string): string =>
    field === 'createdAt' ? 't.created_at' : field === 'updatedAt' ? NOW : `${alias}.${name}`
  const inserted = document('i.id', ({ field }) =>
    stamped.has(field) ? NOW : `i.${quoted(field)}`,
  )
  const updated = document('t.id', (column) => stamp(column, 'excluded'))
  const marked = document('t.id', (column) =>
    column.field === 'remoteDeleted' ? 'true' : stamp(column, 't'),
  )
  const statement: ApplySql = {
    input: raw(
      `(id uuid, ${columns.map(({ field, sqlType }) => `${quoted(field)} ${sqlType}`).join(', ')})`,
    ),
    insertColumns: raw(`${names.join(', ')}, created_at, updated_at, ${DOCUMENT}`),
    selectInput: raw(
      `${columns.map(({ field }) => `i.${quoted(field)}`).join(', ')}, ${NOW}, ${NOW}, ${inserted}`,
    ),
    assignments: raw(
      `${names.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = ${NOW}, ${DOCUMENT} = ${updated}`,
    ),
    markDeleted: raw(`remote_deleted = true, updated_at = ${NOW}, ${DOCUMENT} = ${marked}`),
    differs: raw(
      `(${compared.map(({ name }) => `t.${name}`).join(', ')}) IS DISTINCT FROM (${compared
        .map(({ name }) => `excluded.${name}`)
        .join(', ')})`,
    ),
    changedFields: join(
      compared.map(({ name, field }) =>
        raw(`CASE WHEN t.${name} IS DISTINCT FROM b.${name} THEN '${field}' END`),
      ),
    ),
  }
  cache.set(resource, statement)
  return statement
}

/** The last of several rows with one id: a page may list a record twice. */
const lastOfEach = (rows: readonly RecordRow[]): RecordRow[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]

// What PostgreSQL refuses in text and jsonb: U+0000 and halves of surrogate pairs, which JSON.stringify escapes.
const UNSTORABLE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/gi

/** JSON text that PostgreSQL takes: an unstorable character becomes U+FFFD. */
const storableJson = (rows: readonly RecordRow[]): string => {
  const text = JSON.stringify(rows)
  return text.includes('\\u')
    ? text.replace(UNSTORABLE, (found) => (/^\\u(?:0000|d)/i.test(found) ? '\\ufffd' : found))
    : text
}

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
  records: readonly RecordRow[],
  { accept }: ApplyOptions,
): Promise<AppliedChanges> => {
  const rows = lastOfEach(records)
  if (rows.length === 0) return { created: 0, updated: 0, deleted: 0 }
  if (rows.length > MAX_BATCH) throw new RangeError(`At most ${MAX_BATCH} records in one batch.`)
  const { credentialId, environmentId } = owner
  await lockRecords(transaction, credentialId, resource)
  const { table, json } = recordSql(resource)
  const part = applySql(resource)
  const newer =
    accept === 'newer'
      ? raw('AND (excluded.remote_updated_at < t.remote_updated_at) IS NOT TRUE')
      : Prisma.empty
  const [counts] = await transaction.$queryRaw<AppliedChanges[]>(sql`
    WITH input AS (
      SELECT * FROM json_to_recordset(${storableJson(rows)}::json) AS r${part.input}
    ), before AS MATERIALIZED (
      -- By key, one by one: a join would be planned by statistics, which a table that fills up has outgrown.
      SELECT t.* FROM input i CROSS JOIN LATERAL (
        SELECT * FROM ${table} r
        WHERE r.credential_id = ${credentialId}::uuid AND r.id = i.id LIMIT 1) t
    ), written AS (
      INSERT INTO ${table} AS t (credential_id, id, ${part.insertColumns})
      SELECT ${credentialId}::uuid, i.id, ${part.selectInput} FROM input i
      ON CONFLICT (credential_id, id) DO UPDATE SET ${part.assignments}
        WHERE ${part.differs} ${newer}
      RETURNING t.*
    ), logged AS (
      INSERT INTO change_log.changes
        (environment_id, credential_id, topic, record_id, kind, changed_fields, record)
      SELECT ${environmentId}::uuid, ${credentialId}::uuid, ${resource.topic}, t.id,
        CASE WHEN t.remote_deleted AND b.remote_deleted IS NOT TRUE THEN 'deleted'
          WHEN b.id IS NULL THEN 'created' ELSE 'updated' END,
        CASE WHEN b.id IS NULL THEN '{}'::text[]
          ELSE array_remove(ARRAY[${part.changedFields}], NULL) END,
        ${json}::json
      FROM written t LEFT JOIN before b ON b.id = t.id
      RETURNING kind
    )
    SELECT count(*) FILTER (WHERE kind = 'created')::integer AS created,
      count(*) FILTER (WHERE kind = 'updated')::integer AS updated,
      count(*) FILTER (WHERE kind = 'deleted')::integer AS deleted
    FROM logged`)
  return counts ?? { created: 0, updated: 0, deleted: 0 }
}

/**
 * Marks as deleted up to 1,000 records of a credential that a listing of everything has not sighted.
 * @returns how many; call again until it is 0
 */
export const deleteUnsighted = async (
  transaction: Transaction,
  { credentialId, environmentId }: RecordOwner,
  resource: Resource,
): Promise<number> => {
  await lockRecords(transaction, credentialId, resource)
  const { table, json } = recordSql(resource)
  const { markDeleted } = applySql(resource)
  return transaction.$executeRaw(sql`
    WITH gone AS (
      SELECT r.id FROM ${table} r
      WHERE r.credential_id = ${credentialId}::uuid AND NOT r.remote_deleted AND NOT EXISTS (
        SELECT FROM sync_sightings s WHERE s.credential_id = r.credential_id
          AND s.topic = ${resource.topic} AND s.record_id = r.id)
      LIMIT ${MAX_BATCH}
    ), written AS (
      UPDATE ${table} t SET ${markDeleted} FROM gone
      WHERE t.credential_id = ${credentialId}::uuid AND t.id = gone.id
      RETURNING t.*
    )
    INSERT INTO change_log.changes
      (environment_id, credential_id, topic, record_id, kind, changed_fields, record)
    SELECT ${environmentId}::uuid, ${credentialId}::uuid, ${resource.topic}, t.id, 'deleted',
      ARRAY['remoteDeleted'], ${json}::json
    FROM written t`)
}
