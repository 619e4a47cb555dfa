/**
 * The examples of all operations except those on records, sent to the server in the order of an object's life:
 * created, read, changed, deleted. The server's ids replace the ids of the examples.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRead, type Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { restResponse } from '../../src/api/rest/operations.ts'
import { restRequest } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Operations whose example cannot succeed here, with the actual status and the reason. */
const exceptions: ReadonlyMap<string, readonly [status: number, reason: string]> = new Map([
  ['chooseAuthorizationAccount', [409, 'the end user has allowed nothing yet']],
  ['credentialFields', [400, 'the app of the example does not describe its fields']],
  ['recordHistory', [404, 'no app has sent a record']],
  ['testWebhook', [400, 'the example of a change has switched the subscription off']],
  ['replayWebhook', [404, 'nothing was sent yet']],
])

/** Operations that are not sent: passthrough would call the example's address, which does not exist. */
const notSent: ReadonlySet<string> = new Set(['passthrough'])

let service: TestService
let tenant: Tenant
/** The server's ids by the ids of the examples. */
const serverIds = new Map<string, string>()

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  const client = { clientId: 'example', clientSecret: 'example' }
  await service.send(tenant.key, 'PUT', '/2024-03/oauth-clients/sandbox', client)
})
afterAll(() => service.stop())

const isCreating = ({ name }: Operation): boolean =>
  /^(create|define|start|complete|generate)/.test(name)
const isDeleting = ({ rest, name }: Operation): boolean =>
  rest.method === 'DELETE' || name === 'regenerateApiKey'

/** Deletes run in the opposite order of creates, inner objects first, and the keys last: the requests need one. */
const inOrder = [
  ...operations.filter(isCreating),
  ...operations.filter(isRead),
  ...operations.filter(
    (operation) => !isCreating(operation) && !isRead(operation) && !isDeleting(operation),
  ),
  ...operations
    .filter(isDeleting)
    .toReversed()
    .toSorted((a, b) => Number(/ApiKey$/.test(a.name)) - Number(/ApiKey$/.test(b.name))),
]

/** Records the server's ids, field by field, where the example has ids. */
const recordIds = (example: unknown, response: unknown): void => {
  if (typeof example === 'string' && typeof response === 'string') {
    if (new RegExp(`^${ID.source}$`).test(example) && !serverIds.has(example))
      serverIds.set(example, response)
  } else if (typeof example === 'object' && example !== null)
    for (const [name, value] of Object.entries(example)) recordIds(value, Object(response)[name])
}

test.each(
  inOrder
    .filter(({ name }) => !notSent.has(name))
    .map((operation) => [operation.name, operation] as const),
)('%s', async (name, operation) => {
  const { method, url, body } = restRequest(operation, operation.example.input)
  const replaceIds = (text: string): string =>
    // Nothing listens on the replacement address; the example's shop would be looked up in DNS.
    text
      .replace(ID, (id) => serverIds.get(id) ?? id)
      .replace('https://shop.example.com', 'http://127.0.0.1:1')
  const response = await service.send(
    tenant.key,
    method,
    replaceIds(url),
    body === undefined ? undefined : JSON.parse(replaceIds(JSON.stringify(body))),
  )
  const [status] = exceptions.get(name) ?? [200]
  expect(response.statusCode, response.body).toBe(status)
  if (status === 200 && isCreating(operation))
    recordIds(restResponse(operation, operation.example.result), response.json())
})
