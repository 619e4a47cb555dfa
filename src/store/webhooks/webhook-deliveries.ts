/**
 * Assignments of webhook subscriptions to processes. All subscriptions of a process share one lease, the row of
 * the process in `webhook_workers`: renewing it costs the same for one subscription as for thousands. All times
 * are the database's.
 */
import { Prisma } from '@prisma/client'
import { decodeChangeCursor, encodeChangeCursor } from '../../query/change-cursor.ts'
import type { Selection } from '../../query/selection.ts'
import { endOfLog } from '../changes/changes.ts'
import { appendEvent } from '../changes/events.ts'
import type { Database, Transaction } from '../database/database.ts'
import { isHeld } from '../database/lease-sql.ts'
import { msFromNow } from '../database/time-sql.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

/** A process that sends webhooks, and its lease. */
export interface Worker {
  /** Holder of the lease. */
  readonly id: string
  /** Time until another process takes over after this one was killed. */
  readonly leaseMs: number
}

/** Number of workers and of subscriptions to share among them. */
export interface WorkerCounts {
  /** Processes that send webhooks, including this one. */
  readonly workers: number
  /** Enabled subscriptions. */
  readonly subscriptions: number
}

/** Renews the row of a process. One statement, whatever the number of its subscriptions. */
export const renewWorker = async (
  { prisma }: Database,
  { id, leaseMs }: Worker,
): Promise<WorkerCounts> => {
  const [counts] = await prisma.$queryRaw<WorkerCounts[]>`
    WITH renewed AS (
      INSERT INTO webhook_workers (id, held_until)
      VALUES (${id}::uuid, ${msFromNow(leaseMs)})
      ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until
    ), forgotten AS (
      DELETE FROM webhook_workers
      WHERE id <> ${id}::uuid AND held_until < clock_timestamp() - interval '1 hour'
    )
    SELECT 1 + (SELECT count(*) FROM webhook_workers w
        WHERE w.id <> ${id}::uuid AND ${isHeld('w')})::integer AS workers,
      (SELECT count(*) FROM webhook_subscriptions WHERE is_enabled)::integer AS subscriptions`
  return counts ?? { workers: 1, subscriptions: 0 }
}

/** Claims up to `limit` subscriptions without a live holder. @returns their ids */
export const claimDeliveries = async (
  database: Database,
  { id }: Worker,
  limit: number,
): Promise<string[]> => {
  const start = encodeChangeCursor(await endOfLog(database))
  const rows = await database.prisma.$queryRaw<{ id: string }[]>`
    WITH free AS (
      SELECT d.subscription_id FROM webhook_deliveries d
      JOIN webhook_subscriptions s ON s.id = d.subscription_id
      WHERE s.is_enabled AND (d.holder IS NULL OR NOT EXISTS (
        SELECT FROM webhook_workers w WHERE w.id = d.holder AND ${isHeld('w')}))
      ORDER BY d.subscription_id LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED
    )
    UPDATE webhook_deliveries d
    SET holder = ${id}::uuid, position = coalesce(d.position, ${start})
    FROM free WHERE d.subscription_id = free.subscription_id
    RETURNING d.subscription_id::text AS id`
  return rows.map(({ id: claimed }) => claimed)
}

/** Releases subscriptions that the process still holds. */
export const releaseDeliveries = async (
  { prisma }: Database,
  { id }: Worker,
  subscriptionIds: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw`
    UPDATE webhook_deliveries SET holder = NULL
    WHERE holder = ${id}::uuid AND subscription_id = ANY(${[...subscriptionIds]}::uuid[])`
}

/** Removes a process, which releases all its subscriptions immediately. */
export const removeWorker = async ({ prisma }: Database, { id }: Worker): Promise<void> => {
  await prisma.$executeRaw`DELETE FROM webhook_workers WHERE id = ${id}::uuid`
}

/**
 * A subscription that the process holds, with the version of its settings: the id of the transaction that last
 * wrote its row. A timestamp would not be unique.
 */
export interface HeldSubscription {
  readonly id: string
  readonly isEnabled: boolean
  readonly version: string
}

/** Lists the subscriptions that the process holds. Missing ones were deleted or have another holder. */
export const listHeld = ({ prisma }: Database, { id }: Worker): Promise<HeldSubscription[]> =>
  prisma.$queryRaw<HeldSubscription[]>`
    SELECT s.id::text AS id, s.is_enabled AS "isEnabled", s.xmin::text AS version
    FROM webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id
    WHERE d.holder = ${id}::uuid`

/**
 * Finds the subscriptions that were disabled, deleted or changed since their settings were read.
 *
 * Call it after reading a page of the log and before sending it: if a change on the page was committed after
 * the subscription changed, the result includes the subscription, even without a notification.
 * @returns their ids
 */
export const listOutdated = async (
  database: Database,
  subscriptions: readonly Pick<HeldSubscription, 'id' | 'version'>[],
): Promise<ReadonlySet<string>> => {
  const rows = await database.queryRows<{ id: string }>(
    sql`
    SELECT DISTINCT n.id::text AS id
    FROM unnest(${subscriptions.map(({ id }) => id)}::uuid[],
      ${subscriptions.map(({ version }) => version)}::text[]) AS n(id, version)
    WHERE NOT EXISTS (SELECT FROM webhook_subscriptions s
      WHERE s.id = n.id AND s.is_enabled AND s.xmin::text = n.version)`,
  )
  return new Set(rows.map(({ id }) => id))
}

interface SettingsRow {
  readonly id: string
  readonly version: string
  readonly environmentId: string
  readonly environment: string
  readonly address: string
  readonly topics: readonly string[]
  readonly isOrdered: boolean
  readonly selection: Readonly<Record<string, Selection>> | null
  readonly sealedSecret: Uint8Array
  readonly sealedOldSecret: Uint8Array | null
  readonly oldSecretUntil: Date | null
  readonly position: string
  readonly ahead: readonly string[]
  readonly failures: number
  readonly failingSince: Date | null
  readonly pausedUntil: Date | null
  readonly resets: number
}

/** Settings and delivery state of a subscription. */
export type DeliverySettings = Awaited<ReturnType<typeof readDeliveries>>[number]

/** Reads the settings of subscriptions that the process holds, with decrypted secrets. */
export const readDeliveries = async (
  { prisma }: Database,
  vault: Vault,
  { id: worker }: Worker,
  subscriptionIds: readonly string[],
) => {
  const rows = await prisma.$queryRaw<SettingsRow[]>`
    SELECT s.id::text AS id, s.xmin::text AS version, s.address, s.topics, s.selection,
      s.environment_id::text AS "environmentId", e.kind AS environment, s.is_ordered AS "isOrdered",
      s.sealed_secret AS "sealedSecret", s.sealed_old_secret AS "sealedOldSecret",
      s.old_secret_until AS "oldSecretUntil", d.position, d.ahead, d.failures,
      d.failing_since AS "failingSince", d.paused_until AS "pausedUntil", d.resets
    FROM webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id
    JOIN environments e ON e.id = s.environment_id
    WHERE d.holder = ${worker}::uuid AND d.subscription_id = ANY(${[...subscriptionIds]}::uuid[])`
  return rows.map(({ sealedSecret, sealedOldSecret, ...row }) => {
    const { id, environmentId } = row
    return {
      ...row,
      position: decodeChangeCursor(row.position, 'position'),
      secret: vault.open({ kind: 'webhook', environmentId, id }, sealedSecret),
      oldSecret: sealedOldSecret
        ? vault.open({ kind: 'old-webhook', environmentId, id }, sealedOldSecret)
        : undefined,
    }
  })
}

/** Records that retention deleted changes before they were sent to these subscriptions. */
export const noteMissedChanges = async (
  { prisma }: Database,
  subscriptionIds: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw`
    UPDATE webhook_deliveries SET missed_until = h.at FROM change_log.horizon h
    WHERE subscription_id = ANY(${[...subscriptionIds]}::uuid[])`
}

/**
 * Resets the delivery state after the address changed or the subscription was enabled: clears failures and the
 * pause, and makes waiting messages due immediately, with all attempts left.
 */
export const resetDelivery = async (
  transaction: Transaction,
  subscriptionId: string,
): Promise<void> => {
  await transaction.prisma.$executeRaw`
    UPDATE webhook_deliveries
    SET resets = resets + 1, failures = 0, failing_since = NULL, paused_until = NULL
    WHERE subscription_id = ${subscriptionId}::uuid`
  // A separate statement: it sees rows that a checkpoint saved while the first statement waited for its lock.
  await transaction.prisma.$executeRaw`
    UPDATE webhook_retries SET attempts = 0, due_at = clock_timestamp()
    WHERE subscription_id = ${subscriptionId}::uuid`
}

/**
 * Disables a subscription and writes an event. Unsent messages are kept.
 * @returns false if it is already disabled, deleted, or changed since the failed attempts
 */
export const disableWebhook = (
  database: Database,
  { id: subscriptionId, version }: Pick<HeldSubscription, 'id' | 'version'>,
  facts: { readonly reason: string; readonly status: number | null },
): Promise<boolean> =>
  database.transaction(async (transaction) => {
    const [disabled] = await transaction.prisma.$queryRaw<
      { environmentId: string; address: string }[]
    >(sql`
      UPDATE webhook_subscriptions
      SET is_enabled = false, disabled_reason = ${facts.reason}, updated_at = clock_timestamp()
      WHERE id = ${subscriptionId}::uuid AND is_enabled AND xmin::text = ${version}
      RETURNING environment_id::text AS "environmentId", address`)
    if (disabled === undefined) return false
    const { environmentId, address } = disabled
    const owner = { environmentId, credentialId: null }
    await appendEvent(transaction, owner, 'webhook/disabled', { subscriptionId, address, ...facts })
    return true
  })
