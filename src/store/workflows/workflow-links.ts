/** Links from source records to the records that workflows created for them, so that each is created once. */
import type { Database, Transaction } from '../database/database.ts'

export interface WorkflowLink {
  readonly targetCredentialId: string
  readonly targetRecordId: string
  /** SHA-256 of the last written values; undefined if another workflow wrote them. */
  readonly fingerprint: string | undefined
}

export interface LinkKey {
  readonly installationId: string
  readonly workflowId: string
  readonly recordId: string
}

/** Finds the record that a workflow created for a source record. */
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
  /** Source records of this record: workflows of the installation created it from them. Oldest link first. */
  readonly recordIds: readonly string[]
  /** Whether an unfinished run may also have created the record, but has not saved its link yet. */
  readonly mayBeIncomplete: boolean
}

/** A change of a record whose cause is unknown. */
export interface ChangeOfUnknownCause extends LinkKey {
  /** App of the record's credential. */
  readonly app: string
  readonly topic: string
  readonly changedAt: Date
}

/**
 * Finds the source records of a record, so that a workflow in the opposite direction updates them. One statement:
 * a run finishes and saves its link in one transaction, so it is seen either as unfinished or as linked.
 */
export const findSources = async (
  { prisma }: Database,
  { installationId, workflowId, recordId, app, topic, changedAt }: ChangeOfUnknownCause,
): Promise<Sources> => {
  const [sources] = await prisma.$queryRaw<Sources[]>`
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
          AND v.definition #>> '{then,upsert,resource}' = ${topic}) AS "mayBeIncomplete"`
  return sources ?? { recordIds: [], mayBeIncomplete: false }
}

/** Saves the record that a workflow created or updated for a source record. */
export const saveLink = async (
  transaction: Transaction,
  { installationId, workflowId, recordId }: LinkKey,
  {
    targetCredentialId,
    targetRecordId,
    fingerprint,
  }: WorkflowLink & { readonly fingerprint: string },
): Promise<void> => {
  await transaction.prisma.$executeRaw`
    INSERT INTO workflow_links (installation_id, workflow_id, source_record_id,
      target_credential_id, target_record_id, fingerprint)
    VALUES (${installationId}::uuid, ${workflowId}::uuid, ${recordId}::uuid,
      ${targetCredentialId}::uuid, ${targetRecordId}::uuid, ${fingerprint})
    ON CONFLICT (installation_id, workflow_id, source_record_id) DO UPDATE
    SET target_credential_id = excluded.target_credential_id,
      target_record_id = excluded.target_record_id, fingerprint = excluded.fingerprint,
      updated_at = clock_timestamp()`
}
