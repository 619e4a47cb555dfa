/** The webhooks of a HubSpot app. Its developer enters the address and the subscriptions (NOTES "webhooks"). */
import type { InboundEvent, Webhooks } from '../../definition/inbound.ts'
import { entriesOf, type Values } from '../../definition/raw-values.ts'

/** Topics by the first word of a subscription type, and by the id of a type of objects. */
const TOPICS: Readonly<Record<string, string>> = {
  company: 'crm/accounts',
  contact: 'crm/contacts',
  deal: 'crm/opportunities',
  '0-1': 'crm/contacts',
  '0-2': 'crm/accounts',
  '0-3': 'crm/opportunities',
  '0-27': 'crm/tasks',
  '0-46': 'crm/notes',
  '0-136': 'crm/leads',
}

const topicOf = (type: unknown): string | undefined => {
  const key = String(type)
  return Object.hasOwn(TOPICS, key) ? TOPICS[key] : undefined
}

/** A record that an event reports. */
type Reported = readonly [type: unknown, id: unknown, kind: InboundEvent['kind']]

/** NOTES "merged records". */
const mergeOf = (type: unknown, event: Values): readonly Reported[] => {
  const { primaryObjectId, newObjectId, mergedObjectIds } = event
  const result = newObjectId ?? primaryObjectId
  const merged = [primaryObjectId, mergedObjectIds].flat().filter((id) => id !== result)
  return [[type, result, 'changed'], ...merged.map((id): Reported => [type, id, 'deleted'])]
}

const reportedBy = (event: Values): readonly Reported[] => {
  const [word = '', action = ''] = String(event.subscriptionType).split('.')
  const type = word === 'object' ? event.objectTypeId : word
  switch (action) {
    case 'merge':
      return mergeOf(type, event)
    case 'deletion':
    case 'privacyDeletion':
      return [[type, event.objectId, 'deleted']]
    case 'associationChange':
      return [
        [event.fromObjectTypeId ?? type, event.fromObjectId, 'changed'],
        [event.toObjectTypeId, event.toObjectId, 'changed'],
      ]
    default:
      return [[type, event.objectId, 'changed']]
  }
}

/** The events of one notification. */
const eventsOf = (event: Values): readonly InboundEvent[] =>
  reportedBy(event).flatMap(([type, id, kind]) => {
    const topic = topicOf(type)
    if (topic === undefined || id === undefined || id === null) return []
    const { portalId, eventId, subscriptionId, occurredAt } = event
    return [
      {
        topic,
        kind,
        remoteId: String(id),
        company: String(portalId),
        // The id of the event is not unique.
        id: [eventId, subscriptionId, occurredAt, id].join('/'),
      },
    ]
  })

export const webhooks: Webhooks = {
  scope: 'app',
  topics: [...new Set(Object.values(TOPICS))],
  signature: {
    type: 'hmac',
    header: 'x-hubspot-signature-v3',
    encoding: 'base64',
    signed: ['method', 'url', 'body', 'timestamp'],
    timestamp: { header: 'x-hubspot-request-timestamp', unit: 'ms', toleranceSeconds: 300 },
  },
  secret: { from: 'oauthClient' },
  company: 'portalId',
  events: ({ body }) => {
    if (!Array.isArray(body)) throw new Error('The notification is not a list of events.')
    return entriesOf(body).flatMap(eventsOf)
  },
}
