/** The workflow runs that wait for a process. */
import { Prisma } from '@prisma/client'
import type { Queryable } from '../database/database.ts'
import { busyWorkflows } from './workflow-claims.ts'

const { sql } = Prisma

export interface WorkflowBacklog {
  /** Unfinished runs that are due, at most 10,000. */
  readonly due: number
  /** How long the first of them has been due, without those of paused workflows. */
  readonly lagMs: number
}

const MAX_COUNTED = 10_000

/** Reads the backlog of all processes. One statement, which reads one run per workflow and counts the due ones. */
export const readWorkflowBacklog = async ({ prisma }: Queryable): Promise<WorkflowBacklog> => {
  const [row] = await prisma.$queryRaw<WorkflowBacklog[]>(sql`
    WITH RECURSIVE ${busyWorkflows}
    SELECT (SELECT count(*)::integer FROM (SELECT FROM workflow_runs
        WHERE status IN ('waiting', 'running') AND due_at <= statement_timestamp()
        LIMIT ${MAX_COUNTED}) r) AS due,
      coalesce(extract(epoch FROM statement_timestamp() - min(f.due_at)) * 1000, 0)
        ::double precision AS "lagMs"
    FROM busy b LEFT JOIN installed_workflows w USING (installation_id, workflow_id)
    CROSS JOIN LATERAL (
      SELECT r.due_at FROM workflow_runs r
      WHERE r.installation_id = b.installation_id AND r.workflow_id = b.workflow_id
        AND r.status IN ('waiting', 'running') AND r.due_at <= statement_timestamp()
      ORDER BY r.due_at LIMIT 1) f
    WHERE w.paused_until IS NULL OR w.paused_until <= statement_timestamp()`)
  if (!row) throw new Error('The query for the backlog of workflows returned no row.')
  return row
}
