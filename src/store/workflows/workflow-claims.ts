/**
 * Claims of workflow runs by a process. Runs are selected per workflow, so that a long queue or a slow target of
 * one workflow does not block the others.
 */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { acquired, isFree, isHeld } from '../database/lease-sql.ts'
import { type ClaimedRun, WORKFLOW_RUNS } from './workflow-runs.ts'

const { sql } = Prisma

export interface WorkflowClaim {
  /** Holders of the runs that this process performs. */
  readonly holders: readonly string[]
  readonly leaseMs: number
  /** Action of the workflows. A write uses this process; a post mostly waits for the response. */
  readonly action: 'upsert' | 'post'
  /** Maximum number of runs to claim. */
  readonly limit: number
  /** Maximum number of concurrent runs of one installed workflow in this process. */
  readonly share: number
}

interface ClaimedRow extends Omit<ClaimedRun, 'lease' | 'interruptedSince'> {
  readonly holder: string
  readonly interruptedSince: Date | null
}

// Candidates per run, because other processes may be claiming the first ones at the same time.
const CANDIDATES = 4

/** SQL for the workflows with unfinished runs: a loose index scan, which reads one run per workflow. */
export const busyWorkflows = sql`
  busy AS (
    (SELECT r.installation_id, r.workflow_id FROM workflow_runs r
      WHERE r.status IN ('waiting', 'running') ORDER BY r.installation_id, r.workflow_id LIMIT 1)
    UNION ALL
    SELECT n.* FROM busy b CROSS JOIN LATERAL (
      SELECT r.installation_id, r.workflow_id FROM workflow_runs r
      WHERE r.status IN ('waiting', 'running')
        AND (r.installation_id, r.workflow_id) > (b.installation_id, b.workflow_id)
      ORDER BY r.installation_id, r.workflow_id LIMIT 1) n)`

/**
 * SQL for the number of further runs that each of them may start. A workflow whose target failed is paused. After
 * the pause it may have one run at a time, over all processes, until a run succeeds (`finishRun`).
 */
const openWorkflows = ({ holders, action, share }: WorkflowClaim): Prisma.Sql => sql`
  open AS (
    SELECT b.installation_id, b.workflow_id, h.held,
      CASE WHEN w.paused_until IS NULL THEN ${share} - h.held ELSE 1 - h.anywhere END AS room
    FROM busy b
    LEFT JOIN installed_workflows w USING (installation_id, workflow_id)
    LEFT JOIN workflow_versions v ON v.workflow_id = w.workflow_id AND v.version = w.installed_version
    CROSS JOIN LATERAL (
      SELECT count(*) AS anywhere, count(*) FILTER (WHERE r.holder = ANY(${holders}::uuid[])) AS held
      FROM workflow_runs r
      WHERE r.installation_id = b.installation_id AND r.workflow_id = b.workflow_id
        AND r.status = 'running' AND ${isHeld('r')}) h
    WHERE (w.paused_until IS NULL OR w.paused_until <= now())
      AND coalesce(v.definition -> 'then' ? 'post', false) = ${action === 'post'})`

/**
 * Claims runs that are due or whose lease has expired. Workflows with the fewest runs in this process come first,
 * then the runs that have been due longest. Only the oldest run of a workflow for each record is claimed.
 */
export const claimRuns = async (
  { prisma }: Database,
  claim: WorkflowClaim,
): Promise<ClaimedRun[]> => {
  const { leaseMs, limit } = claim
  const rows = await prisma.$queryRaw<ClaimedRow[]>(sql`
    WITH RECURSIVE ${busyWorkflows}, ${openWorkflows(claim)}, candidates AS (
      SELECT c.id, o.held + row_number() OVER (
          PARTITION BY o.installation_id, o.workflow_id ORDER BY c.due_at, c.number) AS place
      FROM open o CROSS JOIN LATERAL (
        SELECT r.id, r.due_at, r.number FROM workflow_runs r
        WHERE r.installation_id = o.installation_id AND r.workflow_id = o.workflow_id
          AND r.status IN ('waiting', 'running') AND r.due_at <= now() AND r.number = (
            SELECT e.number FROM workflow_runs e
            WHERE e.installation_id = r.installation_id AND e.workflow_id = r.workflow_id
              AND e.record_id = r.record_id AND e.status IN ('waiting', 'running')
            ORDER BY e.number LIMIT 1)
        ORDER BY r.due_at, r.number LIMIT greatest(o.room, 0)) c
      ORDER BY place, c.due_at, c.number LIMIT ${limit * CANDIDATES}
    ), due AS (
      SELECT r.id FROM candidates c JOIN workflow_runs r USING (id)
      WHERE r.status IN ('waiting', 'running') AND r.due_at <= now() AND ${isFree('r')}
      ORDER BY c.place, r.due_at, r.number LIMIT ${limit} FOR UPDATE OF r SKIP LOCKED
    ), taken AS (
      UPDATE workflow_runs r SET status = 'running', attempts = r.attempts + 1,
        ${acquired(WORKFLOW_RUNS, sql`gen_random_uuid()`, leaseMs)},
        is_uncertain = r.is_uncertain OR r.status = 'running', started_at = coalesce(r.started_at, clock_timestamp())
      FROM due WHERE r.id = due.id RETURNING r.*
    )
    SELECT t.id::text AS id, t.holder::text AS holder, t.attempts, t.version, t.topic, t.kind,
      extract(epoch FROM clock_timestamp() - t.started_at)::double precision * 1000 AS "ageMs",
      t.installation_id::text AS "installationId", i.user_id::text AS "userId",
      t.workflow_id::text AS "workflowId", t.credential_id::text AS "credentialId",
      t.record_id::text AS "recordId", t.changed_fields AS "changedFields",
      t.changed_at AS "changedAt", t.record::text AS record, t.traceparent, v.definition,
      g.environment_id::text AS "environmentId", g.id::text AS "integrationId",
      g.sealed_secret AS "sealedSecret",
      CASE WHEN g.old_secret_until > clock_timestamp() THEN g.sealed_old_secret END AS "sealedOldSecret",
      (SELECT c.record_id::text FROM workflow_runs c
        WHERE c.id = t.cause AND c.installation_id = t.installation_id) AS origin,
      CASE WHEN t.is_uncertain THEN t.started_at END AS "interruptedSince",
      i.enabled AND coalesce(w.active, false) AS "isActive"
    FROM taken t JOIN installations i ON i.id = t.installation_id
    JOIN integrations g ON g.id = i.integration_id
    LEFT JOIN installed_workflows w
      ON w.installation_id = t.installation_id AND w.workflow_id = t.workflow_id
    LEFT JOIN workflow_versions v ON v.workflow_id = t.workflow_id AND v.version = t.version
    ORDER BY t.number`)
  return rows.map(({ holder, interruptedSince, ...row }) => ({
    ...row,
    lease: { key: { id: row.id }, holder, durationMs: leaseMs },
    interruptedSince: interruptedSince ?? undefined,
  }))
}
