/** The webhooks of an app of Intuit's, for all companies that it is connected to (NOTES "webhooks"). */
import type { InboundEvent, Webhooks } from '../../definition/inbound.ts'
import { entriesOf, type Values, valuesOf } from '../../definition/raw-values.ts'
import { remoteIdOf } from './entity.ts'
import { type Reported, reported, topicsOf } from './reported.ts'

// The company info has none.
const entries = reported.filter(({ entity }) => entity.name !== 'CompanyInfo')

const byName = new Map(entries.map((one) => [one.entity.name.toLowerCase(), one]))

/** What an event says, in either form. */
interface Message {
  readonly entity: unknown
  readonly operation: unknown
  readonly id: unknown
  readonly company: unknown
  /** The same for each attempt to deliver it. */
  readonly key: string
  /** Of a merge: the id of the record that has become a part of the other. */
  readonly mergedId: unknown
}

/** An event of the CloudEvents form: `qbo.invoice.created.v1`. */
const fromCloudEvent = (event: Values): Message => {
  const [, entity, operation] = String(event.type).split('.')
  return {
    entity,
    operation: operation === 'deleted' ? 'delete' : operation,
    id: event.intuitentityid,
    company: event.intuitaccountid,
    key: String(event.id),
    mergedId: valuesOf(event.data).deletedid,
  }
}

/** The events of a company in the earlier form. */
const fromNotification = ({ realmId, dataChangeEvent }: Values): readonly Message[] =>
  entriesOf(valuesOf(dataChangeEvent).entities).map(
    ({ name, operation, id, lastUpdated, deletedId }) => ({
      entity: String(name).toLowerCase(),
      operation: String(operation).toLowerCase(),
      id,
      company: realmId,
      key: [realmId, name, id, operation, lastUpdated].join(' '),
      mergedId: deletedId,
    }),
  )

const eventsOf = (message: Message): readonly InboundEvent[] => {
  const found: Reported | undefined = byName.get(String(message.entity))
  if (!found) return []
  const { entity, topic } = found
  const company = String(message.company)
  const event = (id: unknown, kind: InboundEvent['kind']): InboundEvent => ({
    topic,
    remoteId: remoteIdOf(entity, id),
    kind,
    company,
    id: `${message.key} ${kind}`,
  })
  const isDeleted = message.operation === 'delete'
  return [
    event(message.id, isDeleted ? 'deleted' : 'changed'),
    ...(message.mergedId === undefined ? [] : [event(message.mergedId, 'deleted')]),
  ]
}

export const webhooks: Webhooks = {
  scope: 'app',
  topics: topicsOf(entries),
  signature: { type: 'hmac', header: 'intuit-signature', encoding: 'base64' },
  secret: { from: 'oauthClient' },
  company: 'realmId',
  events: ({ body }) => {
    if (Array.isArray(body)) return entriesOf(body).map(fromCloudEvent).flatMap(eventsOf)
    const { eventNotifications } = valuesOf(body)
    if (!Array.isArray(eventNotifications)) throw new Error('The message has no events.')
    return entriesOf(eventNotifications).flatMap(fromNotification).flatMap(eventsOf)
  },
}
