/** Reads how current the stored records of resources are, and requests runs earlier than planned. */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { isFree } from '../database/lease-sql.ts'
import type { SyncKey } from './sync-key.ts'

const { sql } = Prisma

/** How current the stored records of one resource of a credential are. */
export interface SyncAge extends SyncKey {
  /** When the last completed run started: what had changed in the app by then is stored. Null: never, or unknown. */
  readonly syncedAt: Date | null
  /** Whether no earlier run can be requested: the sync is paused, it fails, or a second listing must wait. */
  readonly isStopped: boolean
  /** Whether the next run is neither due nor in progress. */
  readonly isIdle: boolean
  /** The database's time. */
  readonly now: Date
}

// A failing sync has its own pause, which an app may have requested. After an incomplete listing, the pause before the
// second one shows whether records are missing only for a while.
const CAN_RUN = sql`s.failures = 0 AND s.absence IS NULL AND s.due_at < 'infinity'`
const IS_IDLE = sql`s.due_at > clock_timestamp() AND ${isFree('s')}`

const isKey = (keys: readonly SyncKey[]): Prisma.Sql =>
  sql`(s.credential_id, s.topic) IN (SELECT * FROM unnest(
    ${keys.map(({ credentialId }) => credentialId)}::uuid[], ${keys.map(({ topic }) => topic)}::text[]))`

/** Reads how current resources are; those of deleted credentials are left out. One statement. */
export const readSyncAges = ({ prisma }: Database, keys: readonly SyncKey[]): Promise<SyncAge[]> =>
  prisma.$queryRaw<SyncAge[]>(sql`
    SELECT s.credential_id::text AS "credentialId", s.topic, s.synced_at AS "syncedAt",
      NOT (${CAN_RUN}) AS "isStopped", ${IS_IDLE} AS "isIdle", clock_timestamp() AS now
    FROM sync_states s WHERE ${isKey(keys)}`)

/** Makes the next runs of resources due immediately, unless they are in progress or stopped. One statement. */
export const requestRuns = async (
  { prisma }: Database,
  keys: readonly SyncKey[],
): Promise<void> => {
  await prisma.$executeRaw(sql`
    WITH waiting AS MATERIALIZED (
      SELECT s.credential_id, s.topic FROM sync_states s
      WHERE ${isKey(keys)} AND ${CAN_RUN} AND ${IS_IDLE}
      ORDER BY s.credential_id, s.topic FOR UPDATE OF s SKIP LOCKED
    )
    UPDATE sync_states s SET due_at = clock_timestamp() FROM waiting w
    WHERE s.credential_id = w.credential_id AND s.topic = w.topic`)
}
