/** A crash of PostgreSQL does not disturb the order of the change log for readers. */

import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { silentLog } from '../../src/log.ts'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { endOfLog, readChanges } from '../../src/store/changes/changes.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { startEmbeddedDatabase } from '../../src/store/database/embedded/embedded.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { sampleRecord } from '../support/sample.ts'
import { createDataDir, endHosts, readPostmasterPid } from './hosts.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const accounts = catalogue.get('crm/accounts')

afterEach(endHosts)

const prepareTenant = async (database: Database): Promise<string> => {
  const environmentId = await ensureEnvironment(database, 'Test', 'development')
  const userId = await ensureUser(database, environmentId, 'user', 'User')
  const credential = { id: CREDENTIAL, route: 'aaaaaaaa', environmentId, userId, app: 'test' }
  await database.prisma.credential.create({ data: { ...credential, values: {} } })
  return environmentId
}

/** Retries until PostgreSQL accepts connections and every broken connection is replaced. */
const retryUntilUp = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (let tries = 0; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (tries === 1000) throw error
      await wait(20)
    }
}

/** Transactions that only consume transaction ids. @returns the server process of their session */
const rollBackSome = async (url: string): Promise<number> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  for (let n = 0; n < 20; n++) await client.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}

test.each([
  [
    'PostgreSQL',
    async (dataDir: string) => process.kill(await readPostmasterPid(dataDir), 'SIGKILL'),
  ],
  // As the out-of-memory killer does: PostgreSQL ends all sessions and recovers.
  ['one of its server processes', async (_: string, pid: number) => process.kill(pid, 'SIGKILL')],
])(
  'a cursor misses nothing when %s is killed and transaction ids are assigned a second time',
  async (_name, kill) => {
    const dataDir = await createDataDir()
    const embedded = await startEmbeddedDatabase({ dataDir, log: silentLog })
    await applyMigrations(embedded.url)
    const database = openDatabase({ url: embedded.url })
    const environmentId = await prepareTenant(database)
    const write = (n: number) =>
      database.transaction((transaction) =>
        applyChanges(
          transaction,
          { credentialId: CREDENTIAL, environmentId },
          accounts,
          [createLineWriter(accounts)(sampleRecord(CREDENTIAL, accounts, n))],
          { accept: 'newer' },
        ),
      )
    await write(1)
    let after = await endOfLog(database)
    for (const n of [2, 3, 4]) {
      const pid = await retryUntilUp(() => rollBackSome(embedded.url))
      const from = after
      after = (await retryUntilUp(() => readChanges(database, { after: from, limit: 10 }))).next
      await kill(dataDir, pid)
      await retryUntilUp(() => write(n))
      const readRest = async () => {
        const page = await retryUntilUp(() => readChanges(database, { after, limit: 10 }))
        return page.changes.map(({ record }) => JSON.parse(record ?? '').remoteId)
      }
      await expect.poll(readRest, { timeout: 30_000 }).toEqual([String(n)])
      after = await retryUntilUp(() => endOfLog(database))
    }
    await database.stop()
    await embedded.stop()
  },
)
