/**
 * The shares of end users in limits that count the requests of all credentials of an app. Each end user whose records
 * are being listed in full may use the same part of what such a limit allows for history.
 */
import { Prisma } from '@prisma/client'
import { LRUCache } from 'lru-cache'
import type { CountedRequest } from '../../definition/counted-limits.ts'
import type { Database } from '../database/database.ts'
import type { WantedRow } from './budget-sql.ts'

const { sql } = Prisma

// An end user whose first listing starts gets a share within that time.
const TTL_MS = 5_000

/** An end user, and the number of those whose records are being listed, including this one. */
interface Competition {
  readonly userId: string
  readonly users: number
}

const readCompetition = async (
  { prisma }: Database,
  credentialId: string,
): Promise<Competition | undefined> => {
  const [row] = await prisma.$queryRaw<Competition[]>(sql`
    SELECT own.user_id::text AS "userId", greatest(1, (
      SELECT count(DISTINCT c.user_id) FROM sync_states s JOIN credentials c ON c.id = s.credential_id
      WHERE c.environment_id = own.environment_id AND c.app = own.app
        -- Running or waiting. A listing that has failed for long competes with none.
        AND s.due_at < statement_timestamp() + interval '1 minute'
        AND (s.full_listing_at IS NULL OR s.progress ->> 'listing' = 'everything')))::integer AS users
    FROM credentials own WHERE own.id = ${credentialId}::uuid`)
  return row
}

/** Creates the function that returns the rows which count a request for history towards its end user's share. */
export const createHistoryShares = (
  database: Database,
): ((request: CountedRequest) => Promise<readonly WantedRow[]>) => {
  const competitions = new LRUCache<string, Promise<Competition | undefined>>({
    max: 10_000,
    ttl: TTL_MS,
  })
  const competitionOf = (credentialId: string): Promise<Competition | undefined> => {
    const known = competitions.get(credentialId)
    if (known) return known
    const reading = readCompetition(database, credentialId)
    competitions.set(credentialId, reading)
    reading.catch(() => competitions.delete(credentialId))
    return reading
  }
  return async ({ credentialId, purpose, limits }) => {
    const shared = limits.windows.filter(({ scope }) => scope === 'app')
    if (purpose !== 'history' || shared.length === 0) return []
    const competition = await competitionOf(credentialId)
    if (!competition) return []
    const { userId, users } = competition
    return shared.map(({ key, name, bucketMs, buckets, max }) => ({
      key: `user/${userId}/${key}`,
      name,
      bucketMs,
      buckets,
      max: Math.ceil(max / users),
    }))
  }
}
