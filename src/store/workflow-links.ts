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

/**
 * The records that workflows of the installation have made this one of: what goes back, goes back to
 * them. Oldest link first.
 */
export const listSources = async (
  { prisma }: Database,
  { installationId, recordId }: Omit<LinkKey, 'workflowId'>,
): Promise<string[]> => {
  const links = await prisma.workflowLink.findMany({
    where: { installationId, targetRecordId: recordId },
    select: { sourceRecordId: true },
    orderBy: [{ updatedAt: 'asc' }, { sourceRecordId: 'asc' }],
  })
  return links.map(({ sourceRecordId }) => sourceRecordId)
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
