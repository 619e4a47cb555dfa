/** Commits that do not wait for the disk. */
import { Prisma } from '@prisma/client'

/**
 * An expression of a `RETURNING` list. The statement commits without waiting until it is on disk, so a crash of
 * PostgreSQL may undo it. Only for a statement that is a transaction of its own: it applies to the whole transaction.
 */
export const ASYNCHRONOUS_COMMIT = Prisma.sql`set_config('synchronous_commit', 'off', true) AS "commit"`
