/** The longer poll interval of idle resources, those whose last runs found no change. */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { isFree } from '../database/lease-sql.ts'

const { sql } = Prisma

/** Consecutive runs without a change after which the interval doubles. */
const RUNS_PER_DOUBLING = 4
const MAX_DOUBLINGS = 3

/** The factor of the poll interval after this many runs without a change, from 1 to 8. */
export const idleFactor = (idleRuns: number): number =>
  2 ** Math.min(MAX_DOUBLINGS, Math.floor(idleRuns / RUNS_PER_DOUBLING))

/** Ends the idleness of syncs after a write: their next run becomes due as after the normal interval. One statement. */
export const endIdleness = async (
  { prisma }: Database,
  credentialId: string,
  topics: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE sync_states s SET idle_runs = 0, due_at = greatest(clock_timestamp(), completed_at
      + (due_at - completed_at) / power(2, least(${MAX_DOUBLINGS}, idle_runs / ${RUNS_PER_DOUBLING})))
    WHERE s.credential_id = ${credentialId}::uuid AND s.topic = ANY (${topics}::text[]) AND s.idle_runs > 0
      AND s.due_at > clock_timestamp() AND s.due_at < 'infinity' AND s.failure_code IS NULL
      AND s.progress IS NULL AND ${isFree('s')}`)
}
