/** Traces: one from the caller through the API, SQL and the app, and on to the webhook attempts of the change. */
import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'
import { createLog } from '../../src/process/log.ts'
import { startService } from '../../src/process/service.ts'
import { createShutdown, type Shutdown } from '../../src/process/shutdown.ts'
import { startTracing } from '../../src/process/tracing.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { summarize } from '../../src/store/database/statement-spans.ts'
import { loadEncryptionKeys } from '../../src/store/secrets/encryption-keys.ts'
import { isTracing, trace } from '../../src/tracing.ts'
import { type Receiver, startReceiver, status } from '../delivery/receiver.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Collector, startCollector } from '../support/otlp-collector.ts'
import { type Rolodex, startRolodex } from '../support/rolodex.ts'
import { rolodexConnector } from '../support/rolodex-connector.ts'
import { TEST_KEYS, testVault } from '../support/vault.ts'
import { openServices } from './service-process.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const START = 'http.server.request.start'

const key = generateApiKey('development')
let database: TestDatabase
let folder: string
let collector: Collector
let receiver: Receiver
let rolodex: Rolodex

/** The headers of the requests that the app receives. */
const appHeaders: IncomingMessage['headers'][] = []
const noteAppRequest = (message: unknown): void => {
  const { headers } = (message as { request: IncomingMessage }).request
  if (rolodex && headers.host === new URL(rolodex.url).host) appHeaders.push(headers)
}

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'trunkline-tracing-'))
  rolodex = await startRolodex()
  receiver = await startReceiver()
  subscribe(START, noteAppRequest)
})
afterAll(async () => {
  unsubscribe(START, noteAppRequest)
  await receiver.stop()
  await rolodex.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  collector = await startCollector()
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.endpoint
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'deployment.environment.name=test'
})
afterEach(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  delete process.env.OTEL_RESOURCE_ATTRIBUTES
  await collector.stop()
})

const configOf = (variables: Readonly<Record<string, string>> = {}) =>
  readConfig({
    ...process.env,
    DATABASE_URL: database.url,
    TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
    TRUNKLINE_DEV_API_KEY: key,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    SANDBOX: 'false',
    PORT: '0',
    SYNC_INTERVAL_SECONDS: '1',
    LOG_FILE: join(folder, 'log'),
    ...variables,
  })

/** Starts the service, with a credential of the app. */
const openService = async (variables?: Readonly<Record<string, string>>) => {
  const config = configOf(variables)
  const log = createLog(config, 'all')
  const shutdown: Shutdown = createShutdown({ log })
  if (config.tracing) shutdown.add('traces', await startTracing(config.tracing, 'all', log))
  const { keys } = await loadEncryptionKeys(config)
  const connector = rolodexConnector(rolodex.url)
  const service = await startService(config, 'all', {
    keys,
    url: database.url,
    log,
    shutdown,
    connectors: new Map([[connector.app, connector]]),
  })
  const [environmentId] = service.firstStart.environmentIds
  const store = openDatabase({ url: database.url })
  const userId = await ensureUser(store, environmentId, 'user', 'User')
  const values = { secret: 'app-secret' }
  const owner = { environmentId, userId }
  const credentialId = await createCredential(store, testVault, { ...owner, connector, values })
  await store.stop()
  return {
    credentialId,
    userId,
    /** Sends a request that succeeds. */
    request: async (method: string, path: string, body: object, traceparent?: string) => {
      const response = await fetch(`${service.address}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(traceparent && { traceparent }),
        },
        body: JSON.stringify(body),
      })
      const answer = await response.text()
      expect(response.status, answer).toBe(200)
      return JSON.parse(answer)
    },
    stop: () => shutdown.run(),
  }
}

const GRAPHQL_TRACE = 'a'.repeat(32)
const REST_TRACE = 'b'.repeat(32)
const CALLER = 'c'.repeat(16)

const CREATE = `mutation AddContact($id: ID!, $input: CrmContactInput!) {
  createCrmContact(credentialId: $id, input: $input) { id lastName }
}`

test('a write is one trace, from the caller through the API, SQL and the app to the webhook attempts', async () => {
  const service = await openService()
  const { credentialId, request } = service
  const hook = { address: `${receiver.origin}/hook?token=hook-secret`, topic: ['crm/contacts'] }
  await request('POST', '/2024-03/one/webhooks', hook)
  // The second attempt of a message belongs to the same trace.
  receiver.behave('/hook?token=hook-secret', (response, received, place) =>
    status(place === 0 ? 503 : 204)(response, received, place),
  )
  const variables = { id: credentialId, input: { lastName: 'Noether' } }
  const graphql = { query: CREATE, variables }
  const { errors } = await request('POST', '/graphql', graphql, `00-${GRAPHQL_TRACE}-${CALLER}-01`)
  expect(errors).toBeUndefined()
  const path = `/2024-03/one/crm/contacts?credentialId=${credentialId}&pageSize=1`
  await request('POST', path.replace('&pageSize=1', ''), { lastName: 'Galois' }, `00-${REST_TRACE}-${CALLER}-01`)
  await expect.poll(() => receiver.received.length).toBe(3)
  await service.stop()

  // From the caller to each part.
  const request1 = collector.spans.find(({ parentId }) => parentId === CALLER)
  expect(request1).toMatchObject({ traceId: GRAPHQL_TRACE, name: 'POST /graphql', kind: 'server' })
  const graphqlPath = ['POST /graphql', 'GraphQL mutation']
  expect(collector.pathsTo(GRAPHQL_TRACE, 'POST test')).toEqual([[...graphqlPath, 'POST test']])
  expect(collector.pathsTo(GRAPHQL_TRACE, 'BEGIN')).toContainEqual([...graphqlPath, 'BEGIN'])
  const attempt = [...graphqlPath, 'POST webhook']
  expect(collector.pathsTo(GRAPHQL_TRACE, 'POST webhook')).toEqual([attempt, attempt])
  const route = 'POST /2024-03/one/crm/contacts'
  expect(collector.pathsTo(REST_TRACE, 'POST test')).toEqual([[route, 'POST test']])
  expect(collector.pathsTo(REST_TRACE, 'BEGIN')).toContainEqual([route, 'BEGIN'])
  expect(collector.pathsTo(REST_TRACE, 'POST webhook')).toEqual([[route, 'POST webhook']])
  const written = collector.spans.filter(({ name }) => name.includes('INSERT change_log.changes'))
  const parentsOf = written.filter(({ traceId }) => [GRAPHQL_TRACE, REST_TRACE].includes(traceId))
  expect(parentsOf.map(({ name }) => name)).toEqual([expect.stringContaining('INSERT crm_contacts'), expect.stringContaining('INSERT crm_contacts')])

  // The receiver continues the trace; the app, which is not the integrator's, gets no part of it.
  const attempts = collector.spans.filter(({ name }) => name === 'POST webhook')
  const sent = attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
  expect(receiver.received.map(({ headers }) => headers.traceparent).sort()).toEqual(sent.sort())
  expect(appHeaders.length).toBeGreaterThan(2)
  for (const headers of appHeaders)
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['traceparent']))

  // A sync is a trace of its own.
  const sync = collector.spans.find(({ name }) => name === 'sync crm/contacts')
  expect(sync).toMatchObject({ parentId: '', kind: 'internal' })
  expect(collector.pathsTo(sync?.traceId ?? '', 'GET test')).toContainEqual(['sync crm/contacts', 'GET test'])
})
