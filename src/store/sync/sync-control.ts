/**
 * Resync, pause and resume of a credential's syncs. A paused sync is due at `infinity`, so that the scan of the
 * due runs does not read it. A resync or a pause takes the leases of runs in progress, which end before they
 * store their next page. A feed is paused and resumed with all syncs of its credential.
 */
import { Prisma } from '@prisma/client'
import type { Transaction } from '../database/database.ts'
import { RELEASED } from '../database/lease-sql.ts'
import { IS_FEED } from './sync-key.ts'

const { sql } = Prisma

const IS_RESOURCE = sql`NOT ${IS_FEED}`

const isTopic = (topic: string): Prisma.Sql => sql`s.topic = ${topic} AND ${IS_RESOURCE}`

/** Updates those sync states of a credential that meet a condition. */
const updateStates = (
  { prisma }: Transaction,
  credentialId: string,
  assignments: Prisma.Sql,
  condition: Prisma.Sql = sql`true`,
): Promise<number> =>
  prisma.$executeRaw(sql`
    WITH locked AS MATERIALIZED (
      SELECT s.credential_id, s.topic FROM sync_states s
      WHERE s.credential_id = ${credentialId}::uuid AND ${condition}
      -- The lock order of renewals: prevents deadlocks.
      ORDER BY s.credential_id, s.topic FOR UPDATE OF s
    )
    UPDATE sync_states s SET ${assignments} FROM locked l
    WHERE s.credential_id = l.credential_id AND s.topic = l.topic`)

/** The failure code of a sync whose credential was reconnected; its next completed run reports the recovery. */
export const RECONNECTED = 'RECONNECTED'

/** Ends the failures of a reconnected credential, and makes its syncs due immediately; a paused one when it is resumed. */
export const restartSyncs = async (
  transaction: Transaction,
  credentialId: string,
): Promise<void> => {
  await updateStates(
    transaction,
    credentialId,
    // Runs in progress use the earlier values.
    sql`${RELEASED}, failures = 0,
      failure_code = CASE WHEN failure_code <> 'APP_RATE_LIMITED' THEN ${RECONNECTED} END,
      due_at = CASE WHEN due_at = 'infinity' THEN due_at ELSE clock_timestamp() END`,
  )
}

const LIST_EVERYTHING = sql`${RELEASED}, progress = NULL, since = NULL, token = NULL, absence = NULL,
  idle_runs = 0, remote_count = NULL,
  full_listing_at = CASE WHEN full_listing_at IS NOT NULL THEN 'epoch'::timestamptz END,
  due_at = CASE WHEN due_at = 'infinity' THEN due_at ELSE clock_timestamp() END`

/**
 * Makes a full listing of every resource, or of one topic, due immediately; a paused one when it is resumed.
 * @returns whether the credential has such a sync
 */
export const resyncCredential = async (
  transaction: Transaction,
  credentialId: string,
  topic?: string,
): Promise<boolean> => {
  // A feed reports the changes since its token anyway.
  const condition = topic === undefined ? IS_RESOURCE : isTopic(topic)
  const updated = await updateStates(transaction, credentialId, LIST_EVERYTHING, condition)
  return updated > 0
}

/**
 * Makes a full listing of every resource due that has listed records before.
 * @param accountChanged whether the credential has another account now, so that the listings delete what they do not return
 * @returns whether there is such a resource
 */
export const relistCredential = async (
  transaction: Transaction,
  credentialId: string,
  { accountChanged = false } = {},
): Promise<boolean> => {
  const hasListed = sql`${IS_RESOURCE} AND (s.full_listing_at IS NOT NULL OR s.progress IS NOT NULL)`
  const relisted = sql`${LIST_EVERYTHING}, account_changed = account_changed OR ${accountChanged}`
  return (await updateStates(transaction, credentialId, relisted, hasListed)) > 0
}

/** Makes a full listing of one topic due, in every credential of an app in an environment or in one. One statement. */
export const resyncResource = async (
  { prisma }: Transaction,
  {
    environmentId,
    app,
    topic,
    credentialId,
  }: {
    readonly environmentId: string
    readonly app: string
    readonly topic: string
    /** Null: every credential of the app. */
    readonly credentialId: string | null
  },
): Promise<void> => {
  await prisma.$executeRaw(sql`
    WITH locked AS MATERIALIZED (
      SELECT s.credential_id, s.topic FROM credentials c JOIN sync_states s ON s.credential_id = c.id
      WHERE c.environment_id = ${environmentId}::uuid AND c.app = ${app} AND s.topic = ${topic}
        AND (${credentialId}::uuid IS NULL OR c.id = ${credentialId}::uuid)
      ORDER BY s.credential_id, s.topic FOR UPDATE OF s
    )
    UPDATE sync_states s SET ${LIST_EVERYTHING} FROM locked l
    WHERE s.credential_id = l.credential_id AND s.topic = l.topic`)
}

/** Pauses every sync of a credential, or that of one topic; a paused one stays as it is. @returns as `resyncCredential` */
export const pauseCredential = async (
  transaction: Transaction,
  credentialId: string,
  topic?: string,
): Promise<boolean> => {
  const updated = await updateStates(
    transaction,
    credentialId,
    // What the feed reports meanwhile is not stored.
    sql`${RELEASED}, due_at = 'infinity', reported_since = NULL,
      paused_at = CASE WHEN due_at = 'infinity' THEN paused_at ELSE clock_timestamp() END`,
    topic === undefined ? undefined : isTopic(topic),
  )
  return updated > 0
}

/** Makes every paused sync of a credential due immediately, or that of one topic. @returns as `resyncCredential` */
export const resumeCredential = async (
  transaction: Transaction,
  credentialId: string,
  topic?: string,
): Promise<boolean> => {
  const resumed = sql`due_at = CASE WHEN due_at = 'infinity' THEN clock_timestamp() ELSE due_at END,
    paused_at = NULL`
  if (topic === undefined) return (await updateStates(transaction, credentialId, resumed)) > 0
  const updated = await updateStates(transaction, credentialId, resumed, isTopic(topic))
  if (updated > 0) await updateStates(transaction, credentialId, resumed, IS_FEED)
  return updated > 0
}
