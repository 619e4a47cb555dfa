/** Delivery status of webhook subscriptions, for operators. */
import type { Database } from '../database/database.ts'

/** Reads the delivery status of a subscription. */
export const readDeliveryStatus = async ({ prisma }: Database, subscriptionId: string) => {
  const row = await prisma.webhookDelivery.findUnique({
    where: { subscriptionId },
    select: {
      position: true,
      failures: true,
      failingSince: true,
      pausedUntil: true,
      missedUntil: true,
      subscription: { select: { disabledReason: true, payload: true, isOrdered: true } },
      _count: { select: { retries: true, replays: true } },
    },
  })
  return (
    row && {
      subscriptionId,
      payload: row.subscription.payload,
      isOrdered: row.subscription.isOrdered,
      cursor: row.position,
      waiting: row._count.retries,
      replays: row._count.replays,
      failures: row.failures,
      failingSince: row.failingSince?.toISOString() ?? null,
      pausedUntil: row.pausedUntil?.toISOString() ?? null,
      missedUntil: row.missedUntil?.toISOString() ?? null,
      disabledReason: row.subscription.disabledReason,
    }
  )
}
