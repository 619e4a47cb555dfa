/** A database with credentials of the app with a feed, and an engine whose runs the test starts. */
import { setTimeout } from 'node:timers/promises'
import { syncKeysOf } from '../../src/definition/feed.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { LeaseLostError } from '../../src/store/database/lease-sql.ts'
import { acquireDueRuns } from '../../src/store/sync/claims.ts'
import type { SyncKey } from '../../src/store/sync/sync-key.ts'
import type { SyncContext } from '../../src/sync/active-run.ts'
import { runFeed } from '../../src/sync/feed-run.ts'
import { runSync } from '../../src/sync/run.ts'
import type { RunResult } from '../../src/sync/run-end.ts'
import { createSync, type Sync } from '../../src/sync/schedule.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  defineFeedConnector,
  type FeedApp,
  type FeedAppSync,
  startFeedApp,
} from '../support/feed-app.ts'
import { testVault } from '../support/vault.ts'
import { createRecordingLog, quickClient } from './recording-log.ts'
import { addUser } from './sync-harness.ts'

export const FEED = 'feeds/changes'

export interface FeedHarness {
  readonly app: FeedApp
  readonly database: Database
  readonly log: ReturnType<typeof createRecordingLog>
  /** Replaces the connector. */
  use(sync: FeedAppSync): void
  /** A credential whose syncs have not run yet. */
  connect(): Promise<string>
  /** Runs everything that is due within an hour, one after another by topic, until nothing is due at once. */
  poll(credentialId: string): Promise<void>
  /** An engine that schedules its runs itself. */
  engine(): Sync
  /** Takes the leases of all runs, as if their process had died. */
  kill(): Promise<void>
  close(): Promise<void>
}

export const openFeedHarness = async (): Promise<FeedHarness> => {
  const app = await startFeedApp()
  const { url, drop } = await createTestDatabase()
  const database = openDatabase({ url })
  const { prisma } = database
  const log = createRecordingLog()
  const client = createAppClient({ ...quickClient, allowPrivateAddresses: true })
  const engines: Sync[] = []
  let connector = defineFeedConnector()
  const contextOf = (): SyncContext => ({
    database,
    connectors: new Map([['fake', connector]]),
    appClient: client,
    log,
    loadCredential: (id) => readCredential(database, testVault, id),
    intervalMs: 1000,
    confirmAfterMs: 0,
    sliceMs: 60_000,
    limits: { maxRecords: Infinity, maxBytes: Infinity },
    onRun: undefined,
    inBackground: () => {},
  })

  /** Runs one sync; undefined if it is not due. */
  const run = async (key: SyncKey): Promise<RunResult | undefined> => {
    const lease = { key, holder: crypto.randomUUID(), durationMs: 60_000 }
    const [acquired] = await acquireDueRuns(database, [lease])
    if (!acquired) return
    const { signal } = new AbortController()
    const held = { ...acquired, acquiredMs: performance.now(), signal, release: () => {} }
    try {
      return await (key.topic === FEED ? runFeed : runSync)(contextOf(), held)
    } catch (error) {
      // Another process took over the lease of the run; the scheduler logs that.
      if (error instanceof LeaseLostError) return { outcome: 'lost' }
      throw error
    }
  }

  const makeDue = (credentialId: string) => prisma.$executeRaw`
    UPDATE sync_states SET due_at = clock_timestamp() WHERE credential_id = ${credentialId}::uuid
      AND due_at < clock_timestamp() + interval '1 hour' AND holder IS NULL`

  // Due times are rounded to milliseconds, so that `now` may be due a moment later.
  const ROUNDING_MS = 2

  const listDue = async (credentialId: string) => {
    await setTimeout(ROUNDING_MS)
    return prisma.$queryRaw<SyncKey[]>`
    SELECT credential_id::text AS "credentialId", topic FROM sync_states
    WHERE credential_id = ${credentialId}::uuid AND due_at <= clock_timestamp() ORDER BY topic`
  }

  return {
    app,
    database,
    log,
    use: (sync) => {
      connector = defineFeedConnector(sync)
    },
    connect: async () => {
      const { environmentId, userId } = await addUser(database)
      const id = crypto.randomUUID()
      await prisma.credential.create({
        data: {
          id,
          route: id.slice(0, 8),
          environmentId,
          userId,
          app: 'fake',
          values: { url: app.url },
          syncStates: { create: syncKeysOf(connector).map((topic) => ({ topic })) },
        },
      })
      return id
    },
    poll: async (credentialId) => {
      await makeDue(credentialId)
      for (;;) {
        const [next] = await listDue(credentialId)
        if (!next || !(await run(next))) return
      }
    },
    engine: () => {
      const engine = createSync({ ...contextOf(), vault: testVault })
      engines.push(engine)
      return engine
    },
    kill: async () => {
      await prisma.$executeRaw`
        UPDATE sync_states SET holder = NULL, held_until = NULL, due_at = clock_timestamp()
        WHERE holder IS NOT NULL`
    },
    close: async () => {
      for (const engine of engines) await engine.stop()
      await client.stop()
      await database.stop()
      await app.stop()
      await drop()
    },
  }
}
