/**
 * Which runs a process takes next. What one workflow has waiting, however much, and however long its target
 * takes to answer, leaves room for the others: they are looked at workflow by workflow.
 */
import { Prisma } from '@prisma/client'
import type { Database } from './database.ts'
import { inMs } from './time-sql.ts'
import type { ClaimedRun } from './workflow-runs.ts'

const { sql } = Prisma

export interface Claim {
  readonly holder: string
  readonly leaseMs: number
  /** What the workflows do: a write takes work of ours, a post is mostly waited for. */
  readonly action: 'upsert' | 'post'
  /** Runs to take. */
  readonly limit: number
  /** Runs of one installed workflow that the process may hold at once. */
  readonly share: number
}

interface ClaimedRow extends Omit<ClaimedRun, 'brokenOffSince'> {
  readonly brokenOffSince: Date | null
}

// Others may be taking the first of them at the same moment.
const CANDIDATES = 4

/** The workflows with runs that have not ended, found one by one in the index: of their runs no more is read. */
const busyWorkflows = sql`
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
 * How many runs more each of them may have. One whose target failed last has been paused: after the pause
 * it has one run at a time, wherever that is, until one succeeds (`finishRun`).
 */
const openWorkflows = ({ holder, action, share }: Claim): Prisma.Sql => sql`
  open AS (
    SELECT b.installation_id, b.workflow_id, h.held,
      CASE WHEN w.paused_until IS NULL THEN ${share} - h.held ELSE 1 - h.anywhere END AS room
    FROM busy b
    LEFT JOIN installed_workflows w USING (installation_id, workflow_id)
    LEFT JOIN workflow_versions v ON v.workflow_id = w.workflow_id AND v.version = w.installed_version
    CROSS JOIN LATERAL (
      SELECT count(*) AS anywhere, count(*) FILTER (WHERE r.holder = ${holder}::uuid) AS held
      FROM workflow_runs r
      WHERE r.installation_id = b.installation_id AND r.workflow_id = b.workflow_id
        AND r.status = 'running' AND r.due_at > now()) h
    WHERE (w.paused_until IS NULL OR w.paused_until <= now())
      AND coalesce(v.definition -> 'then' ? 'post', false) = ${action === 'post'})`

/**
 * Takes runs that are due, or whose process is gone: first those of workflows of which the process holds the
 * fewest, longest due first; of one workflow's runs for one record the oldest alone.
 */
export const claimRuns = async ({ prisma }: Database, claim: Claim): Promise<ClaimedRun[]> => {
  const { holder, leaseMs, limit } = claim
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
      WHERE r.status IN ('waiting', 'running') AND r.due_at <= now()
      ORDER BY c.place, r.due_at, r.number LIMIT ${limit} FOR UPDATE OF r SKIP LOCKED
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
