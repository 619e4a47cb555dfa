/** The backlog of webhooks in the database. */
import type { Queryable } from '../database/database.ts'

export interface WebhookBacklog {
  /** Messages that wait for another attempt, at most 100,000. */
  readonly waiting: number
  /** Enabled subscriptions whose last attempt failed. */
  readonly failing: number
  /** How long the first of them has been failing; 0: none is. */
  readonly failingMs: number
}

const MAX_COUNTED = 100_000

/** Reads the backlog of all processes. One statement. */
export const readWebhookBacklog = async ({ prisma }: Queryable): Promise<WebhookBacklog> => {
  const [row] = await prisma.$queryRaw<WebhookBacklog[]>`
    SELECT (SELECT count(*)::integer FROM (SELECT FROM webhook_retries LIMIT ${MAX_COUNTED}) r) AS waiting,
      count(*)::integer AS failing,
      coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(d.failing_since)) * 1000), 0)
        ::double precision AS "failingMs"
    FROM webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id
    WHERE s.is_enabled AND d.failing_since IS NOT NULL`
  if (!row) throw new Error('The query for the backlog of webhooks returned no row.')
  return row
}
