/**
 * Which process sends the notifications of which subscription. A process renews one row, its own: what
 * it holds is free for others once that row's time is up. All those times are the database's.
 */
import { Prisma } from '@prisma/client'
import { decodeChangeCursor, encodeChangeCursor } from '../query/change-cursor.ts'
import type { Selection } from '../query/selection.ts'
import { endOfLog } from './changes.ts'
import type { Database, Transaction } from './database.ts'
import { appendEvent } from './sync-events.ts'
import { inMs } from './time-sql.ts'
import type { Vault } from './vault.ts'

const { sql } = Prisma

/** A process among those that send. */
export interface Worker {
  readonly id: string
  /** Another takes over so long after the process was killed. */
  readonly leaseMs: number
}

export interface Fleet {
  /** Processes that send, this one among them. */
  readonly workers: number
  /** Subscriptions that are switched on. */
  readonly subscriptions: number
}

/** Renews the process's row. One statement, however much it holds. */
export const renewWorker = async (
  { prisma }: Database,
  { id, leaseMs }: Worker,
): Promise<Fleet> => {
  const [fleet] = await prisma.$queryRaw<Fleet[]>`
    WITH renewed AS (
      INSERT INTO webhook_workers (id, held_until)
      VALUES (${id}::uuid, ${inMs(leaseMs)})
      ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until
    ), forgotten AS (
      DELETE FROM webhook_workers
      WHERE id <> ${id}::uuid AND held_until < clock_timestamp() - interval '1 hour'
    )
    SELECT 1 + (SELECT count(*) FROM webhook_workers
        WHERE id <> ${id}::uuid AND held_until > clock_timestamp())::integer AS workers,
      (SELECT count(*) FROM webhook_subscriptions WHERE is_enabled)::integer AS subscriptions`
  return fleet ?? { workers: 1, subscriptions: 0 }
}

/** Takes up to `limit` subscriptions that nobody holds, or whose process is gone. @returns their ids */
export const claimDeliveries = async (
  { prisma }: Database,
  { id }: Worker,
  limit: number,
): Promise<string[]> => {
  const start = encodeChangeCursor(await endOfLog(prisma))
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    WITH free AS (
      SELECT d.subscription_id FROM webhook_deliveries d
      JOIN webhook_subscriptions s ON s.id = d.subscription_id
      WHERE s.is_enabled AND (d.holder IS NULL OR NOT EXISTS (
        SELECT FROM webhook_workers w WHERE w.id = d.holder AND w.held_until > clock_timestamp()))
      ORDER BY d.subscription_id LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED
    )
    UPDATE webhook_deliveries d
    SET holder = ${id}::uuid, position = coalesce(d.position, ${start})
    FROM free WHERE d.subscription_id = free.subscription_id
    RETURNING d.subscription_id::text AS id`
  return rows.map(({ id: claimed }) => claimed)
}

/** Gives subscriptions back; those that another holds by now are left to it. */
export const releaseDeliveries = async (
  { prisma }: Database,
  { id }: Worker,
  subscriptionIds: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw`
    UPDATE webhook_deliveries SET holder = NULL
    WHERE holder = ${id}::uuid AND subscription_id = ANY(${[...subscriptionIds]}::uuid[])`
}

/** The process sends no more: all that it holds is free at once. */
export const removeWorker = async ({ prisma }: Database, { id }: Worker): Promise<void> => {
  await prisma.$executeRaw`DELETE FROM webhook_workers WHERE id = ${id}::uuid`
}

/** A subscription that the process holds, and the version of its settings. */
export interface HeldSubscription {
  readonly id: string
  readonly isEnabled: boolean
  readonly version: string
}

/** What the process holds, as it is now: of what is missing, another is the holder, or it is gone. */
export const listHeld = ({ prisma }: Database, { id }: Worker): Promise<HeldSubscription[]> =>
  prisma.$queryRaw<HeldSubscription[]>`
    SELECT s.id::text AS id, s.is_enabled AS "isEnabled", s.updated_at::text AS version
    FROM webhook_deliveries d JOIN webhook_subscriptions s ON s.id = d.subscription_id
    WHERE d.holder = ${id}::uuid`

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
  readonly failures: number
  readonly failingSince: Date | null
  readonly pausedUntil: Date | null
  readonly resets: number
}

/** All that is needed to send the notifications of a subscription. */
export type DeliverySettings = Awaited<ReturnType<typeof readDeliveries>>[number]

/** The settings of subscriptions that the process holds, their secrets opened. */
export const readDeliveries = async (
  { prisma }: Database,
  vault: Vault,
  { id: worker }: Worker,
  subscriptionIds: readonly string[],
) => {
  const rows = await prisma.$queryRaw<SettingsRow[]>`
    SELECT s.id::text AS id, s.updated_at::text AS version, s.address, s.topics, s.selection,
      s.environment_id::text AS "environmentId", e.kind AS environment, s.is_ordered AS "isOrdered",
      s.sealed_secret AS "sealedSecret", s.sealed_old_secret AS "sealedOldSecret",
      s.old_secret_until AS "oldSecretUntil", d.position, d.failures,
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

/** Notes that the log has forgotten changes before they were sent to these subscriptions. */
export const noteMissedChanges = async (
  { prisma }: Database,
  subscriptionIds: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw`
    UPDATE webhook_deliveries SET missed_until = h.at FROM change_log.horizon h
    WHERE subscription_id = ANY(${[...subscriptionIds]}::uuid[])`
}

/**
 * The endpoint is another one, or was mended: failures and pause are forgotten, and what waits is due now,
 * with all its attempts before it.
 */
export const resetDelivery = async (
  transaction: Transaction,
  subscriptionId: string,
): Promise<void> => {
  await transaction.$executeRaw`
    UPDATE webhook_deliveries
    SET resets = resets + 1, failures = 0, failing_since = NULL, paused_until = NULL
    WHERE subscription_id = ${subscriptionId}::uuid`
  // A statement of its own: it sees what a checkpoint saved while the first one waited for it.
  await transaction.$executeRaw`
    UPDATE webhook_retries SET attempts = 0, due_at = clock_timestamp()
    WHERE subscription_id = ${subscriptionId}::uuid`
}

/**
 * Switches a subscription off, and tells of it. What was not sent stays where it is.
 * @returns false if it is off, or gone, or has other settings than those it failed with
 */
export const disableWebhook = (
  { prisma }: Database,
  { id: subscriptionId, version }: Pick<HeldSubscription, 'id' | 'version'>,
  facts: { readonly reason: string; readonly status: number | null },
): Promise<boolean> =>
  prisma.$transaction(async (transaction) => {
    const [disabled] = await transaction.$queryRaw<
      { environmentId: string; address: string }[]
    >(sql`
      UPDATE webhook_subscriptions
      SET is_enabled = false, disabled_reason = ${facts.reason}, updated_at = clock_timestamp()
      WHERE id = ${subscriptionId}::uuid AND is_enabled AND updated_at::text = ${version}
      RETURNING environment_id::text AS "environmentId", address`)
    if (disabled === undefined) return false
    const { environmentId, address } = disabled
    const owner = { environmentId, credentialId: null }
    await appendEvent(transaction, owner, 'webhook/disabled', { subscriptionId, address, ...facts })
    return true
  })
