/** The OpenAPI `webhooks`: the message of each topic. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { type EventTopic, eventTopics } from '../../src/definition/change.ts'
import { pascalCase, type Resource } from '../../src/definition/resource.ts'
import { CREDENTIAL_ID, exampleRecord } from './examples.ts'
import { inWords, withArticle } from './in-words.ts'
import type { Parameter } from './parameters.ts'
import { closedObject, type JsonSchema, orNull, refTo, uuid } from './schemas.ts'

const TAG = 'Webhooks'
const EXAMPLE_USER = '0d9c1f7e-5a42-4b63-8f0d-7c2b9e6a1d35'
const EXAMPLE_TIME = '2026-03-02T09:30:00.000Z'
const EXAMPLE_CURSOR = 'MS4wLjEyMzQuNTY'

const withDescription = (description: string, schema: JsonSchema): JsonSchema => ({
  description,
  ...schema,
})
const text: JsonSchema = { type: 'string' }
const count: JsonSchema = { type: 'integer', minimum: 0 }
const time: JsonSchema = { type: 'string', format: 'date-time' }

/** The message of a topic: its summary, its `record` and an example of that. */
interface TopicMessage {
  readonly summary: string
  readonly description: string
  readonly record: JsonSchema
  readonly example: unknown
  /** Events belong to no record; `webhook/disabled` also to no credential. */
  readonly of: 'record' | 'credential' | 'environment'
}

const credentialId = withDescription('The credential.', uuid)
const app = withDescription('The name of the app in this API, such as `vendure`.', text)

const connection = {
  credentialId,
  userId: withDescription('The end user.', uuid),
  app,
}
const exampleConnection = {
  credentialId: CREDENTIAL_ID,
  userId: EXAMPLE_USER,
  app: 'vendure',
}

const run = {
  credentialId,
  resource: withDescription(
    'The topic of the resource that is synced, such as `crm/accounts`.',
    text,
  ),
  listing: {
    description: 'Whether the run lists everything in the app or only what has changed.',
    enum: ['everything', 'changes'],
  },
  startedAt: withDescription('When the run started.', time),
}
const exampleRun = {
  credentialId: CREDENTIAL_ID,
  resource: 'commerce/orders',
  listing: 'changes',
  startedAt: EXAMPLE_TIME,
}

const counts = {
  pages: withDescription('The pages that the app returned.', count),
  listed: withDescription('The records that the app returned.', count),
  skipped: withDescription('The records without an id, which cannot be stored.', count),
  problems: withDescription('The values that do not match their field and are null.', count),
  created: withDescription('The records that were created here.', count),
  updated: withDescription('The records that were updated here.', count),
  deleted: withDescription('The records that are now marked as deleted in the app.', count),
}
const exampleCounts = {
  pages: 1,
  listed: 12,
  skipped: 0,
  problems: 0,
  created: 2,
  updated: 9,
  deleted: 1,
}

const failure = {
  code: withDescription('The error code, such as `APP_UNAVAILABLE`.', text),
  reason: withDescription('Why the run failed.', text),
  app,
}

const events: Readonly<Record<EventTopic, Omit<TopicMessage, 'of'>>> = {
  'connection/created': {
    summary: 'Receive new connections',
    description: 'Sent when an end user has connected an app.',
    record: closedObject(connection),
    example: exampleConnection,
  },
  'connection/deleted': {
    summary: 'Receive deleted connections',
    description: 'Sent when a credential has been deleted. Its records are deleted here too.',
    record: closedObject(connection),
    example: exampleConnection,
  },
  'connection/authentication_failure': {
    summary: 'Receive authentication failures',
    description:
      'Sent when an app no longer accepts a credential. The end user must reconnect the app.',
    record: closedObject({ credentialId, ...failure }),
    example: {
      credentialId: CREDENTIAL_ID,
      code: 'APP_AUTHENTICATION',
      reason: 'Vendure rejected the credential.',
      app: 'vendure',
    },
  },
  'sync/started': {
    summary: 'Receive started syncs',
    description: 'Sent when the first sync of a resource starts, or a later one finds a change.',
    record: closedObject(run),
    example: exampleRun,
  },
  'sync/completed': {
    summary: 'Receive completed syncs',
    description: 'Sent when a sync whose start was sent, or that follows a failure, has completed.',
    record: closedObject({ ...run, ...counts }),
    example: { ...exampleRun, ...exampleCounts },
  },
  'sync/failed': {
    summary: 'Receive failed syncs',
    description:
      'Sent when a sync fails for a new reason. It is retried, and the stored records stay available.',
    record: closedObject({ ...run, ...failure, ...counts }),
    example: {
      ...exampleRun,
      code: 'APP_UNAVAILABLE',
      reason: 'Vendure did not respond within 30 s.',
      app: 'vendure',
      ...exampleCounts,
    },
  },
  'webhook/disabled': {
    summary: 'Receive disabled webhook subscriptions',
    description:
      'Sent to the other subscriptions when the service has disabled one: its endpoint responded with 410, or failed for three days.',
    record: closedObject({
      subscriptionId: withDescription('The disabled subscription.', uuid),
      address: withDescription('The address of the subscription.', text),
      reason: withDescription('Why it was disabled.', text),
      status: withDescription('The HTTP status of the last response; null without a response.', {
        type: ['integer', 'null'],
      }),
    }),
    example: {
      subscriptionId: 'b8d4f6a1-3c79-4e05-92ab-6f1e0d7c5a38',
      address: 'https://hooks.example.com/trunkline',
      reason: 'The endpoint responded with 410.',
      status: 410,
    },
  },
}

const resourceMessage = (catalogue: Catalogue, resource: Resource): TopicMessage => ({
  summary: `Receive changes of ${resource.topic}`,
  description: `Sent when ${withArticle(inWords(resource.name))} has been created, updated or deleted. With a \`payload\`, the record has only the selected fields.`,
  record: refTo('schemas', resource.typeName),
  example: exampleRecord(catalogue, resource),
  of: 'record',
})

const eventMessage = (topic: EventTopic): TopicMessage => ({
  ...events[topic],
  of: topic === 'webhook/disabled' ? 'environment' : 'credential',
})

const nothing: JsonSchema = { type: 'null' }

const bodySchema = (topic: string, { record, of }: TopicMessage): JsonSchema =>
  closedObject({
    type: withDescription('The topic.', { const: topic }),
    timestamp: withDescription('When the change was made.', time),
    data: {
      description: 'The change.',
      ...closedObject({
        kind: withDescription(
          of === 'record' ? 'What happened to the record.' : 'An event is always created.',
          of === 'record' ? { enum: ['created', 'updated', 'deleted'] } : { const: 'created' },
        ),
        environment: withDescription('The environment of the change.', {
          enum: ['development', 'production'],
        }),
        userId: withDescription(
          'The end user; null after the credential was deleted.',
          of === 'environment' ? nothing : orNull(uuid),
        ),
        credentialId: withDescription('The credential.', of === 'environment' ? nothing : uuid),
        recordId: withDescription('The id of the record.', of === 'record' ? uuid : nothing),
        changedFields: withDescription('The fields of an updated record whose values changed.', {
          type: 'array',
          items: text,
        }),
        cursor: withDescription('The position in the change log.', text),
        record:
          of === 'record'
            ? withDescription('The record after the change.', record)
            : withDescription('The facts of the event.', record),
      }),
    },
  })

const bodyExample = (topic: string, { example, of }: TopicMessage) => ({
  type: topic,
  timestamp: EXAMPLE_TIME,
  data: {
    kind: of === 'record' ? 'updated' : 'created',
    environment: 'development',
    userId: of === 'environment' ? null : EXAMPLE_USER,
    credentialId: of === 'environment' ? null : CREDENTIAL_ID,
    recordId: of === 'record' ? Object(example).id : null,
    changedFields: of === 'record' ? ['remoteFields'] : [],
    cursor: EXAMPLE_CURSOR,
    record: example,
  },
})

/** The headers of every message (Standard Webhooks). */
export const messageHeaders: readonly Parameter[] = [
  [
    'webhook-id',
    'The id of the message, the same at every attempt.',
    'msg_p5jXN8AQM9LWM0D4loKWxJek0aT1zQ5R',
  ],
  ['webhook-timestamp', 'The time of the attempt, in seconds since 1970.', '1772443800'],
  [
    'webhook-signature',
    'The signatures, separated by spaces: `v1,` and the base64 of an HMAC-SHA256 of id, timestamp and body.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
].map(([name, description, example]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: text,
  example,
}))

const messageOf = (topic: string, message: TopicMessage) => ({
  post: {
    operationId: `on${topic.split(/[/_]/).map(pascalCase).join('')}`,
    summary: message.summary,
    description: message.description,
    tags: [TAG],
    security: [],
    parameters: messageHeaders.map(({ name }) => refTo('parameters', String(name))),
    requestBody: {
      description: 'The message. Verify its signature before you parse it.',
      required: true,
      content: {
        'application/json': {
          schema: bodySchema(topic, message),
          example: bodyExample(topic, message),
        },
      },
    },
    responses: {
      204: { description: 'The message was received: any status from 200 to 299, within 20 s.' },
      410: { description: 'The endpoint no longer exists. The subscription is disabled.' },
      '4XX': { description: 'The message was not accepted. It is sent again later.' },
    },
  },
})

/** The messages by topic: resources in the order of the catalogue, then events. */
export const webhooks = (catalogue: Catalogue) =>
  Object.fromEntries([
    ...catalogue.resources.map((resource) => [
      resource.topic,
      messageOf(resource.topic, resourceMessage(catalogue, resource)),
    ]),
    ...eventTopics.map((topic) => [topic, messageOf(topic, eventMessage(topic))]),
  ])
