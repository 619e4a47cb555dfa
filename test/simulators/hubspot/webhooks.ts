/** Webhooks: events of changes, in batches, signed by version 3 (and 1). */
import { createHash, createHmac } from 'node:crypto'
import type { Account } from '../engine/accounts.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import type { Change } from '../engine/store.ts'
import type { WebhookEvent, WebhookPolicy } from '../engine/webhooks.ts'
import { associationOf, associationTypes } from './associations.ts'
import { type ObjectType, objectTypes } from './object-types.ts'
import { propertiesOf } from './portal.ts'

/**
 * `object`: `object.creation` with the type's id, for any type. `typed`: `contact.creation`, which only contacts,
 * companies and deals have; the others have the first form.
 */
export type WebhookFormat = 'object' | 'typed'

/** An event without the fields that all events have. */
interface PartialEvent {
  readonly action: string
  /** The name of a changed property. */
  readonly property?: string
  readonly fields: JsonObject
}

/** A number derived from a text, always the same for the same text. */
const numberOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE() % 1_000_000_000

const propertyChanges = ({ before, after }: Change): readonly PartialEvent[] => {
  const [old, next] = [before, after].map((record) => (record ? propertiesOf(record) : {}))
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(next ?? {})])]
  return names
    .filter((name) => old?.[name] !== next?.[name])
    .map((name) => ({
      action: 'propertyChange',
      property: name,
      fields: {
        propertyName: name,
        propertyValue: String(next?.[name] ?? ''),
        isSensitive: false,
      },
    }))
}

const mergeFields = ({ id, after }: Change): JsonObject => {
  const about: JsonObject = Object(after?.value.about)
  return {
    objectId: Number(id),
    primaryObjectId: Number(about.primaryId),
    mergedObjectIds: [Number(about.mergedId)],
    newObjectId: Number(id),
    numberOfPropertiesMoved: Number(about.movedCount),
  }
}

/** The events of a change of a record. */
const partialEventsOf = (change: Change): readonly PartialEvent[] => {
  switch (change.action) {
    case 'created':
      return [{ action: 'creation', fields: { changeFlag: 'CREATED' } }, ...propertyChanges(change)]
    case 'updated':
      return propertyChanges(change)
    case 'archived':
      return [{ action: 'deletion', fields: { changeFlag: 'DELETED' } }]
    case 'restored':
      return [{ action: 'restore', fields: { changeFlag: 'RESTORED' } }]
    case 'merged':
      return [{ action: 'merge', fields: mergeFields(change) }]
    case 'purged':
      return [{ action: 'privacyDeletion', fields: {} }]
    default:
      return []
  }
}

/** Events of this type, or of any type. A privacy deletion has only the first form, and only for contacts. */
const prefixOf = (type: ObjectType, action: string, format: WebhookFormat): string | undefined => {
  if (action === 'privacyDeletion') return type.name === 'contacts' ? 'contact' : undefined
  return format === 'typed' && type.hasTypedEvents ? type.singular : 'object'
}

interface EventSource {
  readonly account: Account
  readonly change: Change
  readonly source: string
}

const eventOf = (
  { account, change, source }: EventSource,
  subscriptionType: string,
  property: string | undefined,
  fields: JsonObject,
): WebhookEvent => {
  const topic = property === undefined ? subscriptionType : `${subscriptionType}:${property}`
  return {
    accountId: account.id,
    topic,
    atMs: change.atMs,
    payload: {
      eventId: numberOf(`${account.id} ${change.sequence} ${topic}`),
      subscriptionId: numberOf(topic),
      portalId: Number(account.id),
      occurredAt: change.atMs,
      subscriptionType,
      changeSource: source,
      ...fields,
    },
  }
}

const recordEvents = (
  source: EventSource,
  type: ObjectType,
  format: WebhookFormat,
): readonly WebhookEvent[] =>
  partialEventsOf(source.change).flatMap(({ action, property, fields }) => {
    const prefix = prefixOf(type, action, format)
    if (prefix === undefined) return []
    const typeId = prefix === 'object' ? { objectTypeId: type.typeId } : {}
    const content = { objectId: Number(source.change.id), ...typeId, ...fields }
    return [eventOf(source, `${prefix}.${action}`, property, content)]
  })

const associationEvents = (source: EventSource, format: WebhookFormat): readonly WebhookEvent[] => {
  const { before, after } = source.change
  const record = after ?? before
  if (!record) return []
  const { from, to, typeId } = associationOf(record)
  const [fromType, toType] = [objectTypes.get(from.type), objectTypes.get(to.type)]
  const known = associationTypes.find(
    (type) => type.typeId === typeId && type.from === from.type && type.to === to.type,
  )
  if (!fromType || !toType || !known) return []
  const prefix = prefixOf(fromType, 'associationChange', format)
  const isGeneric = prefix === 'object'
  return [
    eventOf(source, `${prefix}.associationChange`, undefined, {
      ...(isGeneric
        ? {
            associationCategory: 'HUBSPOT_DEFINED',
            associationTypeId: typeId,
            fromObjectTypeId: fromType.typeId,
            toObjectTypeId: toType.typeId,
          }
        : { associationType: `${fromType.singular}_TO_${toType.singular}`.toUpperCase() }),
      fromObjectId: Number(from.id),
      toObjectId: Number(to.id),
      associationRemoved: after === undefined,
      isPrimaryAssociation: known.label === 'Primary',
    }),
  ]
}

const SECOND_MS = 1000
const MINUTE = 60 * SECOND_MS
const HOUR = 60 * MINUTE

/** The id of an app, which follows from its secret here. */
export const appIdOf = (secret: string): number => numberOf(`app ${secret}`)

export const webhookPolicy = (format: WebhookFormat): WebhookPolicy => ({
  eventsOf: (change, account) => {
    const source = {
      account,
      change,
      source: String((change.after ?? change.before)?.value.source ?? 'CRM_UI'),
    }
    if (change.type === 'association') return associationEvents(source, format)
    const type = objectTypes.get(change.type)
    return type ? recordEvents(source, type, format) : []
  },
  delayMs: 2 * SECOND_MS,
  maxEventsPerMessage: 100,
  mixesAccounts: true,
  messageOf: ({ events, subscription: { secret, url }, attempt, nowMs }) => {
    const body = JSON.stringify(
      events.map(({ payload }) => ({
        ...(isJsonObject(payload) ? payload : {}),
        appId: appIdOf(secret),
        attemptNumber: attempt - 1,
      })),
    )
    const timestamp = String(nowMs)
    const signed = `POST${url}${body}${timestamp}`
    return {
      body,
      headers: {
        'content-type': 'application/json',
        'x-hubspot-signature-v3': createHmac('sha256', secret).update(signed).digest('base64'),
        'x-hubspot-request-timestamp': timestamp,
        'x-hubspot-signature': createHash('sha256').update(`${secret}${body}`).digest('hex'),
        'x-hubspot-signature-version': 'v1',
      },
    }
  },
  retryDelaysMs: [
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    4 * HOUR,
    5 * HOUR,
    6 * HOUR,
  ],
  timeoutMs: 5 * SECOND_MS,
})
