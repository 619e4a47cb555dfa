/** Replay and live delivery without gaps or duplicates, also after failures. */
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { pruneChanges } from '../../src/store/changes/changes.ts'
import { openServer } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import {
  account,
  CREDENTIAL,
  type Subscribed,
  type SubscriptionHarness,
  type SubscriptionResult,
  startSubscriptionHarness,
  subscribe,
  type Transport,
  transports,
  untilFollowers,
  websiteOf,
} from './subscription-harness.ts'

const SECONDS = 1000
/** Minimum number of commits by 8 writers, however slow the machine. */
const MIN_COMMITS = 300
const QUERY =
  'subscription ($after: String) { crmAccounts(after: $after) { kind cursor record { remoteId website } } }'

let harness: SubscriptionHarness
let open: { stop(): void }[] = []
beforeAll(async () => {
  harness = await startSubscriptionHarness({ window: { changes: 200, bytes: 10_000_000 } })
})
afterEach(async () => {
  for (const subscribed of open) subscribed.stop()
  open = []
  await untilFollowers(harness, 0)
})
afterAll(() => harness.stop())

const start = (transport: Transport, after?: string, url = harness.url): Subscribed => {
  const variables = after === undefined ? {} : { after }
  const subscribed = subscribe(transport, { url, key: harness.tenant.key, query: QUERY, variables })
  open.push(subscribed)
  return subscribed
}

const endOfLog = async (): Promise<string> => {
  await untilLogReadable(harness.service)
  const response = await harness.service.rest(harness.tenant.key, '/changes?after=now')
  return response.json().nextCursor
}

/** Resumes as a client does: a change whose resolution was cut off ends the subscription. @returns the websites */
const followResuming = async (
  transport: Transport,
  after: string,
  count: number,
): Promise<readonly string[]> => {
  const received: SubscriptionResult[] = []
  while (received.length < count) {
    const last = received.at(-1)
    const subscribed = start(transport, last ? cursorOf(last) : after)
    await subscribed.until(count - received.length).catch(() => wait(20))
    received.push(...subscribed.received.filter(({ data }) => data?.crmAccounts))
    subscribed.stop()
  }
  return received.map(websiteOf)
}

const cursorOf = ({ data }: SubscriptionResult): string => data.crmAccounts.cursor
const write = (n: number, website: string) => harness.write([account(n, website)])

describe.each(transports)('over %s', (transport) => {
  test('replays missed changes first, then delivers new ones', async () => {
    const after = await endOfLog()
    // More than one page of the log.
    const rows = Array.from({ length: 450 }, (_, n) => account(n, `${transport} replayed`))
    await harness.write(rows)
    const subscribed = start(transport, after)
    await subscribed.until(450)
    for (let n = 0; n < 10; n++) await write(n, `${transport} live ${n}`)
    const received = await subscribed.until(460)
    expect(received.slice(450).map(websiteOf)).toEqual(
      Array.from({ length: 10 }, (_, n) => `${transport} live ${n}`),
    )
    const again = start(transport, cursorOf(received[454] as SubscriptionResult))
    expect((await again.until(5)).map(websiteOf)).toEqual(received.slice(455).map(websiteOf))
  })

  test('rejects an invalid cursor and an expired cursor with a specific code', async () => {
    const codeOf = async (after: string): Promise<string | undefined> => {
      const subscribed = start(transport, after)
      const [received] = await subscribed
        .until(1)
        .catch((errors) => [{ errors } as SubscriptionResult])
      return received?.errors?.[0]?.extensions.code
    }
    expect(await codeOf('x')).toBe('INVALID_CURSOR')
    const after = await endOfLog()
    await write(1, `${transport} long ago`)
    await write(1, `${transport} today`)
    await harness.service.database.prisma.$executeRaw`
      UPDATE change_log.changes SET at = at - interval '40 days'
      WHERE record->>'website' IS DISTINCT FROM ${`${transport} today`}`
    await untilLogReadable(harness.service)
    while ((await pruneChanges(harness.service.database, 30)) > 0);
    expect(await codeOf(after)).toBe('CURSOR_EXPIRED')
  })

  test('delivers the changes of 8 writers completely and once, although commits are out of order and the client keeps resuming', async () => {
    let after = await endOfLog()
    const committed: string[] = []
    const until = Date.now() + 6 * SECONDS
    const commitChanges = async (n: number): Promise<void> => {
      for (let round = 0; Date.now() < until || committed.length <= MIN_COMMITS; round++) {
        const website = `${transport}/${n}/${round}`
        const commits = (n + round) % 5 !== 0
        const { id, ...rest } = account(1000 + n)
        const written = harness.service.database.transaction(
          async (transaction) => {
            await transaction.prisma.$executeRaw`
              INSERT INTO change_log.changes
                (environment_id, credential_id, topic, kind, record_id, record)
              VALUES (${harness.tenant.environmentId}::uuid, ${CREDENTIAL}::uuid, 'crm/accounts',
                'updated', ${id}::uuid, ${JSON.stringify({ id, ...rest, website })}::json)`
            await wait((n * 7 + round * 13) % 23)
            if (!commits) throw new Error('rolled back')
            await transaction.prisma.$executeRaw`SELECT pg_notify('trunkline_changes', '')`
          },
          { timeoutMs: 60_000, maxWaitMs: 60_000 },
        )
        await written.catch((error: Error) => {
          if (error.message !== 'rolled back') throw error
        })
        if (commits) committed.push(website)
      }
    }
    const steady = start(transport, after)
    const resumed: string[] = []
    let isWriting = true
    const resume = async (): Promise<void> => {
      for (let turns = 0; isWriting; turns++) {
        const subscribed = start(transport, after)
        await Promise.race([subscribed.until(20 + turns), wait(700)])
        const received = [...subscribed.received]
        subscribed.stop()
        resumed.push(...received.map(websiteOf))
        after = received.length > 0 ? cursorOf(received.at(-1) as SubscriptionResult) : after
      }
    }
    const resuming = resume()
    await Promise.all(Array.from({ length: 8 }, (_, n) => commitChanges(n)))
    isWriting = false
    await resuming
    const last = start(transport, after)
    // The assertion below names a change that does not arrive in time.
    const late = wait(60 * SECONDS)
    await Promise.race([last.until(committed.length - resumed.length), late])
    await Promise.race([steady.until(committed.length), late])
    await wait(1200)
    resumed.push(...last.received.map(websiteOf))
    const expected = committed.toSorted()
    expect(expected.length).toBeGreaterThan(MIN_COMMITS)
    // Read from the table, so that a failure below shows whether a change was lost before or after the log.
    const logged = await harness.service.database.prisma.$queryRaw<{ website: string }[]>`
      SELECT record->>'website' AS website FROM change_log.changes
      WHERE record->>'website' LIKE ${`${transport}/%`}`
    expect(logged.map(({ website }) => website).toSorted()).toEqual(expected)
    expect(steady.received.map(websiteOf).toSorted()).toEqual(expected)
    expect(resumed.toSorted()).toEqual(expected)
  })
})

describe('after a failure', () => {
  test('delivers a change whose notification was lost', async () => {
    const subscribed = start('WebSocket')
    await untilFollowers(harness, 1)
    await untilLogReadable(harness.service)
    const { id, ...rest } = account(1)
    // This write sends no notification.
    await harness.service.database.prisma.$executeRaw`
      INSERT INTO change_log.changes (environment_id, credential_id, topic, kind, record_id, record)
      VALUES (${harness.tenant.environmentId}::uuid, ${CREDENTIAL}::uuid, 'crm/accounts', 'updated',
        ${id}::uuid, ${JSON.stringify({ id, ...rest, website: 'unannounced' })}::json)`
    await expect.poll(() => subscribed.received.map(websiteOf)).toContain('unannounced')
  })

  test('delivers everything although all database connections are cut again and again', async () => {
    const after = await endOfLog()
    const followers = transports.map((transport) => followResuming(transport, after, 5))
    const killer = new pg.Client({ connectionString: harness.service.url })
    await killer.connect()
    for (let round = 0; round < 5; round++) {
      await killer.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      await expect
        .poll(
          () =>
            write(3, `after cut ${round}`).then(
              () => true,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true)
    }
    await killer.end()
    const expected = Array.from({ length: 5 }, (_, round) => `after cut ${round}`)
    expect(await Promise.all(followers)).toEqual([expected, expected])
  })

  test('a change that cannot be resolved ends the subscription, and comes first after resuming', async () => {
    const after = await endOfLog()
    const subscribed = start('WebSocket', after)
    const next = start('SSE', after)
    await write(5, 'before')
    const [first] = await subscribed.until(1)
    await next.until(1)
    const { access } = harness.service
    const credential = vi.spyOn(access, 'credential')
    credential.mockRejectedValue(new Error('Connection terminated unexpectedly'))
    await write(5, 'unanswered')
    for (const { until, ended } of [subscribed, next]) {
      const [, last] = await until(2)
      expect(last?.errors).toMatchObject([{ extensions: { code: 'NOT_READY' } }])
      await ended
    }
    credential.mockRestore()
    await write(5, 'later')
    const resumed = start('WebSocket', cursorOf(first as SubscriptionResult))
    expect((await resumed.until(2)).map(websiteOf)).toEqual(['unanswered', 'later'])
  })

  test('a stopping process ends its subscriptions, and another resumes from the cursor', async () => {
    const other = await openServer(harness.service.url)
    const address = await other.server.listen({ port: 0, host: '127.0.0.1' })
    const after = await endOfLog()
    const socket = start('WebSocket', after, `${address}/graphql`)
    const events = start('SSE', after, `${address}/graphql`)
    await write(1, 'before the end')
    await socket.until(1)
    await events.until(1)
    const ended = Promise.allSettled([socket.ended, events.ended])
    await other.stop()
    const [ofSocket, ofEvents] = await ended
    expect(ofSocket).toMatchObject({ status: 'rejected', reason: { code: 1001 } })
    expect(ofEvents).toMatchObject({ status: 'rejected' })
    await write(1, 'after the end')
    const resumed = start('WebSocket', cursorOf(socket.received[0] as SubscriptionResult))
    expect((await resumed.until(1)).map(websiteOf)).toEqual(['after the end'])
  })
})
