/**
 * Storage totals of each credential, updated by the statements that write records. They count JSON: the
 * documents of records and of the change log. Indexes and columns add to that in proportion.
 */
import { Prisma } from '@prisma/client'
import type { Resource } from '../../definition/resource.ts'
import type { Transaction } from '../database/database.ts'
import { DOCUMENT, recordSql } from './record-sql.ts'

const { sql, raw } = Prisma

/** The credential and resource whose rows a statement writes. */
export interface TotalsOwner {
  readonly credentialId: string
  readonly topic: string
}

/**
 * SQL that adds the rows of the CTE `changed` (`is_new`, `document`, `old_bytes`) to the record totals. A
 * missing total stays missing until `ensureRecordTotal` counts all rows. The caller holds `lockRecords`, so no
 * other transaction waits for the row.
 */
export const addToRecordTotals = ({ credentialId, topic }: TotalsOwner): Prisma.Sql => sql`
  UPDATE record_totals t SET records = t.records + d.records, bytes = t.bytes + d.bytes
  FROM (SELECT count(*) FILTER (WHERE is_new) AS records,
      sum(octet_length(${raw(DOCUMENT)}) - coalesce(old_bytes, 0)) AS bytes
    FROM changed HAVING count(*) > 0) d
  WHERE t.credential_id = ${credentialId}::uuid AND t.topic = ${topic}`

/** SQL that adds the documents of the CTE `from`, which the statement writes to the change log, to today's total. */
export const addToChangeTotals = (
  { credentialId, topic }: TotalsOwner,
  from: 'changed' | 'written',
): Prisma.Sql => sql`
  INSERT INTO change_totals AS t (credential_id, topic, day, bytes)
  SELECT ${credentialId}::uuid, ${topic}, current_date, sum(octet_length(${raw(DOCUMENT)}))
  FROM ${raw(from)} HAVING count(*) > 0
  ON CONFLICT (credential_id, topic, day) DO UPDATE SET bytes = t.bytes + excluded.bytes`

/** Creates the total of a resource by counting its rows; writes then update it. The caller holds `lockRecords`. */
export const ensureRecordTotal = async (
  transaction: Transaction,
  credentialId: string,
  resource: Resource,
): Promise<void> => {
  await transaction.prisma.$executeRaw(sql`
    INSERT INTO record_totals (credential_id, topic, records, bytes)
    SELECT ${credentialId}::uuid, ${resource.topic}, count(*),
      coalesce(sum(octet_length(${raw(DOCUMENT)})), 0)
    FROM ${recordSql(resource).table} WHERE credential_id = ${credentialId}::uuid
    ON CONFLICT DO NOTHING`)
}

/** Storage totals of one credential. */
export interface StoredTotals {
  /** Rows, including those of records that were deleted in the app. */
  readonly records: number
  /** Bytes of JSON in records and in the changes that the log still keeps. */
  readonly bytes: number
}

/** SQL for a credential's totals, as the columns `records` and `bytes` of the enclosing statement. */
export const storedTotals = (credentialId: string): Prisma.Sql => sql`
  (SELECT coalesce(sum(t.records), 0) FROM record_totals t
    WHERE t.credential_id = ${credentialId}::uuid)::double precision AS records,
  ((SELECT coalesce(sum(t.bytes), 0) FROM record_totals t
      WHERE t.credential_id = ${credentialId}::uuid)
    + (SELECT coalesce(sum(t.bytes), 0) FROM change_totals t
      WHERE t.credential_id = ${credentialId}::uuid))::double precision AS bytes`
