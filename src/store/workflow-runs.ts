/**
 * Workflow runs in the hands of a process: held by a lease, settled. A process that no longer holds a run
 * writes nothing to it. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { ChangeKind } from './changes.ts'
import type { Database, Transaction } from './database.ts'
import type { SealedSecrets } from './integration-secrets.ts'
import { inMs } from './time-sql.ts'

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

/**
 * Ends a run. A success ends what the last failure of the target has led to, unless that came meanwhile.
 * @returns false if another holds it by now: nothing was written
 */
export const finishRun = async (
  transaction: Transaction,
  run: Held,
  outcome: RunOutcome,
): Promise<boolean> => {
  const isDone = outcome.status === 'succeeded'
  const ended = await transaction.$queryRaw<unknown[]>(sql`
    WITH ended AS (
      UPDATE workflow_runs SET status = ${outcome.status}, holder = NULL,
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

/** Gives back a run that could not begin yet: it has done nothing, and the attempt does not count. */
export const postponeRun = async (
  { prisma }: Database,
  run: Held,
  { failure, retryInMs }: Pick<Retry, 'failure' | 'retryInMs'>,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE workflow_runs SET status = 'waiting', holder = NULL, attempts = attempts - 1,
      failure = ${failure}, due_at = ${inMs(retryInMs)} WHERE ${isHeld(run)}`)
}

/** The credential of an app that an installation writes to: the oldest chosen, or if none ever was, its user's oldest. */
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

/** Deletes up to `limit` runs that ended so many days ago. @returns how many; call again until it is 0 */
export const pruneRuns = ({ prisma }: Database, days: number, limit = 1000): Promise<number> =>
  prisma.$executeRaw`
    DELETE FROM workflow_runs WHERE id IN (
      SELECT id FROM workflow_runs
      WHERE finished_at < now() - ${days}::double precision * interval '1 day'
      ORDER BY finished_at LIMIT ${limit})`
