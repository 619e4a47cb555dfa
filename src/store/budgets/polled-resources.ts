/** The number of resources whose polls share a limit. */
import { Prisma } from '@prisma/client'
import type { LimitScope } from '../../definition/request-limits.ts'
import type { Queryable } from '../database/database.ts'
import { SCOPE_ROW } from './budget-sql.ts'

const { sql } = Prisma

/** A limit of several credentials. */
export interface SharedLimit {
  readonly scope: Exclude<LimitScope, 'credential'>
  readonly key: string
  readonly environmentId: string
  readonly app: string
}

/** Counts the syncs that poll, neither paused nor covered by a feed, of all credentials that share a limit. One statement. */
export const countPolledResources = async (
  { prisma }: Queryable,
  { scope, key, environmentId, app }: SharedLimit,
): Promise<number> => {
  const credentials =
    scope === 'app'
      ? sql`SELECT id FROM credentials WHERE environment_id = ${environmentId}::uuid AND app = ${app}`
      : sql`SELECT unnest(credential_ids) FROM request_budgets WHERE key = ${key} AND name = ${SCOPE_ROW}`
  const [row] = await prisma.$queryRaw<{ count: number }[]>(sql`
    SELECT count(*)::integer AS count FROM sync_states s
    WHERE due_at < 'infinity' AND NOT coalesce(s.reported_since < s.completed_at, false)
      AND credential_id IN (${credentials})`)
  return row?.count ?? 0
}
