/** Where the integrator wants to be told of changes. The secrets that sign what is sent are sealed. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { isUuid } from '../definition/identity.ts'
import { encodeChangeCursor } from '../query/change-cursor.ts'
import type { Selection } from '../query/selection.ts'
import { endOfLog } from './changes.ts'
import type { Database } from './database.ts'
import type { Vault } from './vault.ts'
import { resetDelivery } from './webhook-deliveries.ts'
import { newWebhookSecret } from './webhook-secrets.ts'

export interface WebhookSubscription {
  readonly subscriptionId: string
  readonly address: string
  readonly topic: readonly string[]
  readonly isEnabled: boolean
}

export interface NewWebhook {
  readonly address: string
  readonly topic: readonly string[]
  /** Null: whole records. */
  readonly payload?: string | null
  readonly isOrdered?: boolean
}

export type WebhookChange = Partial<NewWebhook & Pick<WebhookSubscription, 'isEnabled'>>

/** What a payload selects, by topic. @throws ApiError if it does not fit the topics */
export type PayloadReader = (
  topics: readonly string[],
  payload: string,
) => Readonly<Record<string, Selection>>

const columns = { id: true, address: true, topics: true, isEnabled: true } as const

interface WebhookRow {
  readonly id: string
  readonly address: string
  readonly topics: readonly string[]
  readonly isEnabled: boolean
}

const fromRow = ({ id, address, topics, isEnabled }: WebhookRow): WebhookSubscription => ({
  subscriptionId: id,
  address,
  topic: topics,
  isEnabled,
})

/** The columns of a payload: as it was written, and as it is read. */
const payloadColumns = (
  payload: string | null,
  topics: readonly string[],
  readPayload: PayloadReader,
) =>
  payload === null
    ? { payload, selection: Prisma.DbNull }
    : // Plain data, which the type of Prisma's JSON does not see through `readonly`.
      { payload, selection: readPayload(topics, payload) as unknown as Prisma.InputJsonObject }

/** Its row as both a look-up and a write find it; undefined if no row can have the id. */
const rowOf = (environmentId: string, subscriptionId: string) => {
  const id = subscriptionId.toLowerCase()
  return isUuid(id) ? { id, environmentId } : undefined
}

/** Oldest first. One statement. */
export const listWebhooks = async (
  { prisma }: Database,
  environmentId: string,
): Promise<WebhookSubscription[]> => {
  const rows = await prisma.webhookSubscription.findMany({
    where: { environmentId },
    select: columns,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(fromRow)
}

/** Undefined if the environment has no such subscription. One statement. */
export const findWebhook = async (
  { prisma }: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<WebhookSubscription | undefined> => {
  const where = rowOf(environmentId, subscriptionId)
  const row = where && (await prisma.webhookSubscription.findFirst({ where, select: columns }))
  return row ? fromRow(row) : undefined
}

/** Makes a subscription, enabled, with a secret of its own. It is told of what changes from now on. */
export const createWebhook = async (
  { prisma }: Database,
  vault: Vault,
  environmentId: string,
  { address, topic, payload = null, isOrdered = false }: NewWebhook,
  readPayload: PayloadReader,
): Promise<WebhookSubscription> => {
  const id = randomUUID()
  const position = encodeChangeCursor(await endOfLog(prisma))
  const row = await prisma.webhookSubscription.create({
    data: {
      ...{ id, environmentId, address, topics: [...topic], isOrdered },
      ...payloadColumns(payload, topic, readPayload),
      sealedSecret: vault.seal({ kind: 'webhook', environmentId, id }, newWebhookSecret()),
      delivery: { create: { position } },
    },
    select: columns,
  })
  return fromRow(row)
}

/**
 * Changes what is given. What has not been sent is sent with the new settings; where sending was switched
 * off, it goes on where it ended. Switched on, or sent elsewhere, it begins without the failures it had.
 * @returns undefined if the environment has no such subscription
 */
export const updateWebhook = async (
  { prisma }: Database,
  environmentId: string,
  subscriptionId: string,
  { address, topic, isEnabled, payload, isOrdered }: WebhookChange,
  readPayload: PayloadReader,
): Promise<WebhookSubscription | undefined> => {
  const where = rowOf(environmentId, subscriptionId)
  if (where === undefined) return
  return prisma.$transaction(async (transaction) => {
    // Held: the payload is read for the topics that are saved with it.
    await transaction.$queryRaw`
      SELECT 1 FROM webhook_subscriptions WHERE id = ${where.id}::uuid FOR NO KEY UPDATE`
    const before = await transaction.webhookSubscription.findFirst({
      where,
      select: { address: true, topics: true, isEnabled: true, payload: true },
    })
    if (before === null) return
    const wanted = payload === undefined ? before.payload : payload
    const row = await transaction.webhookSubscription.update({
      where,
      data: {
        ...(address !== undefined && { address }),
        ...(topic !== undefined && { topics: [...topic] }),
        ...(isEnabled !== undefined && { isEnabled, ...(isEnabled && { disabledReason: null }) }),
        ...(isOrdered !== undefined && { isOrdered }),
        ...payloadColumns(wanted, topic ?? before.topics, readPayload),
      },
      select: columns,
    })
    const isSwitchedOn = row.isEnabled && !before.isEnabled
    if (isSwitchedOn || row.address !== before.address) await resetDelivery(transaction, row.id)
    return fromRow(row)
  })
}

/** @returns whether the environment had the subscription */
export const deleteWebhook = async (
  { prisma }: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<boolean> => {
  const where = rowOf(environmentId, subscriptionId)
  if (where === undefined) return false
  const { count } = await prisma.webhookSubscription.deleteMany({ where })
  return count > 0
}

/** What signs the notifications of a subscription: `whsec_…`. Undefined if there is no such subscription. */
export const readWebhookSecret = async (
  { prisma }: Database,
  vault: Vault,
  environmentId: string,
  subscriptionId: string,
): Promise<string | undefined> => {
  const where = rowOf(environmentId, subscriptionId)
  const row =
    where &&
    (await prisma.webhookSubscription.findFirst({
      where,
      select: { id: true, sealedSecret: true },
    }))
  return row
    ? vault.open({ kind: 'webhook', environmentId, id: row.id }, row.sealedSecret)
    : undefined
}
