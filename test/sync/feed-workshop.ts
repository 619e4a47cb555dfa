/** A database with credentials of the app with a feed, and an engine whose runs the test starts. */
import { syncKeysOf } from '../../src/definition/feed.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { acquireDueRuns } from '../../src/store/sync/claims.ts'
import type { SyncKey } from '../../src/store/sync/sync-key.ts'
import type { SyncContext } from '../../src/sync/active-run.ts'
import { runFeed } from '../../src/sync/feed-run.ts'
import { runSync } from '../../src/sync/run.ts'
import type { RunResult } from '../../src/sync/run-end.ts'
import { createTestDatabase } from '../support/database.ts'
import { type FeedApp, type FeedAppSync, feedConnector, startFeedApp } from '../support/feed-app.ts'
import { testVault } from '../support/vault.ts'
import { addUser } from './workshop.ts'
import { keepingLog, quickClient } from './workshop-log.ts'

export const FEED = 'feeds/changes'

export interface FeedWorkshop {
  readonly app: FeedApp
  readonly database: Database
  readonly log: ReturnType<typeof keepingLog>
  /** Replaces the connector. */
  use(sync: FeedAppSync): void
  /** A credential whose syncs have not run yet. */
  connect(): Promise<string>
  /** Runs everything that is due within an hour, until nothing is due at once. */
  poll(credentialId: string): Promise<readonly (RunResult & { readonly topic: string })[]>
  /** Takes the leases of all runs, as if their process had died. */
  kill(): Promise<void>
  close(): Promise<void>
}

export const openFeedWorkshop = async (): Promise<FeedWorkshop> => {
  const app = await startFeedApp()
  const { url, drop } = await createTestDatabase()
  const database = openDatabase({ url })
  const { prisma } = database
  const log = keepingLog()
  const client = createAppClient({ ...quickClient, allowPrivateAddresses: true })
  let connector = feedConnector()
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

  const runDue = async (keys: readonly SyncKey[]) => {
    const leases = keys.map((key) => ({ key, holder: crypto.randomUUID(), durationMs: 60_000 }))
    const acquired = await acquireDueRuns(database, leases)
    return Promise.all(
      acquired.map(async (run) => {
        const { topic } = run.lease.key
        const { signal } = new AbortController()
        const held = { ...run, acquiredMs: performance.now(), signal, release: () => {} }
        const result = await (topic === FEED ? runFeed : runSync)(contextOf(), held)
        return { ...result, topic }
      }),
    )
  }

  const wake = (credentialId: string) => prisma.$executeRaw`
    UPDATE sync_states SET due_at = clock_timestamp() WHERE credential_id = ${credentialId}::uuid
      AND due_at < clock_timestamp() + interval '1 hour' AND holder IS NULL`

  const listDue = (credentialId: string) => prisma.$queryRaw<SyncKey[]>`
    SELECT credential_id::text AS "credentialId", topic FROM sync_states
    WHERE credential_id = ${credentialId}::uuid AND due_at <= clock_timestamp()`

  return {
    app,
    database,
    log,
    use: (sync) => {
      connector = feedConnector(sync)
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
      const results: (RunResult & { readonly topic: string })[] = []
      await wake(credentialId)
      for (;;) {
        const due = await listDue(credentialId)
        if (due.length === 0) return results
        results.push(...(await runDue(due)))
      }
    },
    kill: async () => {
      await prisma.$executeRaw`
        UPDATE sync_states SET holder = NULL, held_until = NULL, due_at = clock_timestamp()
        WHERE holder IS NOT NULL`
    },
    close: async () => {
      await client.stop()
      await database.stop()
      await app.stop()
      await drop()
    },
  }
}
