/** What a crash of PostgreSQL may do to the order of the change log: nothing that a reader would notice. */
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { applyChanges } from '../../src/store/apply-changes.ts'
import { endOfLog, readChanges } from '../../src/store/changes.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { startEmbeddedDatabase } from '../../src/store/embedded.ts'
import { ensureEnvironment } from '../../src/store/environments.ts'
import { applyMigrations } from '../../src/store/migrate.ts'
import { createLineWriter } from '../../src/store/record-lines.ts'
import { ensureUser } from '../../src/store/users.ts'
import { sampleRecord } from '../support/sample.ts'
import { endHosts, newDataDir, postmasterPid, silentLog } from './hosts.ts'

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

/** Tries again until PostgreSQL takes connections, and all that broke with it are gone. */
const whenUp = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (let tries = 0; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (tries === 1000) throw error
      await wait(20)
    }
}

/** Transactions that leave no trace but the number that they drew. @returns the server process of their session */
const rollBackSome = async (url: string): Promise<number> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  for (let n = 0; n < 20; n++) await client.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}

test.each([
  ['PostgreSQL', async (dataDir: string) => process.kill(await postmasterPid(dataDir), 'SIGKILL')],
  // As the kernel does that is out of memory: all others end with it, and the same PostgreSQL recovers.
  ['one of its server processes', async (_: string, pid: number) => process.kill(pid, 'SIGKILL')],
])(
  'a cursor misses nothing when %s is killed and draws transaction ids a second time',
  async (_name, kill) => {
    const dataDir = await newDataDir()
    const embedded = await startEmbeddedDatabase({ dataDir, log: silentLog })
    await applyMigrations(embedded.url)
    const database = openDatabase({ url: embedded.url })
    const environmentId = await prepareTenant(database)
    const write = (n: number) =>
      database.prisma.$transaction((transaction) =>
        applyChanges(
          transaction,
          { credentialId: CREDENTIAL, environmentId },
          accounts,
          [createLineWriter(accounts)(sampleRecord(CREDENTIAL, accounts, n))],
          { accept: 'newer' },
        ),
      )
    await write(1)
    let after = await endOfLog(database.prisma)
    for (const n of [2, 3, 4]) {
      const pid = await whenUp(() => rollBackSome(embedded.url))
      const from = after
      after = (await whenUp(() => readChanges(database.prisma, { after: from, limit: 10 }))).next
      await kill(dataDir, pid)
      await whenUp(() => write(n))
      const told = async () => {
        const page = await whenUp(() => readChanges(database.prisma, { after, limit: 10 }))
        return page.changes.map(({ record }) => JSON.parse(record ?? '').remoteId)
      }
      await expect.poll(told, { timeout: 30_000 }).toEqual([String(n)])
      after = await whenUp(() => endOfLog(database.prisma))
    }
    await database.stop()
    await embedded.stop()
  },
)
