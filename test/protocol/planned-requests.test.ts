/**
 * A request that is answered without Yoga has the response, the log line and the metrics of one that Yoga
 * answers.
 */
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { Metrics } from '../../src/process/metrics.ts'
import { account } from '../../src/resources/crm/account.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const FOREIGN = 'bbbbbbbb-0000-4000-8000-000000000002'

let service: TestService
let tenant: Tenant
let foreign: Tenant
let userToken: string
/** What the service has logged and counted since the last response. */
let recorded: unknown[] = []

const metrics = new Proxy({} as Metrics, {
  get: (_target, name) => (facts: object) =>
    void (
      /^on(?:Request|Operation)$/.test(String(name)) &&
      recorded.push([name, { ...facts, tookMs: undefined }])
    ),
})

beforeAll(async () => {
  const log = pino(
    { level: 'trace' },
    {
      write: (line) => {
        const { time: _time, durationMs: _duration, requestId: _id, ...facts } = JSON.parse(line)
        if (facts.msg === 'request') recorded.push(facts)
      },
    },
  )
  service = await startService({ log, metrics, requestsPerMinute: 1000 })
  tenant = await service.createTenant('development', [CREDENTIAL])
  foreign = await service.createTenant('production', [FOREIGN], 'Other')
  await service.save(
    tenant,
    CREDENTIAL,
    account,
    [1, 2, 3].map((n) => sampleRecord(CREDENTIAL, account, n)),
  )
  userToken = (await service.tokens.issue(tenant)).token
})
afterAll(() => service.stop())

interface Sent {
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | undefined
}

/** Headers that differ between any two requests. */
const CHANGING = ['date', 'x-request-id', 'ratelimit', 'ratelimit-policy']

const send = async (url: string, { body, headers, key = tenant.key }: Sent) => {
  recorded = []
  const controllers = vi.spyOn(globalThis, 'AbortController')
  const response = await service.send(key, 'POST', url, body, headers)
  // The route creates one for Yoga, which can also serve an event stream.
  const isPlanned = controllers.mock.calls.length === 0
  controllers.mockRestore()
  const constant = Object.entries(response.headers).filter(([name]) => !CHANGING.includes(name))
  return {
    isPlanned,
    status: response.statusCode,
    headers: Object.fromEntries(constant),
    // The id belongs to the request.
    body: response.body.replace(/"requestId":"[^"]{36}"/g, '"requestId":""'),
    noted: JSON.parse(JSON.stringify(recorded)),
  }
}

/** Sends a request to both; Yoga answers at a URL with a query string. */
const sendBoth = async (sent: Sent) => {
  // The first answer to a document is always Yoga's.
  await send('/graphql?yoga', sent)
  const { isPlanned: isYogas, ...expected } = await send('/graphql?yoga', sent)
  const { isPlanned, ...actual } = await send('/graphql', sent)
  return { isPlanned: isPlanned && !isYogas, actual, expected }
}

const ABSENT = recordId(CREDENTIAL, 'crm/accounts', 'absent')
const LIST =
  'query List($id: ID!, $first: Int) { crmAccounts(credentialId: $id, first: $first) { totalCount nodes { id accountName addresses { city } } pageInfo { hasNextPage endCursor } } }'
const variables = { id: CREDENTIAL, first: 2 }
const list = { query: LIST, variables }
const TWO = `${LIST} query Other($id: ID!) { a: crmAccounts(credentialId: $id) { totalCount } __typename }`

test.each<[string, Sent]>([
  ['a list', { body: list }],
  ['the extensions of a client', { body: { ...list, extensions: { client: 'x' } } }],
  ['an operation by its name', { body: { query: TWO, variables, operationName: 'Other' } }],
  [
    'an inline credential',
    {
      body: {
        query: `{ crmAccounts(credentialId: "${CREDENTIAL}") { totalCount } }`,
        variables: null,
        operationName: null,
      },
    },
  ],
  ['a record that does not exist', { body: { query: `{ node(id: "${ABSENT}") { id } }` } }],
  ['a charset', { body: list, headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['an Idempotency-Key', { body: list, headers: { 'idempotency-key': 'a' } }],
  ...[
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json',
    'application/graphql-response+json, application/json;q=0.9',
    'application/graphql-response+json,application/json;q=0.9',
  ].map((accept): [string, Sent] => [`Accept: ${accept}`, { body: list, headers: { accept } }]),
])('a planned request gets the same response without Yoga: %s', async (_name, sent) => {
  const { isPlanned, actual, expected } = await sendBoth(sent)
  expect(actual).toEqual(expected)
  expect(actual.status).toBe(200)
  expect(actual.noted.map((fact: unknown[]) => fact[0] ?? 'log')).toEqual(
    expect.arrayContaining(['onOperation', 'onRequest', 'log']),
  )
  expect(isPlanned).toBe(true)
})

test.each<[string, () => Sent]>([
  ['another Accept', () => ({ body: list, headers: { accept: 'application/json, text/html' } })],
  ['an event stream', () => ({ body: list, headers: { accept: 'text/event-stream' } })],
  ['an unknown type', () => ({ body: list, headers: { accept: 'image/png' } })],
  ['an unknown parameter', () => ({ body: { ...list, more: 1 } })],
  ['no operation', () => ({ body: { query: TWO, variables } })],
  ['an unknown operation', () => ({ body: { ...list, operationName: 'Missing' } })],
  ['an invalid variable', () => ({ body: { ...list, variables: { id: CREDENTIAL, first: 'x' } } })],
  [
    'a page that is too large',
    () => ({ body: { ...list, variables: { ...variables, first: 101 } } }),
  ],
  [
    'a query that costs too much',
    () => ({
      body: {
        query: `{ crmAccounts(credentialId: "${CREDENTIAL}", first: 100) { nodes { contacts(first: 100) { nodes { notes(first: 100) { nodes { id } } } } } } }`,
      },
    }),
  ],
  [
    'a credential of another environment',
    () => ({ body: { ...list, variables: { id: FOREIGN } } }),
  ],
  ['a caller of another environment', () => ({ body: list, key: foreign.key })],
  [
    'an invalid cursor',
    () => ({
      body: { query: `{ crmAccounts(credentialId: "${CREDENTIAL}", after: "x") { totalCount } }` },
    }),
  ],
  ['a user token, which opens no records', () => ({ body: list, key: userToken })],
  ['a wrong key', () => ({ body: list, key: 'wrong' })],
  ['no valid document', () => ({ body: { query: '{ missing }' } })],
  ['a mutation', () => ({ body: { query: 'mutation { deleteUser(id: "x") { id } }' } })],
  ['a field without a plan', () => ({ body: { query: '{ users { totalCount } }' } })],
  ['a malformed Idempotency-Key', () => ({ body: list, headers: { 'idempotency-key': ' ' } })],
])('a request that cannot be planned is handled by Yoga or rejected: %s', async (_name, sentOf) => {
  const { isPlanned, actual, expected } = await sendBoth(sentOf())
  expect(actual).toEqual(expected)
  // A request that fails before its route is chosen has no AbortController either.
  if (actual.status === 200 && /"data":\{/.test(actual.body)) expect(isPlanned).toBe(false)
})

test('a plan that fails is repeated by the resolvers, and not planned again', async () => {
  const body = {
    query: `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { addresses { city } } } }`,
  }
  // The plan rejects what is not a text; the resolver converts it.
  await service.database.prisma.$executeRaw`
    UPDATE crm_accounts SET addresses = '[{"city": 5}]', document = NULL`
  await sendBoth({ body })
  service.takeStatements()
  const { actual, expected } = await sendBoth({ body })
  expect(actual).toEqual(expected)
  expect(actual.body).toContain('"city":"5"')
  // Three requests, each with a statement of the plan and one of the resolver.
  expect(service.takeStatements().filter((sql) => sql.includes('crm_accounts'))).toHaveLength(6)
})
