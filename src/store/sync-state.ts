/**
 * Where each synchronisation stands: when it is due, who runs it, how far the run came. A run holds its
 * row by a lease; every write of a run names the holder and finds no row once another has taken over.
 * All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { Database, Transaction } from './database.ts'
import { clearSightings } from './sightings.ts'
import type { SyncKey } from './sync-key.ts'
import { inMs } from './time-sql.ts'

const { sql } = Prisma

export interface SyncCounts {
  readonly pages: number
  readonly listed: number
  /** Records without a remote id: they have no identity to be stored under. */
  readonly skipped: number
  /** Values that did not fit their field. */
  readonly problems: number
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

/** A run that has begun and not ended: what another process needs to carry on. */
export interface RunProgress {
  readonly listing: 'everything' | 'changes'
  /** Nothing was ever listed to its end before. */
  readonly first: boolean
  readonly startedAt: string
  /** `settling`: every page is stored. */
  readonly stage: 'listing' | 'settling'
  /** A second listing confirms what the first did not show. */
  readonly pass: 1 | 2
  readonly since: string | null
  /** The mark of the next page, as JSON text: it may hold what jsonb does not take. */
  readonly cursor: string | null
  /** When the run began by the app's own clock. */
  readonly appTime: string | null
  /** The newest change that was listed, by the app's own clock. */
  readonly newest: string | null
  /** Whether the change log says that the run has begun. */
  readonly announced: boolean
  readonly counts: SyncCounts
}

/** Why a run failed, as the state keeps it. */
export interface KeptFailure {
  readonly code: string
  readonly reason: string
}

export interface SyncState {
  readonly since: string | null
  readonly progress: RunProgress | null
  /** Since the end of the last listing of everything; null: never. */
  readonly fullListingAgeMs: number | null
  /** How many more records the app had then than were held here; null: not known. */
  readonly surplus: number | null
  readonly failures: number
  /** What was told of, or else the last one; null: the last run ended well. */
  readonly failure: KeptFailure | null
  /** The database's time. */
  readonly now: string
}

/** The right to run: whoever holds the row under another name has taken it over. */
export interface Lease {
  readonly key: SyncKey
  /** Drawn for each run. */
  readonly holder: string
  readonly durationMs: number
}

/** The lease is another's by now; what the run has not committed is void. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'LEASE_LOST'
}

const isRow = ({ credentialId, topic }: SyncKey): Prisma.Sql =>
  sql`credential_id = ${credentialId}::uuid AND topic = ${topic}`

const runJson = (holder: string | null, durationMs: number, progress: Prisma.Sql): Prisma.Sql =>
  sql`jsonb_build_object('holder', ${holder}::text, 'heldUntil', ${inMs(durationMs)}, 'progress', ${progress})`

const progressJson = (progress: RunProgress | null): Prisma.Sql =>
  sql`${JSON.stringify(progress)}::jsonb`

/**
 * Takes up to `limit` states that are due, longest due first, and moves each to `againInMs`: if the job
 * made of it is lost, it is due again then.
 */
export const claimDueStates = (
  transaction: Transaction,
  limit: number,
  againInMs: number,
): Promise<SyncKey[]> =>
  transaction.$queryRaw<SyncKey[]>(sql`
    UPDATE sync_states s SET due_at = ${inMs(againInMs)}
    FROM (SELECT credential_id, topic FROM sync_states WHERE due_at <= clock_timestamp()
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) due
    WHERE s.credential_id = due.credential_id AND s.topic = due.topic
    RETURNING s.credential_id::text AS "credentialId", s.topic`)

/** States of resources that an app's connector gained after the credential was made. */
export const addMissingStates = async (
  { prisma }: Database,
  resources: readonly { readonly app: string; readonly topic: string }[],
): Promise<number> =>
  prisma.$executeRaw(sql`
    INSERT INTO sync_states (credential_id, topic)
    SELECT c.id, r.topic FROM credentials c
    JOIN unnest(${resources.map(({ app }) => app)}::text[], ${resources.map(({ topic }) => topic)}::text[])
      AS r(app, topic) ON r.app = c.app
    ON CONFLICT DO NOTHING`)

/** The topics of a credential, each with the end of its last run. */
export const listStates = (
  { prisma }: Database,
  credentialId: string,
): Promise<{ topic: string; completedAt: Date | null }[]> =>
  prisma.syncState.findMany({
    where: { credentialId },
    select: { topic: true, completedAt: true },
    orderBy: { topic: 'asc' },
  })

interface StateRow extends Omit<SyncState, 'since' | 'now'> {
  readonly since: Date | null
  readonly now: Date
}

/** Takes the lease. @returns where the synchronisation stands; undefined while another holds it, or if there is none */
export const acquireRun = async (
  { prisma }: Database,
  { key, holder, durationMs }: Lease,
): Promise<SyncState | undefined> => {
  const [row] = await prisma.$queryRaw<StateRow[]>(sql`
    UPDATE sync_states SET run = ${runJson(holder, durationMs, sql`run->'progress'`)},
      due_at = ${inMs(durationMs)}
    WHERE ${isRow(key)}
      AND (run->>'holder' IS NULL OR (run->>'heldUntil')::timestamptz <= clock_timestamp())
    RETURNING since, NULLIF(run->'progress', 'null') AS progress, surplus, failures,
      CASE WHEN failure_code IS NOT NULL
        THEN jsonb_build_object('code', failure_code, 'reason', failure) END AS failure,
      extract(epoch FROM clock_timestamp() - full_listing_at)::double precision * 1000
        AS "fullListingAgeMs", clock_timestamp() AS now`)
  return row && { ...row, since: row.since?.toISOString() ?? null, now: row.now.toISOString() }
}

// Whoever takes the rows of several synchronisations takes them in this order, and so none in a circle.
const IN_ORDER = sql`ORDER BY s.credential_id, s.topic FOR UPDATE OF s`

/** Extends leases. @returns the holders that still hold */
export const renewRuns = async (
  { prisma }: Database,
  leases: readonly Lease[],
): Promise<ReadonlySet<string>> => {
  const durationMs = Math.max(...leases.map((lease) => lease.durationMs))
  const rows = await prisma.$queryRaw<{ holder: string }[]>(sql`
    WITH held AS MATERIALIZED (
      SELECT s.credential_id, s.topic, l.holder FROM sync_states s
      JOIN unnest(${leases.map(({ key }) => key.credentialId)}::uuid[],
        ${leases.map(({ key }) => key.topic)}::text[], ${leases.map(({ holder }) => holder)}::text[])
        AS l(credential_id, topic, holder)
        ON s.credential_id = l.credential_id AND s.topic = l.topic AND s.run->>'holder' = l.holder
      ${IN_ORDER}
    )
    UPDATE sync_states s SET due_at = ${inMs(durationMs)},
      run = jsonb_set(s.run, '{heldUntil}', to_jsonb(${inMs(durationMs)}))
    FROM held h WHERE s.credential_id = h.credential_id AND s.topic = h.topic
    RETURNING h.holder`)
  return new Set(rows.map(({ holder }) => holder))
}

/** Deletes the states of credentials that are about to be deleted. */
export const deleteStates = async (
  transaction: Transaction,
  credentialIds: readonly string[],
): Promise<void> => {
  await transaction.$executeRaw(sql`
    WITH held AS MATERIALIZED (
      SELECT s.credential_id, s.topic FROM sync_states s
      WHERE s.credential_id = ANY (${credentialIds}::uuid[]) ${IN_ORDER}
    )
    DELETE FROM sync_states s USING held h
    WHERE s.credential_id = h.credential_id AND s.topic = h.topic`)
}

const writeHeld = async (
  transaction: Transaction,
  lease: Lease,
  assignments: Prisma.Sql,
): Promise<void> => {
  const written = await transaction.$executeRaw(
    sql`UPDATE sync_states SET ${assignments}
      WHERE ${isRow(lease.key)} AND run->>'holder' = ${lease.holder}`,
  )
  if (written === 0) throw new LeaseLostError('Another process has taken the run over.')
}

/** Notes how far the run came: it has made progress, so earlier failures count no more. @throws LeaseLostError */
export const saveProgress = (
  transaction: Transaction,
  lease: Lease,
  progress: RunProgress,
): Promise<void> =>
  writeHeld(
    transaction,
    lease,
    sql`failures = 0, due_at = ${inMs(lease.durationMs)},
      run = ${runJson(lease.holder, lease.durationMs, progressJson(progress))}`,
  )

export interface Release {
  /** Null: the next run begins anew. */
  readonly progress: RunProgress | null
  readonly dueInMs: number
  /** Undefined: no failure, only a pause, which leaves the earlier ones as they are. */
  readonly failure?: KeptFailure & { readonly count: number }
  /** What the listing lacked, if another is to confirm it. */
  readonly absence?: string | undefined
}

/** Gives the lease back before the run has ended. @throws LeaseLostError */
export const releaseRun = (
  transaction: Transaction,
  lease: Lease,
  { progress, dueInMs, failure, absence }: Release,
): Promise<void> =>
  writeHeld(
    transaction,
    lease,
    sql`due_at = ${inMs(dueInMs)}, run = ${progress ? runJson(null, 0, progressJson(progress)) : Prisma.sql`NULL`}
      ${failure ? sql`, failures = ${failure.count}, failure_code = ${failure.code}, failure = ${failure.reason}` : Prisma.empty}
      ${absence === undefined ? Prisma.empty : sql`, absence = ${absence}`}`,
  )

export interface Completion {
  readonly since: string | null
  readonly listing: RunProgress['listing']
  /** Of a listing of everything. */
  readonly surplus: number | null
  /** Whether the next listing is to be one of everything. */
  readonly isFullListingDue: boolean
  readonly dueInMs: number
}

/** Ends the run. @throws LeaseLostError */
export const completeRun = async (
  transaction: Transaction,
  lease: Lease,
  { since, listing, surplus, isFullListingDue, dueInMs }: Completion,
): Promise<void> => {
  const everything = listing === 'everything'
  const fullListingAt = everything
    ? sql`clock_timestamp()`
    : isFullListingDue
      ? sql`'epoch'`
      : sql`full_listing_at`
  await writeHeld(
    transaction,
    lease,
    sql`run = NULL, since = ${since}::timestamptz, due_at = ${inMs(dueInMs)}, failures = 0,
      failure_code = NULL, failure = NULL, absence = NULL, completed_at = clock_timestamp(),
      full_listing_at = ${fullListingAt},
      surplus = ${everything ? sql`${surplus}::integer` : sql`surplus`}`,
  )
  if (everything) await clearSightings(transaction, lease.key)
}
