/** Webhooks in the CloudEvents format, or in the one before it. */
import { createHmac } from 'node:crypto'
import type { Account } from '../engine/accounts.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import type { WebhookEvent, WebhookPolicy } from '../engine/webhooks.ts'
import { entities } from './entities.ts'

/** `events`: CloudEvents, mandatory since May 2026; `notifications`: the format before. */
export type WebhookFormat = 'events' | 'notifications'

const OPERATIONS: Readonly<Record<string, string>> = {
  created: 'Create',
  updated: 'Update',
  deleted: 'Delete',
  voided: 'Void',
  merged: 'Merge',
}

interface EventData {
  /** The record that a merge removed. */
  readonly deletedId?: string
  readonly eventId: string
  readonly entity: string
  readonly id: string
  readonly action: string
}

const dataOf = ({ payload }: WebhookEvent): EventData => {
  const { eventId, entity, id, action, deletedId } = isJsonObject(payload) ? payload : {}
  return {
    eventId: String(eventId),
    entity: String(entity),
    id: String(id),
    action: String(action),
    ...(typeof deletedId === 'string' && { deletedId }),
  }
}

const cloudEvent = (event: WebhookEvent): JsonObject => {
  const { eventId, entity, id, action, deletedId } = dataOf(event)
  const { accountId, atMs } = event
  return {
    specversion: '1.0',
    id: eventId,
    source: 'intuit.simulator',
    type: `qbo.${entity.toLowerCase()}.${action}.v1`,
    datacontenttype: 'application/json',
    time: new Date(atMs).toISOString(),
    intuitentityid: id,
    intuitaccountid: accountId,
    data: deletedId === undefined ? {} : { deletedid: deletedId },
  }
}

const notificationsOf = (events: readonly WebhookEvent[]): JsonObject => ({
  eventNotifications: [...Map.groupBy(events, ({ accountId }) => accountId)].map(
    ([realmId, group]) => ({
      realmId,
      dataChangeEvent: {
        entities: group.map((event) => {
          const { entity, id, action, deletedId } = dataOf(event)
          const operation = OPERATIONS[action] ?? action
          return {
            name: entity,
            id,
            operation,
            lastUpdated: new Date(event.atMs).toISOString(),
            ...(deletedId && { deletedId }),
          }
        }),
      },
    }),
  ),
})

const SECOND_MS = 1000
const MINUTE = 60 * SECOND_MS
const HOUR = 60 * MINUTE

/** `survivorOf` returns the id of the record that another was merged into. */
export const webhookPolicy = (
  format: WebhookFormat,
  survivorOf: (account: Account, type: string, id: string) => string | undefined,
): WebhookPolicy => ({
  eventsOf: ({ type, id, action, atMs, sequence }, account) => {
    if (!entities.get(type)?.webhooks.includes(action)) return []
    const accountId = account.id
    const eventId = `${accountId}-${sequence}-${type}-${id}`
    const survivor = action === 'merged' ? survivorOf(account, type, id) : undefined
    const merge = survivor === undefined ? { id } : { id: survivor, deletedId: id }
    const payload: EventData & JsonObject = { eventId, entity: type, action, ...merge }
    return [{ accountId, topic: `${type}.${action}`, atMs, payload }]
  },
  delayMs: 5 * SECOND_MS,
  maxEventsPerMessage: 100,
  mixesAccounts: true,
  messageOf: ({ events, subscription: { secret } }) => {
    const content = format === 'events' ? events.map(cloudEvent) : notificationsOf(events)
    const body = JSON.stringify(content)
    const signature = createHmac('sha256', secret).update(body).digest('base64')
    const headers = { 'content-type': 'application/json', 'intuit-signature': signature }
    return { body, headers }
  },
  retryDelaysMs: [
    10 * SECOND_MS,
    20 * SECOND_MS,
    30 * SECOND_MS,
    5 * MINUTE,
    20 * MINUTE,
    2 * HOUR,
    4 * HOUR,
    6 * HOUR,
  ],
  timeoutMs: 3 * SECOND_MS,
})
