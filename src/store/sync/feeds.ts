/**
 * What the sync of a feed changes in the sync states of its resources. A resource is covered by its feed once a run of
 * its own, which started after the feed did (`reported_since`), has completed: the feed reports all later changes. Then
 * the resource is due only for its next full listing, and the feed's runs advance its position (`since`,
 * `completed_at`, `synced_at`) as its own runs would have done.
 */
import { Prisma } from '@prisma/client'
import { ASYNCHRONOUS_COMMIT } from '../database/asynchronous-commit.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import { isFree, isHeld, RELEASED } from '../database/lease-sql.ts'
import { NEVER } from '../database/time-sql.ts'
import { IS_COVERED, IS_FEED, type SyncKey } from './sync-key.ts'

const { sql } = Prisma

/** Locks sync states in the order of renewals, which prevents deadlocks. */
const locked = (credentialId: string, topics: readonly string[]): Prisma.Sql => sql`
  SELECT s.credential_id, s.topic FROM sync_states s
  WHERE s.credential_id = ${credentialId}::uuid AND s.topic = ANY (${topics}::text[])
  ORDER BY s.credential_id, s.topic FOR UPDATE OF s`

/** Locks the sync states of a credential until the transaction ends. For transactions that change several of them. */
export const lockStates = async (
  { prisma }: Transaction,
  credentialId: string,
  topics: readonly string[],
): Promise<void> => {
  await prisma.$queryRaw(locked(credentialId, topics))
}

/** A completed run of a feed. */
export interface ReportedChanges {
  readonly credentialId: string
  readonly topics: readonly string[]
  /** When the run started, by the database's clock. */
  readonly startedAt: string
  /** Seconds of the app's clock that certainly pass in one second of the database's. */
  readonly clockRate: number
}

/**
 * Advances the resources of a feed that has completed a run: it has reported every change up to the start of the run.
 * Paused resources are left out: their changes were not stored. One statement, after the feed's own token is stored.
 */
export const advanceCovered = async (
  { prisma }: Database,
  { credentialId, topics, startedAt, clockRate }: ReportedChanges,
): Promise<void> => {
  const start = sql`${startedAt}::timestamptz`
  const isIdle = sql`(${IS_COVERED} AND ${isFree('s')} AND s.progress IS NULL)`
  await prisma.$executeRaw(sql`
    WITH locked AS MATERIALIZED (${locked(credentialId, topics)})
    UPDATE sync_states s SET
      reported_since = coalesce(s.reported_since, clock_timestamp()),
      since = CASE WHEN ${isIdle}
        THEN s.since + greatest(${start} - s.completed_at, interval '0') * ${clockRate}::double precision
        ELSE s.since END,
      completed_at = CASE WHEN ${isIdle} THEN greatest(s.completed_at, ${start}) ELSE s.completed_at END,
      synced_at = CASE WHEN ${isIdle} THEN greatest(s.synced_at, ${start}) ELSE s.synced_at END
    FROM locked l
    WHERE s.credential_id = l.credential_id AND s.topic = l.topic AND s.due_at < 'infinity'
      AND (s.reported_since IS NULL OR ${isIdle})
    RETURNING ${ASYNCHRONOUS_COMMIT}`)
}

/**
 * Makes resources poll for changes by themselves, from their own positions: the feed fails, or does not show all of
 * their changes. A later run of the feed covers them again once they have been listed.
 * @param lacking those that lack a deletion: they are listed in full
 */
export const endCoverage = async (
  { prisma }: Queryable,
  credentialId: string,
  topics: readonly string[],
  lacking: readonly string[] = [],
): Promise<void> => {
  await prisma.$executeRaw(sql`
    WITH locked AS MATERIALIZED (${locked(credentialId, topics)})
    UPDATE sync_states s SET reported_since = NULL,
      full_listing_at = CASE WHEN s.topic = ANY (${lacking}::text[]) AND s.full_listing_at IS NOT NULL
        THEN 'epoch' ELSE s.full_listing_at END,
      due_at = CASE WHEN ${IS_COVERED} AND ${isFree('s')} AND s.failures = 0 AND s.due_at < 'infinity'
        THEN least(s.due_at, clock_timestamp()) ELSE s.due_at END
    FROM locked l
    WHERE s.credential_id = l.credential_id AND s.topic = l.topic`)
}

/**
 * Takes the leases of runs in progress, which resume from their stored pages. A page that was requested earlier is
 * not stored: it may show a record that the feed has reported as deleted since.
 */
export const interruptRuns = async (
  { prisma }: Transaction,
  credentialId: string,
  topics: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw(sql`
    WITH locked AS MATERIALIZED (${locked(credentialId, topics)})
    UPDATE sync_states s SET ${RELEASED}, due_at = clock_timestamp() FROM locked l
    WHERE s.credential_id = l.credential_id AND s.topic = l.topic AND ${isHeld('s')}`)
}

/** Whether a feed has no token yet, but is about to get one: it has neither failed nor been paused. */
export const isFeedStarting = async (
  { prisma }: Database,
  { credentialId, topic }: SyncKey,
): Promise<boolean> => {
  const [row] = await prisma.$queryRaw<{ isStarting: boolean }[]>(sql`
    SELECT EXISTS (SELECT FROM sync_states s WHERE s.credential_id = ${credentialId}::uuid
      AND s.topic = ${topic} AND s.token IS NULL AND s.failures = 0 AND s.due_at < ${NEVER}) AS "isStarting"`)
  return row?.isStarting ?? false
}

/** A sync of an app, or a resource. */
interface AppKey {
  readonly app: string
  readonly topic: string
}

const isListed = (keys: readonly AppKey[]): Prisma.Sql => sql`EXISTS (
  SELECT FROM unnest(${keys.map(({ app }) => app)}::text[], ${keys.map(({ topic }) => topic)}::text[])
    AS k(app, topic) WHERE k.app = c.app AND k.topic = s.topic)`

/** Deletes the states of feeds that the connectors of these apps no longer have, and polls resources without a feed. */
export const removeFormerFeeds = async (
  { prisma }: Database,
  apps: readonly string[],
  known: { readonly feeds: readonly AppKey[]; readonly resources: readonly AppKey[] },
): Promise<void> => {
  await prisma.$executeRaw(sql`
    DELETE FROM sync_states s USING credentials c
    WHERE c.id = s.credential_id AND c.app = ANY (${apps}::text[]) AND ${IS_FEED}
      AND NOT ${isListed(known.feeds)}`)
  await prisma.$executeRaw(sql`
    UPDATE sync_states s SET reported_since = NULL,
      due_at = CASE WHEN ${isFree('s')} THEN least(s.due_at, clock_timestamp()) ELSE s.due_at END
    FROM credentials c
    WHERE c.id = s.credential_id AND c.app = ANY (${apps}::text[]) AND s.reported_since IS NOT NULL
      AND s.due_at < 'infinity' AND NOT ${isListed(known.resources)}`)
}
