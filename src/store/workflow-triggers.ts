/** Which installed workflows a change concerns, and the runs that follow from it. */
import { Prisma } from '@prisma/client'
import type { ChangeKind } from './changes.ts'
import type { Transaction } from './database.ts'

const { sql } = Prisma

/** An installed workflow, seen from a credential whose changes it follows. */
export interface InstalledTrigger {
  readonly credentialId: string
  readonly topic: string
  readonly installationId: string
  /** When the workflow was switched on or the credential connected, whichever came last. */
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
 * The topics that any active workflow follows. Of each version one installation is looked up that uses it:
 * versions are few, installations may be many, and this is asked with every page of the log.
 */
export const listFollowedTopics = async (transaction: Transaction): Promise<string[]> => {
  const rows = await transaction.$queryRaw<{ topic: string }[]>(sql`
    SELECT DISTINCT v.definition #>> '{when,topic}' AS topic FROM workflow_versions v
    CROSS JOIN LATERAL (
      SELECT FROM installed_workflows w JOIN installations i ON i.id = w.installation_id
      WHERE w.workflow_id = v.workflow_id AND w.installed_version = v.version AND w.active
        AND ${isInUse} LIMIT 1) AS used
    WHERE v.definition #>> '{when,topic}' IS NOT NULL ORDER BY 1`)
  return rows.map(({ topic }) => topic)
}

/**
 * The active workflows that follow these credentials: one statement, however many changes there are. An
 * installation follows the credentials that were chosen; of an app of which none was, all of its user's.
 */
export const findTriggers = (
  transaction: Transaction,
  credentialIds: readonly string[],
): Promise<InstalledTrigger[]> =>
  transaction.$queryRaw<InstalledTrigger[]>(sql`
    SELECT c.id::text AS "credentialId", v.definition #>> '{when,topic}' AS topic,
      i.id::text AS "installationId", greatest(w.active_since, c.created_at) AS since,
      w.workflow_id::text AS "workflowId", v.version, v.definition
    FROM credentials c JOIN (${active}) ON i.user_id = c.user_id
    WHERE c.id = ANY(${[...credentialIds]}::uuid[]) AND ${isInUse}
      AND v.definition #>> '{when,app}' = c.app
      AND (c.id = ANY(i.credential_ids) OR c.app <> ALL(i.chosen_apps))
    ORDER BY w.workflow_id, i.id`)

/** The workflows that led to what these runs wrote, their own last, by run. */
export const findChains = async (
  transaction: Transaction,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> => {
  if (runIds.length === 0) return new Map()
  const rows = await transaction.workflowRun.findMany({
    where: { id: { in: [...runIds] } },
    select: { id: true, chain: true, workflowId: true },
  })
  return new Map(rows.map(({ id, chain, workflowId }) => [id, [...chain, workflowId]]))
}

export interface NewRun {
  readonly installationId: string
  readonly workflowId: string
  readonly version: number
  /** The change's cursor. */
  readonly change: string
  readonly changedAt: Date
  readonly credentialId: string
  readonly topic: string
  readonly kind: ChangeKind
  readonly recordId: string
  readonly changedFields: readonly string[]
  /** JSON text. */
  readonly record: string
  /** The run whose write made the change. */
  readonly cause: string | null
  readonly chain: readonly string[]
}

/** Inserts runs in the order given; one that is there already is left as it is. @returns how many are new */
export const insertRuns = async (
  transaction: Transaction,
  runs: readonly NewRun[],
): Promise<number> => {
  if (runs.length === 0) return 0
  return transaction.$executeRaw(sql`
    INSERT INTO workflow_runs (id, installation_id, workflow_id, version, change, changed_at,
      credential_id, topic, kind, record_id, changed_fields, record, cause, chain)
    SELECT gen_random_uuid(), r."installationId", r."workflowId", r.version, r.change, r."changedAt",
      r."credentialId", r.topic, r.kind, r."recordId", r."changedFields", r.record::json, r.cause, r.chain
    FROM ROWS FROM (json_to_recordset(${JSON.stringify(runs)}::json) AS ("installationId" uuid,
      "workflowId" uuid, version integer, change text, "changedAt" timestamptz, "credentialId" uuid,
      topic text, kind text, "recordId" uuid, "changedFields" text[], record text, cause uuid, chain uuid[]))
      WITH ORDINALITY AS r
    ORDER BY r.ordinality
    ON CONFLICT (installation_id, workflow_id, change) DO NOTHING`)
}
