/** The label of a credential: the account's own name in the app. */
import type { Database } from '../database/database.ts'

/**
 * Records that the caller reads the missing label of a credential from the app.
 * @returns false if the credential has a label, or a process has read it within the last day
 */
export const claimLabelRead = async (
  { prisma }: Database,
  credentialId: string,
): Promise<boolean> => {
  const claimed = await prisma.$executeRaw`
    UPDATE credentials SET label_read_at = clock_timestamp()
    WHERE id = ${credentialId}::uuid AND label IS NULL
      AND (label_read_at IS NULL OR label_read_at < clock_timestamp() - interval '1 day')`
  return claimed > 0
}

/** Stores the label of a credential that has none. */
export const saveLabel = async ({ prisma }: Database, id: string, label: string): Promise<void> => {
  await prisma.credential.updateMany({ where: { id, label: null }, data: { label } })
}
