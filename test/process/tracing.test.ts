/** Traces: one from the caller through the API, SQL and the app, and on to the webhook attempts of the change. */
import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { TEST_KEYS, testVault } from '../support/vault.ts'
import { openServices } from './service-process.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const START = 'http.server.request.start'

const key = generateApiKey('development')
const HEADERS = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
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
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '1000'
})
afterEach(async () => {
  // Stops the services that failed tests have left running.
  for (const shutdown of started.splice(0)) await shutdown.run()
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
  delete process.env.OTEL_RESOURCE_ATTRIBUTES
  delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT
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
    OTEL_BSP_SCHEDULE_DELAY: '100',
    LOG_FILE: join(folder, 'log'),
    ...variables,
  })

const started: Shutdown[] = []

/** Starts the service, with a credential of the app. */
const openService = async (variables?: Readonly<Record<string, string>>) => {
  const config = configOf(variables)
  const log = createLog(config, 'all')
  const shutdown = createShutdown({ log })
  started.push(shutdown)
  const stopTracing = config.tracing && (await startTracing(config.tracing, 'all', log))
  if (stopTracing) shutdown.add('traces', stopTracing)
  const { keys } = await loadEncryptionKeys(config)
  const connector = defineRolodexConnector(rolodex.url)
  const service = await startService(config, 'all', {
    keys,
    url: database.url,
    log,
    shutdown,
    connectors: new Map([[connector.app, connector]]),
  })
  const { address } = service
  const [environmentId] = service.firstStart.environmentIds
  const store = openDatabase({ url: database.url })
  const userId = await ensureUser(store, environmentId, 'user', 'User')
  const values = { secret: 'app-secret' }
  const owner = { environmentId, userId }
  const credentialId = await createCredential(store, testVault, { ...owner, connector, values })
  await store.stop()
  return {
    address,
    credentialId,
    userId,
    /** Sends a request that succeeds. */
    request: async (method: string, path: string, body: object, traceparent?: string) => {
      const response = await fetch(address + path, {
        method,
        headers: { ...HEADERS, ...(traceparent && { traceparent }) },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      expect(response.status, text).toBe(200)
      return JSON.parse(text)
    },
    stop: async (): Promise<void> => {
      started.splice(started.indexOf(shutdown), 1)
      await shutdown.run()
    },
  }
}

const nameSpan = () => ({ name: 'work' })
const CALLER = 'c'.repeat(16)
const traceparentOf = (traceId: string, flags = '01'): string => `00-${traceId}-${CALLER}-${flags}`
/** The caller's traces, one for each request. */
const [GRAPHQL, REST, WORKFLOW, STREAM, FAILED, UNSAMPLED] = ['1', '2', '3', '4', '5', '6'].map(
  (digit) => digit.repeat(32),
) as [string, string, string, string, string, string]

const CREATE = `mutation AddContact($id: ID!, $input: CrmContactInput!) {
  createCrmContact(credentialId: $id, input: $input) { contact { id lastName } userErrors { code } }
}`
const SECRETS = ['Noether', 'Galois', 'app-secret', 'hook-secret', 'token=', key]
const contactsOf = (credentialId: string): string =>
  `/2024-03/one/crm/contacts?credentialId=${credentialId}`

test('a write is one trace, from the caller through the API, SQL and the app to the webhook attempts', async () => {
  const { credentialId, request, stop } = await openService()
  const path = '/hook?token=hook-secret'
  await request('POST', '/2024-03/one/webhooks', {
    address: receiver.origin + path,
    topic: ['crm/contacts'],
  })
  receiver.behave(path, (response, received, place) =>
    status(place === 0 ? 503 : 204)(response, received, place),
  )
  const variables = { id: credentialId, input: { lastName: 'Noether' } }
  const graphql = { query: CREATE, variables }
  const { errors } = await request('POST', '/graphql', graphql, traceparentOf(GRAPHQL))
  expect(errors).toBeUndefined()
  const contact = { lastName: 'Galois' }
  await request('POST', contactsOf(credentialId), contact, traceparentOf(REST))
  await expect.poll(() => receiver.at(path).length).toBe(3)
  await stop()

  const first = collector.spans.find(({ traceId }) => traceId === GRAPHQL)
  expect(first?.resource).toMatchObject({
    'service.name': 'trunkline',
    'deployment.environment.name': 'test',
  })
  const operation = ['POST /graphql', 'GraphQL mutation']
  const route = ['POST /2024-03/one/crm/contacts']
  const write =
    'SELECT crm_contacts INSERT crm_contacts INSERT change_log.changes SELECT crm_accounts UPDATE record_totals INSERT change_totals'
  for (const [traceId, start, attempts] of [
    [GRAPHQL, operation, 2],
    [REST, route, 1],
  ] as const) {
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    const [server, ...others] = spans.filter(({ parentId }) => parentId === CALLER)
    expect([server?.name, server?.kind, others]).toEqual([start[0], 'server', []])
    for (const name of ['POST test', 'BEGIN', write, 'COMMIT'])
      expect(collector.pathsTo(traceId, name)).toEqual([[...start, name]])
    expect(collector.pathsTo(traceId, 'POST webhook')).toEqual(
      Array.from({ length: attempts }, () => [...start, 'POST webhook']),
    )
  }
  // The retry belongs to the trace too.
  const tried = collector.spans.filter(
    ({ traceId, name }) => traceId === GRAPHQL && name === 'POST webhook',
  )
  expect(tried.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([503, 204])
  expect(tried.map(({ isFailed }) => isFailed)).toEqual([true, false])

  // The receiver is the integrator's and can continue the trace. The app is not.
  const attempts = collector.spans.filter(({ name }) => name === 'POST webhook')
  expect(receiver.at(path).map(({ headers }) => headers.traceparent)).toEqual(
    expect.arrayContaining(attempts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)),
  )
  expect(appHeaders.length).toBeGreaterThan(2)
  for (const headers of appHeaders) expect(Object.keys(headers)).not.toContain('traceparent')
  for (const secret of SECRETS) expect(collector.text()).not.toContain(secret)

  const lines = (await readFile(join(folder, 'log'), 'utf8')).trim().split('\n')
  const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
  expect(requests.map(({ traceId }) => traceId)).toEqual(expect.arrayContaining([GRAPHQL, REST]))
})

test('a workflow run and its post belong to the trace of the change, a sync run is a trace of its own', async () => {
  const { credentialId, userId, request, stop } = await openService()
  const post = { address: `${receiver.origin}/workflow` }
  const when = { app: 'test', topic: 'crm/contacts' }
  // biome-ignore lint/suspicious/noThenProperty: the language's own word
  const definition = { when, then: { post } }
  const { integration } = await request('PUT', '/2024-03/integrations', {
    slug: 'trace',
    name: 'Trace',
    app: 'test',
    workflows: [{ slug: 'post', name: 'Post', definition }],
  })
  const { integrationId } = integration
  const installation = { userId, integrationId, credentialIds: [credentialId] }
  const start = '/2024-03/headless/startInstallation'
  const { data: started } = await request('POST', start, installation)
  const { installationId } = started
  await request('POST', '/2024-03/headless/completeInstallation', { installationId })
  const contact = { lastName: 'Noether' }
  await request('POST', contactsOf(credentialId), contact, traceparentOf(WORKFLOW))
  // Other posts are about records that the first sync has found.
  const findPostSpan = () =>
    receiver
      .at('/workflow')
      .map(({ headers }) => String(headers.traceparent))
      .filter((header) => header.includes(WORKFLOW))
  await expect.poll(() => findPostSpan().length).toBe(1)
  const listSyncSpans = () => collector.spans.filter(({ name }) => name === 'sync crm/contacts')
  await expect.poll(() => listSyncSpans().length).toBeGreaterThan(0)
  await stop()

  const route = 'POST /2024-03/one/crm/contacts'
  expect(collector.pathsTo(WORKFLOW, 'workflow run')).toEqual([[route, 'workflow run']])
  const run = collector.spans.find(
    ({ traceId, name }) => traceId === WORKFLOW && name === 'workflow run',
  )
  expect(findPostSpan()).toEqual([`00-${WORKFLOW}-${run?.spanId}-01`])
  const [sync] = listSyncSpans()
  expect(sync).toMatchObject({ parentId: '', kind: 'internal', isFailed: false })
  expect(collector.pathsTo(sync?.traceId ?? '', 'GET test')).toContainEqual([
    'sync crm/contacts',
    'GET test',
  ])
})

test('a failure is marked with its code; the events of a stream are not part of the trace of its request', async () => {
  const { address, credentialId, request, stop } = await openService()
  const unknown = { query: '{ crmContacts(credentialId: "x") { totalCount } }' }
  const failed = { ...HEADERS, traceparent: traceparentOf(FAILED) }
  const sent = { method: 'POST', headers: failed, body: JSON.stringify(unknown) }
  expect((await fetch(`${address}/graphql`, sent)).status).toBe(404)
  const headers = { ...HEADERS, accept: 'text/event-stream', traceparent: traceparentOf(STREAM) }
  const query =
    'subscription { crmContacts { cursor record { lastName account { accountName } } } }'
  const body = JSON.stringify({ query })
  const stream = await fetch(`${address}/graphql`, { method: 'POST', headers, body })
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  const readUntil = async (word: string): Promise<void> => {
    for (let read = ''; !read.includes(word); ) read += (await reader?.read())?.value ?? ''
  }
  for (const lastName of ['Noether', 'Galois']) {
    await request('POST', contactsOf(credentialId), { lastName })
    await readUntil(lastName)
  }
  await reader?.cancel()
  await expect.poll(() => collector.pathsTo(STREAM, 'POST /graphql').length).toBe(1)
  await stop()

  const listSpans = (id: string) => collector.spans.filter(({ traceId }) => traceId === id)
  const [operation] = listSpans(FAILED).filter(({ name }) => name === 'GraphQL query')
  expect(operation).toMatchObject({ isFailed: true })
  const [server] = listSpans(FAILED).filter(({ kind }) => kind === 'server')
  expect(server?.attributes['trunkline.error_code']).toBe('CREDENTIAL_NOT_FOUND')
  expect(collector.pathsTo(STREAM, 'GraphQL subscription').length).toBe(1)
  expect(listSpans(STREAM).filter(({ name }) => name.includes('change_log.changes'))).toEqual([])
  expect(listSpans(STREAM).length).toBeLessThan(6)
})

test('a trace that is not sampled is neither sent nor stored with the change', async () => {
  const { credentialId, request, stop } = await openService()
  const unsampled = traceparentOf(UNSAMPLED, '00')
  const contact = { lastName: 'Unsampled' }
  await request('POST', contactsOf(credentialId), contact, unsampled)
  await stop()
  expect(collector.spans.filter(({ traceId }) => traceId === UNSAMPLED)).toEqual([])
  const store = openDatabase({ url: database.url })
  // The credentials of earlier tests sync the contact too.
  const rows = await store.prisma.$queryRaw`
    SELECT traceparent FROM change_log.changes
    WHERE credential_id = ${credentialId}::uuid AND record->>'lastName' = 'Unsampled'`
  expect(rows).toEqual([{ traceparent: null }])
  await store.stop()
})

test('an unreachable collector is one line in the log, and does not delay a stop', async () => {
  await collector.stop()
  const lines: string[] = []
  const note = (_fields: object, message: string): void => void lines.push(message)
  const { tracing } = configOf()
  if (!tracing) throw new Error('Nothing is traced.')
  const log = { debug: note, info: note, warn: note, error: note }
  const stopTracing = await startTracing(tracing, 'all', log)
  for (let batch = 0; batch < 3; batch++) {
    // A full batch of spans is sent immediately.
    for (let span = 0; span < 512; span++) await trace(nameSpan, async () => {})
    await expect.poll(() => lines.length, { timeout: 30_000 }).toBe(1)
  }
  await trace(nameSpan, async () => {})
  const startedMs = performance.now()
  await stopTracing?.()
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect(lines).toEqual(['traces cannot be sent to the collector; they are lost'])
  expect(isTracing()).toBe(false)
  collector = await startCollector()
})

/** A module that notes every loaded module of OpenTelemetry, and reports one of them as missing. */
const writeHooks = async (
  isMissing: boolean,
): Promise<{ readonly url: string; list(): Promise<string> }> => {
  const [script, list] = [join(folder, `hooks-${isMissing}.mjs`), join(folder, `list-${isMissing}`)]
  await writeFile(list, '')
  await writeFile(
    script,
    `import { appendFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve: (name, context, next) => {
        if (${isMissing} && name === '@opentelemetry/sdk-trace')
          throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' })
        return next(name, context)
      },
      load: (url, context, next) => {
        if (url.includes('opentelemetry')) appendFileSync(${JSON.stringify(list)}, url + '\\n')
        return next(url, context)
      },
    })`,
  )
  return { url: pathToFileURL(script).href, list: () => readFile(list, 'utf8') }
}

test('without a collector, no module of OpenTelemetry is loaded', async () => {
  const { url, list } = await writeHooks(false)
  const services = await openServices(database.url)
  const hooks = { execArgv: ['--import', url] }
  for (const OTEL_EXPORTER_OTLP_ENDPOINT of ['', collector.endpoint]) {
    expect(await list()).toBe('')
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT }
    const service = await services.start('all', { ...hooks, env })
    await services.call(service.address, '/2024-03/one/users')
    expect(await service.end('SIGTERM')).toBe('0')
  }
  expect(await list()).toContain('sdk-trace')
  expect(collector.spans.map(({ name }) => name)).toContain('GET /2024-03/one/users')
  await services.close()
})

test('without the packages, the log names the command that installs them', async () => {
  const { url } = await writeHooks(true)
  const logFile = join(folder, 'log-without-packages')
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    LOG_FILE: logFile,
    PORT: '0',
  }
  const child = spawn(process.execPath, ['--import', url, CLI, 'serve'], { env })
  for await (const output of child.stdout) if (String(output).includes('ready')) break
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await readFile(logFile, 'utf8')).toMatch(/npm install .*@opentelemetry\/sdk-trace@\d/)
})

test.each([
  ['SELECT "public"."users"."id" FROM "public"."users" WHERE $1 = 1', 'SELECT users'],
  [
    '/* custom plan */ SELECT 1 FROM change_log.changes c -- from the log',
    'SELECT change_log.changes',
  ],
  [
    'WITH new AS MATERIALIZED (DELETE FROM a USING b) SELECT * FROM new JOIN c',
    'DELETE a SELECT c',
  ],
  ['INSERT INTO a (id) SELECT 1 FROM unnest($1) ON CONFLICT DO UPDATE SET b = 1', 'INSERT a'],
  ['UPDATE a SET b = $1 FROM c WHERE b IS DISTINCT FROM d FOR UPDATE OF c', 'UPDATE a SELECT c'],
  ["SELECT nextval('a')", 'SELECT'],
  ['COMMIT', 'COMMIT'],
])('the span of %s is named %s', (sql, summary) => {
  expect(summarize(sql)).toBe(summary)
})
