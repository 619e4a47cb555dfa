/** Webhook subscriptions of an environment. Their signing secrets are encrypted. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import { encodeChangeCursor } from '../../query/change-cursor.ts'
import type { Selection } from '../../query/selection.ts'
import { endOfLog } from '../changes/changes.ts'
import { type Database, readClock } from '../database/database.ts'
import type { Vault } from '../secrets/vault.ts'
import { newWebhookSecret } from '../secrets/webhook-secrets.ts'
import { resetDelivery } from './webhook-deliveries.ts'

export interface StoredSubscription {
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

export type WebhookChange = Partial<NewWebhook & Pick<StoredSubscription, 'isEnabled'>>

/** Parses a payload into its selections by topic. @throws ApiError if it does not match the topics */
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

const fromRow = ({ id, address, topics, isEnabled }: WebhookRow): StoredSubscription => ({
  subscriptionId: id,
  address,
  topic: topics,
  isEnabled,
})

/** The columns of a payload: its text and the parsed selection. */
const payloadColumns = (
  payload: string | null,
  topics: readonly string[],
  readPayload: PayloadReader,
) =>
  payload === null
    ? { payload, selection: Prisma.DbNull }
    : // A selection is plain JSON; Prisma's input type does not accept `readonly` properties.
      { payload, selection: readPayload(topics, payload) as unknown as Prisma.InputJsonObject }

/** The `where` condition of a subscription; undefined if the id is not a UUID. */
const rowOf = (environmentId: string, subscriptionId: string) => {
  const id = subscriptionId.toLowerCase()
  return isUuid(id) ? { id, environmentId } : undefined
}

/** Lists the subscriptions of an environment, oldest first. One statement. */
export const listWebhooks = async (
  { prisma }: Database,
  environmentId: string,
): Promise<StoredSubscription[]> => {
  const rows = await prisma.webhookSubscription.findMany({
    where: { environmentId },
    select: columns,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(fromRow)
}

/** The subscriptions with these ids that the environment has, in any order. One statement. */
export const findWebhooks = async (
  { prisma }: Database,
  environmentId: string,
  ids: readonly string[],
): Promise<StoredSubscription[]> => {
  const rows = await prisma.webhookSubscription.findMany({
    where: { environmentId, id: { in: [...ids] } },
    select: columns,
  })
  return rows.map(fromRow)
}

/** Reads a subscription; undefined if the environment does not have it. One statement. */
export const findWebhook = async (
  { prisma }: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<StoredSubscription | undefined> => {
  const where = rowOf(environmentId, subscriptionId)
  const row = where && (await prisma.webhookSubscription.findFirst({ where, select: columns }))
  return row ? fromRow(row) : undefined
}

/** Creates an enabled subscription with its own secret. It receives changes from now on. */
export const createWebhook = async (
  database: Database,
  vault: Vault,
  environmentId: string,
  { address, topic, payload = null, isOrdered = false }: NewWebhook,
  readPayload: PayloadReader,
): Promise<StoredSubscription> => {
  const id = randomUUID()
  const position = encodeChangeCursor(await endOfLog(database))
  const row = await database.prisma.webhookSubscription.create({
    data: {
      id,
      environmentId,
      address,
      topics: [...topic],
      isOrdered,
      ...payloadColumns(payload, topic, readPayload),
      sealedSecret: vault.seal({ kind: 'webhook', environmentId, id }, newWebhookSecret()),
      delivery: { create: { position } },
    },
    select: columns,
  })
  return fromRow(row)
}

/**
 * Updates the specified settings. Unsent messages use the new settings, and an enabled subscription resumes
 * where it stopped. Enabling it or changing its address resets its failures.
 * @returns undefined if the environment has no such subscription
 */
export const updateWebhook = async (
  database: Database,
  environmentId: string,
  subscriptionId: string,
  { address, topic, isEnabled, payload, isOrdered }: WebhookChange,
  readPayload: PayloadReader,
): Promise<StoredSubscription | undefined> => {
  const where = rowOf(environmentId, subscriptionId)
  if (where === undefined) return
  return database.transaction(async (transaction) => {
    // Locked, because the payload is validated against the stored topics.
    await transaction.prisma.$queryRaw`
      SELECT 1 FROM webhook_subscriptions WHERE id = ${where.id}::uuid FOR NO KEY UPDATE`
    const before = await transaction.prisma.webhookSubscription.findFirst({
      where,
      select: { address: true, topics: true, isEnabled: true, payload: true },
    })
    if (before === null) return
    const newPayload = payload === undefined ? before.payload : payload
    const row = await transaction.prisma.webhookSubscription.update({
      where,
      data: {
        ...(address !== undefined && { address }),
        ...(topic !== undefined && { topics: [...topic] }),
        ...(isEnabled !== undefined && { isEnabled, ...(isEnabled && { disabledReason: null }) }),
        ...(isOrdered !== undefined && { isOrdered }),
        ...payloadColumns(newPayload, topic ?? before.topics, readPayload),
        updatedAt: await readClock(transaction),
      },
      select: columns,
    })
    const isNewlyEnabled = row.isEnabled && !before.isEnabled
    if (isNewlyEnabled || row.address !== before.address) await resetDelivery(transaction, row.id)
    return fromRow(row)
  })
}

/** Deletes a subscription. @returns whether the environment had it */
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

/** Reads the signing secret of a subscription: `whsec_…`; undefined if the subscription does not exist. */
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
