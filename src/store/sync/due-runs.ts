/** The sync runs that wait for a process. */
import type { Queryable } from '../database/database.ts'

/** The due runs of one app. */
export interface DueRuns {
  readonly app: string
  readonly count: number
  /** How long the first of them has been due. */
  readonly lagMs: number
}

// Runs that are counted, longest due first, so that a count costs little however many are due.
const MAX_COUNTED = 10_000

/** Lists the apps that have due runs. One statement, which reads only due runs. */
export const countDueRuns = ({ prisma }: Queryable): Promise<DueRuns[]> =>
  // A stable time, so that the index is used.
  prisma.$queryRaw<DueRuns[]>`
    SELECT c.app, count(*)::integer AS count,
      extract(epoch FROM statement_timestamp() - min(s.due_at))::double precision * 1000 AS "lagMs"
    FROM (SELECT credential_id, due_at FROM sync_states
      WHERE due_at <= statement_timestamp() ORDER BY due_at LIMIT ${MAX_COUNTED}) s
    JOIN credentials c ON c.id = s.credential_id GROUP BY c.app`
