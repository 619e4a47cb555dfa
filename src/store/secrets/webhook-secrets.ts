/** Signing secrets of webhooks: encrypted, and two during a rotation. */
import { randomBytes } from 'node:crypto'
import { isUuid } from '../../definition/identity.ts'
import type { Database } from '../database/database.ts'
import { msFromNow } from '../database/time-sql.ts'
import type { Vault } from './vault.ts'

// Standard Webhooks: 24 to 64 random bytes, base64, after `whsec_`.
const SECRET_BYTES = 32
/** Time during which both secrets sign. */
export const ROTATION_MS = 24 * 3_600_000

export const newWebhookSecret = (): string =>
  `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/**
 * Rotates a subscription's secret. The previous secret also signs for 24 h.
 * @returns the new secret; undefined if the environment has no such subscription
 */
export const rotateWebhookSecret = (
  database: Database,
  vault: Vault,
  environmentId: string,
  subscriptionId: string,
): Promise<string | undefined> =>
  database.transaction(async (transaction) => {
    const id = subscriptionId.toLowerCase()
    if (!isUuid(id)) return
    // Locked, so that of two concurrent rotations the second replaces the secret of the first.
    await transaction.prisma.$queryRaw`
      SELECT 1 FROM webhook_subscriptions WHERE id = ${id}::uuid FOR UPDATE`
    const row = await transaction.prisma.webhookSubscription.findFirst({
      where: { id, environmentId },
      select: { sealedSecret: true },
    })
    if (row === null) return
    const place = { environmentId, id }
    const old = vault.open({ kind: 'webhook', ...place }, row.sealedSecret)
    const secret = newWebhookSecret()
    await transaction.prisma.$executeRaw`
      UPDATE webhook_subscriptions
      SET sealed_secret = ${vault.seal({ kind: 'webhook', ...place }, secret)},
        sealed_old_secret = ${vault.seal({ kind: 'old-webhook', ...place }, old)},
        old_secret_until = ${msFromNow(ROTATION_MS)}, updated_at = clock_timestamp()
      WHERE id = ${id}::uuid`
    return secret
  })
