/** What workflows have made of records, so that it is made once and found again. */
import type { Database, Transaction } from './database.ts'

export interface WorkflowLink {
  readonly targetCredentialId: string
  readonly targetRecordId: string
  /** Of what was written last; undefined if another workflow wrote it. */
  readonly fingerprint: string | undefined
}

export interface LinkKey {
  readonly installationId: string
  readonly workflowId: string
  readonly recordId: string
}

/** What the workflow made of a record. */
export const findLink = async (
  { prisma }: Database,
  { installationId, workflowId, recordId }: LinkKey,
): Promise<WorkflowLink | undefined> => {
  const key = { installationId, workflowId, sourceRecordId: recordId }
  const link = await prisma.workflowLink.findUnique({
    where: { installationId_workflowId_sourceRecordId: key },
  })
  return link ?? undefined
}

export interface Sources {
  /** The records that workflows of the installation have made this one of, oldest link first. */
  readonly recordIds: readonly string[]
  /** Whether a run under way may have made it too, and not said so yet. */
  readonly mayGrow: boolean
}

/** A change of a record, without the run that made it. */
export interface LoneChange extends LinkKey {
  /** Of the record's credential. */
  readonly app: string
  readonly topic: string
  readonly changedAt: Date
}

/**
 * What a record was made of: what goes back, goes back to it. One statement: a run ends together with its
 * link, so that it is seen either under way or linked.
 */
export const findSources = async (
  { prisma }: Database,
  { installationId, workflowId, recordId, app, topic, changedAt }: LoneChange,
): Promise<Sources> => {
  const [found] = await prisma.$queryRaw<Sources[]>`
    SELECT ARRAY(
        SELECT l.source_record_id::text FROM workflow_links l
        WHERE l.installation_id = ${installationId}::uuid AND l.target_record_id = ${recordId}::uuid
        ORDER BY l.updated_at, l.source_record_id) AS "recordIds",
      EXISTS (
        SELECT FROM workflow_runs r
        JOIN workflow_versions v ON v.workflow_id = r.workflow_id AND v.version = r.version
        WHERE r.installation_id = ${installationId}::uuid AND r.workflow_id <> ${workflowId}::uuid
          AND (r.status = 'running' OR (r.status = 'waiting' AND r.is_uncertain))
          AND r.started_at <= ${changedAt}
          AND v.definition #>> '{then,upsert,app}' = ${app}
          AND v.definition #>> '{then,upsert,resource}' = ${topic}) AS "mayGrow"`
  return found ?? { recordIds: [], mayGrow: false }
}

export const saveLink = async (
  transaction: Transaction,
  { installationId, workflowId, recordId: sourceRecordId }: LinkKey,
  link: WorkflowLink & { readonly fingerprint: string },
): Promise<void> => {
  const key = { installationId, workflowId, sourceRecordId }
  await transaction.workflowLink.upsert({
    where: { installationId_workflowId_sourceRecordId: key },
    create: { ...key, ...link },
    update: link,
  })
}
