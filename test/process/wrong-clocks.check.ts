/** Hosts with a clock that is an hour off: every stored time follows the database clock. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase, readClock } from '../../src/store/database/database.ts'
import { type Receiver, startReceiver } from '../delivery/receiver.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { clockShiftOptions } from '../support/shifted-clock.ts'
import { defineWorkflow } from '../workflows/apps.ts'
import { openServices, type ServiceProcess, type Services } from './service-process.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Processes start and sync next to other tests. */
const POLL = { timeout: 200_000, interval: 50 }

let receiver: Receiver
let at: TestDatabase
let database: Database
let services: Services
beforeAll(async () => {
  receiver = await startReceiver()
})
beforeEach(async () => {
  at = await createTestDatabase()
  database = openDatabase({ url: at.url })
  services = await openServices(at.url)
})
afterEach(async () => {
  await services.close()
  await database.stop()
  await at.drop()
  receiver.clear()
})
afterAll(() => receiver.stop())

const send = async (
  { address }: ServiceProcess,
  method: string,
  path: string,
  { body, bearer = services.key, headers = {} }: SendOptions = {},
) => {
  const response = await fetch(address + path, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...headers,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: JSON.parse(await response.text()),
  }
}
interface SendOptions {
  readonly body?: object
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
}

const isReceived = (messageId: string): boolean =>
  receiver.received.some(({ id }) => id === messageId)

interface Span {
  readonly column: string
  readonly earliest: Date
  readonly latest: Date
}

/** Tables with rows before the service starts: migrations write them. */
const MIGRATED = ['_prisma_migrations', 'epochs']
/** Columns with times from an app or from a request. */
const FOREIGN = ['since', 'changed_from', 'changed_to']

/** The earliest and latest time of each non-empty timestamp column of the service's own tables. */
const readSpans = async (): Promise<readonly Span[]> => {
  const { prisma } = database
  const columns = await prisma.$queryRaw<{ schema: string; table: string; column: string }[]>`
    SELECT table_schema AS schema, table_name AS "table", column_name AS "column"
    FROM information_schema.columns JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE table_schema IN ('public', 'change_log') AND t.table_type = 'BASE TABLE'
      AND data_type = 'timestamp with time zone' AND table_name <> ALL (${MIGRATED})
      AND column_name <> ALL (${FOREIGN})
      AND (table_name !~ '^(accounting|crm|commerce)_' OR column_name IN ('created_at', 'updated_at'))`
  const spans: Span[] = []
  for (const { schema, table, column } of columns) {
    const [span] = await prisma.$queryRawUnsafe<{ earliest: Date | null; latest: Date | null }[]>(
      `SELECT min("${column}") AS earliest, max("${column}") AS latest FROM "${schema}"."${table}"`,
    )
    if (span?.earliest && span.latest)
      spans.push({ column: `${table}.${column}`, earliest: span.earliest, latest: span.latest })
  }
  return spans
}

/** Maximum distance into the future of an expiry or due time. */
const maxAheadMs = (column: string): number => {
  if (/\.(expires_at|old_secret_until)$/.test(column)) return DAY_MS
  return /\.(due_at|held_until|paused_until)$/.test(column) ? HOUR_MS / 2 : 0
}

/** Columns with times outside of two readings of the database clock, each with its range. */
const findWrong = (spans: readonly Span[], from: Date, to: Date): readonly string[] =>
  spans.flatMap(({ column, earliest, latest }) => {
    const isDay = maxAheadMs(column) === DAY_MS
    // The sandbox dates its initial events before its start.
    const earliestMs = column.startsWith('sandbox_') ? 0 : from.getTime() + (isDay ? DAY_MS : 0)
    const latestMs =
      to.getTime() + maxAheadMs(column) + (column.startsWith('sandbox_') ? MINUTE_MS : 0)
    const isWrong = earliest.getTime() < earliestMs || latest.getTime() > latestMs
    return isWrong ? [`${column}: ${earliest.toISOString()} to ${latest.toISOString()}`] : []
  })

describe.each([
  ['an hour ahead', HOUR_MS],
  ['an hour behind', -HOUR_MS],
])('a host whose clock is %s', (_how, shiftMs) => {
  test('writes no time of its own, and its tokens are valid on other hosts and theirs on it', async () => {
    const from = await readClock(database)
    const host = clockShiftOptions(shiftMs)
    const wrongWorker = await services.start('worker', host)
    const wrong = await services.start('api', host)
    const right = await services.start('api')
    const sendSuccessfully = async (method: string, path: string, options?: SendOptions) => {
      const response = await send(wrong, method, path, options)
      expect(response.status, JSON.stringify(response.body)).toBe(200)
      return response.body
    }

    const { userId } = await sendSuccessfully('POST', '/2023-12/users', {
      body: { username: 'harbour' },
    })
    for (const [issuer, verifier] of [[wrong, right] as const, [right, wrong] as const]) {
      const { body } = await send(issuer, 'GET', `/2023-12/user/${userId}/token`)
      const opened = await send(verifier, 'GET', `/2024-03/users/${userId}/credentials`, {
        bearer: body.token,
      })
      expect(opened.status, JSON.stringify(opened.body)).toBe(200)
    }

    // A new credential is due immediately.
    const connect = async (tenant: string): Promise<string> =>
      (
        await sendSuccessfully('POST', '/2024-03/headless/credentials', {
          body: { userId, app: 'sandbox', credential: { tenant, token: 'of its own' } },
        })
      ).credentialId
    const credentialId = await connect('harbour')
    const countContacts = async (): Promise<number> => {
      const path = `/2024-03/one/crm/contacts/count?credentialId=${credentialId}`
      return (await send(right, 'GET', path)).body.count
    }
    await expect.poll(countContacts, POLL).toBeGreaterThan(0)

    // A write with an Idempotency-Key, and a workflow that it triggers.
    const defined = await sendSuccessfully('PUT', '/2024-03/integrations', {
      body: {
        slug: 'contacts',
        name: 'Contacts',
        app: 'sandbox',
        workflows: [
          {
            slug: 'post',
            name: 'Post',
            definition: defineWorkflow(
              { app: 'sandbox', topic: 'crm/contacts', kinds: ['created'] },
              { post: { address: `${receiver.origin}/workflow` } },
            ),
          },
        ],
      },
    })
    const { integrationId } = defined.integration
    await sendSuccessfully('POST', `/2024-03/integrations/${integrationId}/secret`)
    const started = await sendSuccessfully('POST', '/2024-03/headless/startInstallation', {
      body: { userId, integrationId },
    })
    const { installationId } = started.data
    await sendSuccessfully('POST', '/2024-03/headless/completeInstallation', {
      body: { installationId, data: {} },
    })
    const write = () =>
      send(wrong, 'POST', `/2024-03/one/crm/contacts?credentialId=${credentialId}`, {
        body: { lastName: 'Noether' },
        headers: { 'idempotency-key': 'once' },
      })
    const [first, second] = [await write(), await write()]
    expect([first.status, second.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    await expect.poll(() => receiver.at('/workflow').length, POLL).toBeGreaterThan(0)

    // A test message is due immediately, for the worker with the wrong clock and for its successor.
    const subscribed = await sendSuccessfully('POST', '/2024-03/one/webhooks', {
      body: { address: `${receiver.origin}/hook`, topic: ['crm/contacts'] },
    })
    const { subscriptionId } = subscribed.subscription
    await sendSuccessfully('POST', `/2024-03/one/webhooks/${subscriptionId}/secret`)
    await sendSuccessfully('PUT', `/2024-03/one/webhooks/${subscriptionId}`, {
      body: { isOrdered: true },
    })
    const sendTest = async (): Promise<string> =>
      (await sendSuccessfully('POST', `/2024-03/one/webhooks/${subscriptionId}/test`)).messageId
    const tested = await sendTest()
    await expect.poll(() => isReceived(tested), POLL).toBe(true)

    const { data: key } = await sendSuccessfully('POST', '/2024-03/api-keys')
    await sendSuccessfully('GET', '/2024-03/one/users', { bearer: key.key })
    await sendSuccessfully('DELETE', `/2024-03/api-keys/${key.keyId}`)
    const deletedId = await connect('gone')
    await sendSuccessfully('DELETE', `/2024-03/users/${userId}/credentials/${deletedId}`)
    const asOf = async (ms: number): Promise<number> => {
      const time = new Date((await readClock(database)).getTime() + ms).toISOString()
      const path = `/2024-03/one/as-of?credentialId=${credentialId}&topic=crm/contacts&asOf=${time}`
      return (await send(wrong, 'GET', path)).status
    }
    expect([await asOf(0), await asOf(HOUR_MS / 2)]).toEqual([200, 400])

    await wrongWorker.end('SIGKILL')
    const left = await sendTest()
    // The last use of a key is written when the process stops.
    await wrong.end('SIGTERM')
    const to = await readClock(database)
    const spans = await readSpans()
    expect(findWrong(spans, from, to)).toEqual([])
    const seen = spans.map(({ column }) => column)
    for (const column of [
      'credentials.created_at',
      'sync_states.due_at',
      'sync_states.completed_at',
      'api_keys.revoked_at',
      'api_keys.last_used_at',
      'idempotent_requests.expires_at',
      'webhook_subscriptions.updated_at',
      'webhook_subscriptions.old_secret_until',
      'integrations.old_secret_until',
      'installed_workflows.active_since',
      'purges.due_at',
      'workflow_runs.finished_at',
      'signing_keys.created_at',
      'changes.at',
      'webhook_retries.due_at',
    ])
      expect(seen).toContain(column)

    await services.start('worker')
    await expect.poll(() => isReceived(left), POLL).toBe(true)
  }, 900_000)
})
