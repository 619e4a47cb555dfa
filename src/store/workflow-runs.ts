/**
 * Workflow runs on their way: claimed by a process, held by a lease, settled. A process that holds a run
 * no longer writes nothing to it. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { ChangeKind } from './changes.ts'
import type { Database, Transaction } from './database.ts'
import type { SealedSecrets } from './integration-secrets.ts'

const { sql } = Prisma

/** A run in the hands of a process, with what is needed to perform it. */
export interface ClaimedRun extends SealedSecrets {
  readonly id: string
  readonly holder: string
  /** This one counted. */
  readonly attempts: number
  /** Since the first attempt. */
  readonly ageMs: number
  /** When it first began, if an attempt since then may have reached the app without its answer reaching us. */
  readonly brokenOffSince: Date | undefined
  readonly installationId: string
  readonly userId: string
  readonly workflowId: string
  readonly version: number
  readonly credentialId: string
  readonly topic: string
  readonly kind: ChangeKind
  readonly recordId: string
  readonly changedFields: readonly string[]
  readonly changedAt: Date
  /** JSON text. */
  readonly record: string
  /** The record whose change led to this one, by way of another workflow. */
  readonly origin: string | null
  /** Null if the workflow is gone. */
  readonly definition: unknown
  /** Whether installation and workflow are still switched on. */
  readonly isActive: boolean
}

const inMs = (ms: number): Prisma.Sql =>
  sql`clock_timestamp() + ${ms}::double precision * interval '1 millisecond'`

interface ClaimedRow extends Omit<ClaimedRun, 'brokenOffSince'> {
  readonly brokenOffSince: Date | null
}

/**
 * Takes up to `limit` runs that are due, or whose process is gone, longest due first: of one workflow's
 * runs for one record the oldest alone, and none of a workflow that is paused.
 */
export const claimRuns = async (
  { prisma }: Database,
  { holder, limit, leaseMs }: { holder: string; limit: number; leaseMs: number },
): Promise<ClaimedRun[]> => {
  const rows = await prisma.$queryRaw<ClaimedRow[]>(sql`
    WITH due AS (
      SELECT r.id FROM workflow_runs r
      WHERE r.status IN ('waiting', 'running') AND r.due_at <= statement_timestamp()
        -- The time of the statement, for the clock's may change meanwhile, and no index answers that.
        AND (r.installation_id, r.workflow_id) NOT IN (
          SELECT w.installation_id, w.workflow_id FROM installed_workflows w
          WHERE w.paused_until > statement_timestamp())
        AND NOT EXISTS (SELECT FROM workflow_runs e
          WHERE e.installation_id = r.installation_id AND e.workflow_id = r.workflow_id
            AND e.record_id = r.record_id AND e.number < r.number
            AND e.status IN ('waiting', 'running'))
      ORDER BY r.due_at, r.number LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE workflow_runs r SET status = 'running', holder = ${holder}::uuid,
        attempts = r.attempts + 1, is_uncertain = r.is_uncertain OR r.status = 'running', due_at = ${inMs(leaseMs)},
        started_at = coalesce(r.started_at, clock_timestamp())
      FROM due WHERE r.id = due.id RETURNING r.*
    )
    SELECT t.id::text AS id, t.holder::text AS holder, t.attempts, t.version, t.topic, t.kind,
      extract(epoch FROM clock_timestamp() - t.started_at)::double precision * 1000 AS "ageMs",
      t.installation_id::text AS "installationId", i.user_id::text AS "userId",
      t.workflow_id::text AS "workflowId", t.credential_id::text AS "credentialId",
      t.record_id::text AS "recordId", t.changed_fields AS "changedFields",
      t.changed_at AS "changedAt", t.record::text AS record, v.definition,
      g.environment_id::text AS "environmentId", g.id::text AS "integrationId",
      g.sealed_secret AS "sealedSecret",
      CASE WHEN g.old_secret_until > clock_timestamp() THEN g.sealed_old_secret END AS "sealedOldSecret",
      (SELECT c.record_id::text FROM workflow_runs c
        WHERE c.id = t.cause AND c.installation_id = t.installation_id) AS origin,
      CASE WHEN t.is_uncertain THEN t.started_at END AS "brokenOffSince",
      i.enabled AND coalesce(w.active, false) AS "isActive"
    FROM taken t JOIN installations i ON i.id = t.installation_id
    JOIN integrations g ON g.id = i.integration_id
    LEFT JOIN installed_workflows w
      ON w.installation_id = t.installation_id AND w.workflow_id = t.workflow_id
    LEFT JOIN workflow_versions v ON v.workflow_id = t.workflow_id AND v.version = t.version
    ORDER BY t.number`)
  return rows.map((row) => ({ ...row, brokenOffSince: row.brokenOffSince ?? undefined }))
}

type Held = Pick<ClaimedRun, 'id' | 'holder' | 'attempts'>

const isHeld = ({ id, holder, attempts }: Held): Prisma.Sql =>
  sql`id = ${id}::uuid AND status = 'running' AND holder = ${holder}::uuid AND attempts = ${attempts}`

/** Extends the leases of a process's runs. @returns the ids of those that it still holds */
export const renewRunLeases = async (
  { prisma }: Database,
  runs: readonly Held[],
  leaseMs: number,
): Promise<ReadonlySet<string>> => {
  const rows = await prisma.$queryRaw<{ id: string }[]>(sql`
    UPDATE workflow_runs r SET due_at = ${inMs(leaseMs)}
    FROM unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ holder }) => holder)}::uuid[],
      ${runs.map(({ attempts }) => attempts)}::integer[]) AS h(id, holder, attempts)
    WHERE r.id = h.id AND r.status = 'running' AND r.holder = h.holder AND r.attempts = h.attempts
    RETURNING r.id::text AS id`)
  return new Set(rows.map(({ id }) => id))
}

export type RunOutcome =
  | { readonly status: 'succeeded'; readonly targetRecordId: string | undefined }
  | { readonly status: 'failed'; readonly failure: string }

/** Ends a run. @returns false if another holds it by now: nothing was written */
export const finishRun = async (
  transaction: Transaction,
  run: Held,
  outcome: RunOutcome,
): Promise<boolean> => {
  const isDone = outcome.status === 'succeeded'
  const written = await transaction.$executeRaw(sql`
    UPDATE workflow_runs SET status = ${outcome.status}, holder = NULL,
      failure = ${isDone ? null : outcome.failure},
      target_record_id = ${isDone ? (outcome.targetRecordId ?? null) : null}::uuid,
      finished_at = clock_timestamp()
    WHERE ${isHeld(run)}`)
  return written > 0
}

export interface Retry {
  readonly failure: string
  readonly retryInMs: number
  /** `target`: the workflow is paused in this installation; `record`: what follows on the record waits so long. */
  readonly concerns: 'target' | 'record'
  /** Whether the attempt may have reached the app. */
  readonly isUncertain: boolean
}

/** Gives a run back to be tried again, and lets what would fail alike, or has to come after it, wait too. */
export const retryRun = async (
  transaction: Transaction,
  run: Held & Pick<ClaimedRun, 'installationId' | 'workflowId' | 'recordId'>,
  { failure, retryInMs, concerns, isUncertain }: Retry,
): Promise<void> => {
  const written = await transaction.$executeRaw(sql`
    UPDATE workflow_runs SET status = 'waiting', holder = NULL, failure = ${failure},
      is_uncertain = is_uncertain OR ${isUncertain}, due_at = ${inMs(retryInMs)} WHERE ${isHeld(run)}`)
  if (written === 0) return
  const ofWorkflow = sql`installation_id = ${run.installationId}::uuid AND workflow_id = ${run.workflowId}::uuid`
  await transaction.$executeRaw(
    concerns === 'target'
      ? sql`UPDATE installed_workflows SET paused_until = greatest(paused_until, ${inMs(retryInMs)})
          WHERE ${ofWorkflow}`
      : sql`UPDATE workflow_runs SET due_at = ${inMs(retryInMs)}
          WHERE ${ofWorkflow} AND record_id = ${run.recordId}::uuid AND status = 'waiting'
            AND due_at < ${inMs(retryInMs)}`,
  )
}

/** Gives a run back in the middle of an attempt that does not count: the process stops. */
export const releaseRun = async ({ prisma }: Database, run: Held): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE workflow_runs SET status = 'waiting', holder = NULL, attempts = attempts - 1,
      is_uncertain = true, due_at = clock_timestamp() WHERE ${isHeld(run)}`)
}

/** The credential of an app that an installation writes to: one that it names, or else its user's oldest. */
export const findTargetCredential = async (
  { prisma }: Database,
  installationId: string,
  app: string,
): Promise<string | undefined> => {
  const [row] = await prisma.$queryRaw<{ id: string }[]>`
    SELECT c.id::text AS id FROM installations i JOIN credentials c ON c.user_id = i.user_id
    WHERE i.id = ${installationId}::uuid AND c.app = ${app}
    ORDER BY coalesce(c.id = ANY(i.credential_ids), false) DESC, c.created_at, c.id LIMIT 1`
  return row?.id
}

/** Deletes up to `limit` runs that ended so many days ago. @returns how many; call again until it is 0 */
export const pruneRuns = ({ prisma }: Database, days: number, limit = 1000): Promise<number> =>
  prisma.$executeRaw`
    DELETE FROM workflow_runs WHERE id IN (
      SELECT id FROM workflow_runs
      WHERE finished_at < now() - ${days}::double precision * interval '1 day'
      ORDER BY finished_at LIMIT ${limit})`
