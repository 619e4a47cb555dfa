/** The secrets that sign notifications: sealed, and two of them while one takes over from the other. */
import { randomBytes } from 'node:crypto'
import { isUuid } from '../definition/identity.ts'
import type { Database } from './database.ts'
import type { Vault } from './vault.ts'

// Standard Webhooks: 24 to 64 random bytes, base64, after `whsec_`.
const SECRET_BYTES = 32
/** So long both secrets sign. */
export const ROTATION_MS = 24 * 3_600_000

export const newWebhookSecret = (): string =>
  `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/**
 * Gives a subscription a new secret. For 24 h the one before signs as well.
 * @returns the new one; undefined if the environment has no such subscription
 */
export const rotateWebhookSecret = (
  { prisma }: Database,
  vault: Vault,
  environmentId: string,
  subscriptionId: string,
): Promise<string | undefined> =>
  prisma.$transaction(async (transaction) => {
    const id = subscriptionId.toLowerCase()
    if (!isUuid(id)) return
    // Held: of two rotations at once the second takes over from the first.
    await transaction.$queryRaw`
      SELECT 1 FROM webhook_subscriptions WHERE id = ${id}::uuid FOR UPDATE`
    const row = await transaction.webhookSubscription.findFirst({
      where: { id, environmentId },
      select: { sealedSecret: true },
    })
    if (row === null) return
    const place = { environmentId, id }
    const old = vault.open({ kind: 'webhook', ...place }, row.sealedSecret)
    const secret = newWebhookSecret()
    await transaction.webhookSubscription.update({
      where: { id },
      data: {
        sealedSecret: vault.seal({ kind: 'webhook', ...place }, secret),
        sealedOldSecret: vault.seal({ kind: 'old-webhook', ...place }, old),
        oldSecretUntil: new Date(Date.now() + ROTATION_MS),
      },
    })
    return secret
  })
