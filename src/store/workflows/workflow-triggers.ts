/** Finds the installed workflows that a change triggers, and inserts their runs. */
import { Prisma } from '@prisma/client'
import type { ChangeKind } from '../changes/changes.ts'
import type { Transaction } from '../database/database.ts'

const { sql } = Prisma

/** An installed workflow, with a credential whose changes trigger it. */
export interface InstalledTrigger {
  readonly credentialId: string
  readonly topic: string
  readonly installationId: string
  /** When the workflow was activated or the credential connected, whichever is later. */
  readonly since: Date
  readonly workflowId: string
  readonly version: number
  readonly definition: unknown
}

const active = sql`
  installations i
  JOIN installed_workflows w ON w.installation_id = i.id AND w.active
  JOIN workflow_versions v ON v.workflow_id = w.workflow_id AND v.version = w.installed_version`

const isInUse = sql`i.enabled AND i.installed_at IS NOT NULL`

/**
 * Lists the topics of all active workflows. It looks up one installation per version, because it runs for every
 * page of the log, and installations may be many while versions are few.
 */
export const listFollowedTopics = async (transaction: Transaction): Promise<string[]> => {
  const rows = await transaction.prisma.$queryRaw<{ topic: string }[]>(sql`
    SELECT DISTINCT v.definition #>> '{when,topic}' AS topic FROM workflow_versions v
    CROSS JOIN LATERAL (
      SELECT FROM installed_workflows w JOIN installations i ON i.id = w.installation_id
      WHERE w.workflow_id = v.workflow_id AND w.installed_version = v.version AND w.active
        AND ${isInUse} LIMIT 1) AS used
    WHERE v.definition #>> '{when,topic}' IS NOT NULL ORDER BY 1`)
  return rows.map(({ topic }) => topic)
}

/**
 * Finds the active workflows that changes of these credentials trigger. One statement for any number of changes.
 * An installation follows its chosen credentials; for an app without a choice, all credentials of its user.
 */
export const findTriggers = (
  transaction: Transaction,
  credentialIds: readonly string[],
): Promise<InstalledTrigger[]> =>
  transaction.prisma.$queryRaw<InstalledTrigger[]>(sql`
    SELECT c.id::text AS "credentialId", v.definition #>> '{when,topic}' AS topic,
      i.id::text AS "installationId", greatest(w.active_since, c.created_at) AS since,
      w.workflow_id::text AS "workflowId", v.version, v.definition
    FROM credentials c JOIN (${active}) ON i.user_id = c.user_id
    WHERE c.id = ANY(${[...credentialIds]}::uuid[]) AND ${isInUse}
      AND v.definition #>> '{when,app}' = c.app
      AND (c.id = ANY(i.credential_ids) OR c.app <> ALL(i.chosen_apps))
    ORDER BY w.workflow_id, i.id`)

/** Finds, by run, the workflows that led to the run's writes, ending with its own. */
export const findChains = async (
  transaction: Transaction,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (runIds.length === 0) return new Map()
  const rows = await transaction.prisma.workflowRun.findMany({
    where: { id: { in: [...runIds] } },
    select: { id: true, chain: true, workflowId: true },
  })
  return new Map(rows.map(({ id, chain, workflowId }) => [id, [...chain, workflowId]]))
}

export interface NewRun {
  readonly installationId: string
  readonly workflowId: string
  readonly version: number
  /** Cursor of the change. */
  readonly change: string
  readonly changedAt: Date
  readonly credentialId: string
  readonly topic: string
  readonly kind: ChangeKind
  readonly recordId: string
  readonly changedFields: readonly string[]
  /** JSON text. */
  readonly record: string
  /** The run whose write caused the change; null: none. */
  readonly cause: string | null
  /** The trace of the change; null: none. */
  readonly traceparent: string | null
  readonly chain: readonly string[]
}

/** Inserts runs in the order of the list. Existing runs are not changed. @returns how many are new */
export const insertRuns = async (
  transaction: Transaction,
  runs: readonly NewRun[],
): Promise<number> => {
  if (runs.length === 0) return 0
  return transaction.prisma.$executeRaw(sql`
    INSERT INTO workflow_runs (id, installation_id, workflow_id, version, change, changed_at,
      credential_id, topic, kind, record_id, changed_fields, record, cause, traceparent, chain)
    SELECT gen_random_uuid(), r."installationId", r."workflowId", r.version, r.change, r."changedAt",
      r."credentialId", r.topic, r.kind, r."recordId", r."changedFields", r.record::json, r.cause,
      r.traceparent, r.chain
    FROM ROWS FROM (json_to_recordset(${JSON.stringify(runs)}::json) AS ("installationId" uuid,
      "workflowId" uuid, version integer, change text, "changedAt" timestamptz, "credentialId" uuid,
      topic text, kind text, "recordId" uuid, "changedFields" text[], record text, cause uuid,
      traceparent text, chain uuid[]))
      WITH ORDINALITY AS r
    ORDER BY r.ordinality
    ON CONFLICT (installation_id, workflow_id, change) DO NOTHING`)
}
