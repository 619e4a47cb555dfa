/** The webhook messages of the OpenAPI document: one for each topic, as the service sends them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventTopics } from '../../src/definition/change.ts'
import { messageOf } from '../../src/delivery/message.ts'
import { catalogue, connectors } from '../../src/generated/registry.ts'
import { createCredential, deleteCredential } from '../../src/store/accounts/credentials.ts'
import { readChanges } from '../../src/store/changes/changes.ts'
import { disableWebhook } from '../../src/store/webhooks/webhook-deliveries.ts'
import { createWebhook } from '../../src/store/webhooks/webhooks.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { type OpenApiDocument, openapiText, schemaCompiler } from '../support/openapi.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import { testVault } from '../support/vault.ts'

// openapi.test.ts proves that the document has this type.
const document = JSON.parse(openapiText) as OpenApiDocument
const compile = schemaCompiler(document)
const topics = [...catalogue.resources.map(({ topic }) => topic), ...eventTopics]
const fitsByTopic = new Map(
  topics.map((topic) => [
    topic,
    compile('webhooks', topic, 'post', 'requestBody', 'content', 'application/json', 'schema'),
  ]),
)

let connected: ConnectedSandbox
beforeAll(async () => {
  connected = await connectSandbox()
})
afterAll(() => connected.stop())

test('every topic has a message, with an example that matches it', () => {
  expect(Object.keys(document.webhooks).toSorted()).toEqual(topics.toSorted())
  for (const [topic, fits] of fitsByTopic) {
    const example = document.webhooks[topic]?.post.requestBody?.content['application/json']?.example
    expect(fits(example), `${topic}: ${JSON.stringify(fits.errors)}`).toBe(true)
    expect(fits({ ...Object(example), other: 1 }), topic).toBe(false)
  }
})

test('the messages of the service match the document, for every topic', async () => {
  const { service, tenant } = connected
  const { database } = service
  const { environmentId, userId } = tenant
  const connector = connectors.get('sandbox')
  if (!connector) throw new Error('The registry has no sandbox.')
  const wrong = await createCredential(database, testVault, {
    environmentId,
    userId,
    connector,
    values: { tenant: 'acme', token: 'wrong' },
  })
  await connected.sync(wrong).catch(() => {})
  await deleteCredential(database, environmentId, userId, wrong)
  const address = 'https://hooks.example.com/'
  const input = { address, topic: ['*'] }
  const { subscriptionId: id } = await createWebhook(
    database,
    testVault,
    environmentId,
    input,
    () => ({}),
  )
  const [row] = await database.prisma.$queryRaw<{ version: string }[]>`
    SELECT xmin::text AS version FROM webhook_subscriptions WHERE id = ${id}::uuid`
  const facts = { reason: 'The endpoint responded with 410.', status: 410 }
  await disableWebhook(database, { id, version: row?.version ?? '' }, facts)
  await untilLogReadable(service)

  const { changes } = await readChanges(database, { environmentId, limit: 100_000 })
  const sent = new Set<string>()
  for (const change of changes) {
    const { topic, credentialId } = change
    sent.add(topic)
    const { body } = messageOf(change, {
      subscriptionId: id,
      environment: 'development',
      userId: credentialId === null ? null : userId,
      selection: undefined,
    })
    const fits = fitsByTopic.get(topic)
    expect(fits?.(JSON.parse(body)), `${body}: ${JSON.stringify(fits?.errors)}`).toBe(true)
  }
  expect([...sent].toSorted()).toEqual(topics.toSorted())
})
