/**
 * The examples of the operations beside those on records, put to the server in the order of a life: things
 * are made, looked at, changed and deleted. The identifiers of the examples stand for those that the server
 * gave to the same things.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isRead, type Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { restAnswer } from '../../src/api/rest/operations.ts'
import { restRequest } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Operations whose example cannot come true here, with what is answered instead, and why. */
const otherwise: ReadonlyMap<string, readonly [status: number, reason: string]> = new Map([
  ['oauthUrl', [400, 'no app uses OAuth yet']],
  ['recordHistory', [404, 'no app has sent a record']],
  ['testWebhook', [400, 'the example of a change has switched the subscription off']],
  ['replayWebhook', [404, 'nothing was sent yet']],
])

/** Asks the app at the example's address, which is not there to be asked. */
const notAsked: ReadonlySet<string> = new Set(['passthrough'])

let service: TestService
let tenant: Tenant
/** What the server gave, by what the examples call it. */
const given = new Map<string, string>()

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

const isMaking = ({ name }: Operation): boolean =>
  /^(create|define|start|complete|generate)/.test(name)
const isEnding = ({ rest, name }: Operation): boolean =>
  rest.method === 'DELETE' || name === 'regenerateApiKey'

/** Deleted in the opposite order: what is in another goes before it. The keys go last, the asker's among them. */
const inOrder = [
  ...operations.filter(isMaking),
  ...operations.filter(isRead),
  ...operations.filter((one) => !isMaking(one) && !isRead(one) && !isEnding(one)),
  ...operations
    .filter(isEnding)
    .toReversed()
    .toSorted((a, b) => Number(/ApiKey$/.test(a.name)) - Number(/ApiKey$/.test(b.name))),
]

/** Notes, field by field, what the server gave where the example has an identifier. */
const learn = (example: unknown, answered: unknown): void => {
  if (typeof example === 'string' && typeof answered === 'string') {
    if (new RegExp(`^${ID.source}$`).test(example) && !given.has(example))
      given.set(example, answered)
  } else if (typeof example === 'object' && example !== null)
    for (const [name, value] of Object.entries(example)) learn(value, Object(answered)[name])
}

test.each(
  inOrder
    .filter(({ name }) => !notAsked.has(name))
    .map((operation) => [operation.name, operation] as const),
)('%s', async (name, operation) => {
  const { method, url, body } = restRequest(operation, operation.example.given)
  const real = (text: string): string =>
    // Nothing listens there; the example's shop would be looked for in the network.
    text
      .replace(ID, (id) => given.get(id) ?? id)
      .replace('https://shop.example.com', 'http://127.0.0.1:1')
  const answer = await service.send(
    tenant.key,
    method,
    real(url),
    body === undefined ? undefined : JSON.parse(real(JSON.stringify(body))),
  )
  const [status] = otherwise.get(name) ?? [200]
  expect(answer.statusCode, answer.body).toBe(status)
  if (status === 200 && isMaking(operation))
    learn(restAnswer(operation, operation.example.result), answer.json())
})
