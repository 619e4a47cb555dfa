/**
 * Workflow runs that a process holds the leases of: finish, retry and release. A process whose lease was taken
 * over writes nothing to the run. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { ChangeKind } from '../changes/changes.ts'
import type { Database, Transaction } from '../database/database.ts'
import { isHeldBy, type Lease, type LeaseTable, RELEASED } from '../database/lease-sql.ts'
import { msFromNow } from '../database/time-sql.ts'
import type { SealedSecrets } from '../secrets/integration-secrets.ts'

const { sql } = Prisma

/** The key of a run. */
export interface RunKey {
  readonly id: string
}

/** The runs as leased rows. */
export const WORKFLOW_RUNS: LeaseTable<RunKey> = {
  name: 'workflow_runs',
  key: { id: ['id', 'uuid'] },
  isScheduled: true,
}

/** The right to perform a run. */
export type RunLease = Lease<RunKey>

/** A run that a process has claimed, with everything needed to perform it. */
export interface ClaimedRun extends SealedSecrets {
  readonly lease: RunLease
  readonly id: string
  /** Number of attempts, including the current one. */
  readonly attempts: number
  /** Time since the first attempt. */
  readonly ageMs: number
  /** Start of the first attempt, if an earlier attempt may have reached the app; otherwise undefined. */
  readonly interruptedSince: Date | undefined
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
  /** The source record, if another workflow's run caused the change; otherwise null. */
  readonly origin: string | null
  /** The trace of the change; null: none. */
  readonly traceparent: string | null
  /** Null if the workflow was deleted. */
  readonly definition: unknown
  /** Whether the installation is enabled and the workflow is active. */
  readonly isActive: boolean
}

type Held = Pick<ClaimedRun, 'lease'>

const isHeld = ({ lease }: Held): Prisma.Sql => isHeldBy(WORKFLOW_RUNS, lease)

export type RunOutcome =
  | { readonly status: 'succeeded'; readonly targetRecordId: string | undefined }
  | { readonly status: 'failed'; readonly failure: string }

/**
 * Finishes a run. A success ends the pause that follows a failure of the target, unless a newer pause is active.
 * @returns false if another process has taken over the run; nothing was written then
 */
export const finishRun = async (
  transaction: Transaction,
  run: Held,
  outcome: RunOutcome,
): Promise<boolean> => {
  const isDone = outcome.status === 'succeeded'
  const ended = await transaction.prisma.$queryRaw<unknown[]>(sql`
    WITH ended AS (
      UPDATE workflow_runs SET status = ${outcome.status}, ${RELEASED},
        failure = ${isDone ? null : outcome.failure},
        target_record_id = ${isDone ? (outcome.targetRecordId ?? null) : null}::uuid,
        finished_at = clock_timestamp()
      WHERE ${isHeld(run)} RETURNING installation_id, workflow_id
    ), resumed AS (
      UPDATE installed_workflows w SET paused_until = NULL FROM ended e
      WHERE w.installation_id = e.installation_id AND w.workflow_id = e.workflow_id
        AND ${isDone} AND w.paused_until <= clock_timestamp()
    ) SELECT FROM ended`)
  return ended.length > 0
}

export interface RunRetry {
  readonly failure: string
  readonly retryInMs: number
  /** `target`: pauses the workflow in this installation; `record`: delays the later runs of the record. */
  readonly concerns: 'target' | 'record'
  /** Whether the attempt may have reached the app. */
  readonly isUncertain: boolean
}

/** Releases a run for a retry, and delays runs that would also fail or that must follow it. */
export const retryRun = async (
  transaction: Transaction,
  run: Held & Pick<ClaimedRun, 'installationId' | 'workflowId' | 'recordId'>,
  { failure, retryInMs, concerns, isUncertain }: RunRetry,
): Promise<void> => {
  const written = await transaction.prisma.$executeRaw(sql`
    UPDATE workflow_runs SET status = 'waiting', ${RELEASED}, failure = ${failure},
      is_uncertain = is_uncertain OR ${isUncertain}, due_at = ${msFromNow(retryInMs)} WHERE ${isHeld(run)}`)
  if (written === 0) return
  const ofWorkflow = sql`installation_id = ${run.installationId}::uuid AND workflow_id = ${run.workflowId}::uuid`
  await transaction.prisma.$executeRaw(
    concerns === 'target'
      ? sql`UPDATE installed_workflows SET paused_until = greatest(paused_until, ${msFromNow(retryInMs)})
          WHERE ${ofWorkflow}`
      : sql`UPDATE workflow_runs SET due_at = ${msFromNow(retryInMs)}
          WHERE ${ofWorkflow} AND record_id = ${run.recordId}::uuid AND status = 'waiting'
            AND due_at < ${msFromNow(retryInMs)}`,
  )
}

/** Releases a run during an attempt because the process stops. The attempt does not count. */
export const releaseWorkflowRun = async ({ prisma }: Database, run: Held): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE workflow_runs SET status = 'waiting', ${RELEASED}, attempts = attempts - 1,
      is_uncertain = true, due_at = clock_timestamp() WHERE ${isHeld(run)}`)
}

/** Releases a run that could not start yet. The attempt does not count. */
export const postponeRun = async (
  { prisma }: Database,
  run: Held,
  { failure, retryInMs }: Pick<RunRetry, 'failure' | 'retryInMs'>,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE workflow_runs SET status = 'waiting', ${RELEASED}, attempts = attempts - 1,
      failure = ${failure}, due_at = ${msFromNow(retryInMs)} WHERE ${isHeld(run)}`)
}

/**
 * Finds the credential of an app that an installation writes to: the oldest chosen one or, if none was ever chosen
 * for the app, the oldest of the user.
 */
export const findTargetCredential = async (
  { prisma }: Database,
  installationId: string,
  app: string,
): Promise<string | undefined> => {
  const [row] = await prisma.$queryRaw<{ id: string }[]>`
    SELECT c.id::text AS id FROM installations i JOIN credentials c ON c.user_id = i.user_id
    WHERE i.id = ${installationId}::uuid AND c.app = ${app}
      AND (c.id = ANY(i.credential_ids) OR c.app <> ALL(i.chosen_apps))
    ORDER BY c.created_at, c.id LIMIT 1`
  return row?.id
}

/** Deletes up to `limit` runs that ended more than `days` ago. @returns how many; call again until it is 0 */
export const pruneRuns = ({ prisma }: Database, days: number, limit = 1000): Promise<number> =>
  prisma.$executeRaw`
    DELETE FROM workflow_runs WHERE id IN (
      SELECT id FROM workflow_runs
      WHERE finished_at < now() - ${days}::double precision * interval '1 day'
      ORDER BY finished_at LIMIT ${limit})`
