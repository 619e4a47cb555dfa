/** The migration runner: order, concurrency, failures and concurrent index builds. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { type MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import { Client, Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Log, silentLog } from '../../src/log.ts'
import type { LockLimits } from '../../src/store/database/apply-migration.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import '../../tools/schema-engine.ts' // loads Prisma's engine
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts'

const FIRST = '20260101000000_first'
const SECOND = '20260102000000_second'
let folder: string
let database: TestDatabase

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-migrations-'))
  database = await createEmptyDatabase()
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  await database.drop()
})

const write = async (name: string, sql: string) => {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'migration.sql'), sql)
}
const query = async (sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
const apply = (log?: Log, limits?: LockLimits) =>
  applyMigrations(database.url, {
    migrationsFolder: folder,
    ...(log && { log }),
    ...(limits && { limits }),
  })

/** Short, so that a test sees many attempts. */
const QUICK: LockLimits = {
  lockTimeoutMs: 400,
  firstPauseMs: 10,
  longestPauseMs: 20,
  totalMs: 60_000,
}

/** Runs statements in a transaction that stays open until `end`. */
const holdOpen = async (sql: string) => {
  const reader = new Client({ connectionString: database.url, application_name: 'a report' })
  reader.on('error', () => {}) // where the test fails before its `end`
  await reader.connect()
  await reader.query(`BEGIN; ${sql}`)
  const { rows } = await reader.query('SELECT pg_backend_pid() AS pid')
  return { pid: Number(rows[0].pid), end: () => reader.end() }
}

describe('migrations', () => {
  test('apply once, in the order of their names', async () => {
    await write(SECOND, 'ALTER TABLE a ADD COLUMN b int;')
    await write(FIRST, 'CREATE TABLE a (id int); INSERT INTO a VALUES (1);')
    expect(await apply()).toEqual({ applied: [FIRST, SECOND] })
    expect(await apply()).toEqual({ applied: [] })
    expect(await query('SELECT * FROM a')).toEqual([{ id: 1, b: null }])
  })

  test('report each migration with its position, and the wait for another process', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    const other = new Client({ connectionString: database.url })
    await other.connect()
    await other.query('SELECT pg_advisory_lock(72707369)')
    const messages: unknown[] = []
    const isWaiting = Promise.withResolvers<void>()
    const applying = apply({
      ...silentLog,
      info: ({ migration, place }: { migration?: string; place?: string }, message) => {
        messages.push([message, migration, place])
        isWaiting.resolve()
      },
    })
    await isWaiting.promise
    expect(messages).toEqual([
      ['waiting for the migrations of another process', undefined, undefined],
    ])
    await other.end()
    await applying
    expect(messages.slice(1)).toEqual([
      ['applying a migration', FIRST, '1 of 2'],
      ['applied a migration', FIRST, '1 of 2'],
      ['applying a migration', SECOND, '2 of 2'],
      ['applied a migration', SECOND, '2 of 2'],
    ])
  })

  test('added later are applied after the existing ones', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await apply()
    await write(SECOND, 'CREATE TABLE b (id int);')
    expect(await apply()).toEqual({ applied: [SECOND] })
  })

  test('are applied by exactly one of ten processes that start at the same time', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); INSERT INTO a VALUES (1);')
    await write(SECOND, 'INSERT INTO a VALUES (2);')
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => apply()))
    expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual([FIRST, SECOND])
    expect(await query('SELECT id FROM a ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('that fail leave nothing behind, name the line, and apply once they are fixed', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);\n\nINSERT INTO b VALUES (nothing);')
    await expect(apply()).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      migration: SECOND,
      message: `The migration ${SECOND} failed at line 3 and was rolled back: column "nothing" does not exist`,
    })
    expect(await query("SELECT to_regclass('a') IS NOT NULL AS a, to_regclass('b') AS b")).toEqual([
      { a: true, b: null },
    ])
    await write(SECOND, 'CREATE TABLE b (id int);')
    expect(await apply()).toEqual({ applied: [SECOND] })
  })

  test('that commit by themselves and then fail do not count as applied', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); COMMIT; SELECT nothing;')
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED', migration: FIRST })
  })

  test('are rejected when an applied one was changed, before anything is applied', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await apply()
    await write(FIRST, 'CREATE TABLE a (id bigint);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    await expect(apply()).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
      migration: FIRST,
      message: expect.stringContaining('was changed after it was applied'),
    })
    expect(await query("SELECT to_regclass('b') AS b")).toEqual([{ b: null }])
  })

  test('have the same checksum with any line endings', async () => {
    await write(FIRST, 'CREATE TABLE a (\n  id int\n);\n')
    await apply()
    await write(FIRST, 'CREATE TABLE a (\r\n  id int\r\n);\r\n')
    expect(await apply()).toEqual({ applied: [] })
  })

  test('are rejected when an applied one has no file', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    await apply()
    await rm(join(folder, FIRST), { recursive: true })
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_MISSING', migration: FIRST })
  })

  test('of a newer version that runs in parallel are ignored', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    await apply()
    await rm(join(folder, SECOND), { recursive: true })
    expect(await apply()).toEqual({ applied: [] })
  })

  test('that cannot lock a table let others pass, and apply once it is free', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); CREATE TABLE b (id int);')
    await apply()
    const reader = await holdOpen('SELECT FROM a')
    await write(SECOND, 'ALTER TABLE b ADD COLUMN c int; ALTER TABLE a ADD COLUMN b int;')
    const refusals: unknown[] = []
    const log = { ...silentLog, warn: (facts: object) => void refusals.push(facts) }
    const applying = apply(log, QUICK)
    await expect.poll(() => refusals.length).toBeGreaterThanOrEqual(3)
    // These wait behind the migration and then pass it.
    for (let n = 0; n < 5; n++) await query('INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)')
    await reader.end()
    expect(await applying).toEqual({ applied: [SECOND] })
    expect(await query('SELECT count(*)::int FROM a WHERE b IS NULL')).toEqual([{ count: 5 }])
    expect(refusals[0]).toMatchObject({
      migration: SECOND,
      attempt: 1,
      blockedBy: [{ pid: reader.pid, application: 'a report', state: 'idle in transaction' }],
    })
  })

  test('that never get their lock fail, name the lock holder, and leave nothing behind', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await apply()
    const reader = await holdOpen('SELECT FROM a')
    await write(SECOND, 'CREATE TABLE b (id int); DROP TABLE a;')
    await expect(apply(undefined, { ...QUICK, totalMs: 1_000 })).rejects.toMatchObject({
      code: 'MIGRATION_BLOCKED',
      migration: SECOND,
      message: expect.stringContaining(`backend ${reader.pid} (a report, idle in transaction`),
    })
    expect(await query("SELECT to_regclass('b') AS b")).toEqual([{ b: null }])
    await reader.end()
    expect(await apply()).toEqual({ applied: [SECOND] })
  })

  const INDEX = 'CREATE UNIQUE INDEX CONCURRENTLY "a_id" ON "a"("id");'
  const readIndexValidity = () =>
    query(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'a_id'::regclass`)

  test('build an index concurrently, once for ten processes', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); INSERT INTO a SELECT generate_series(1, 10000);')
    await write(SECOND, `-- By hand: the table is large.\n${INDEX}`)
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => apply()))
    expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual([FIRST, SECOND])
    expect(await readIndexValidity()).toEqual([{ valid: true }])
  })

  test('rebuild an index whose build was interrupted', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await apply()
    await write(SECOND, INDEX)
    // An older transaction holds up the build, which is then killed.
    const older = await holdOpen('INSERT INTO a VALUES (1)')
    const killed = apply()
    killed.catch(() => {})
    const kill = async () => {
      const rows = await query(`SELECT pg_terminate_backend(l.pid) FROM pg_locks l
        JOIN pg_stat_activity s USING (pid) WHERE NOT granted AND locktype = 'virtualxid'
        AND query LIKE 'CREATE UNIQUE%' AND datname = current_database()`)
      return rows.length
    }
    await expect.poll(kill).toBe(1)
    await expect(killed).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(await readIndexValidity()).toEqual([{ valid: false }])
    await older.end()
    expect(await apply()).toEqual({ applied: [SECOND] })
    expect(await readIndexValidity()).toEqual([{ valid: true }])
  })

  test('leave no index if its build fails', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); INSERT INTO a VALUES (1), (1);')
    await write(SECOND, INDEX)
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_FAILED', migration: SECOND })
    expect(await query("SELECT to_regclass('a_id') AS index")).toEqual([{ index: null }])
  })

  test('drop an index concurrently', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); CREATE INDEX a_id ON a (id);')
    await write(SECOND, 'DROP INDEX CONCURRENTLY "a_id";')
    expect(await apply()).toEqual({ applied: [FIRST, SECOND] })
    expect(await query("SELECT to_regclass('a_id') AS index")).toEqual([{ index: null }])
  })

  test('that mix a concurrent index build with other statements are rejected', async () => {
    await write(FIRST, `CREATE TABLE a (id int);\n${INDEX}`)
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_INVALID', migration: FIRST })
    expect(await query("SELECT to_regclass('a') AS a")).toEqual([{ a: null }])
  })

  test('of this repository are in the template of every test database', async () => {
    const migrated = await createTestDatabase()
    expect(await applyMigrations(migrated.url)).toEqual({ applied: [] })
    await migrated.drop()
  })
})

describe('Prisma’s own engine', () => {
  const nothing = { externalTables: [], externalEnums: [] }
  const withEngine = async <Result>(
    use: (engine: SchemaEngine, migrationsList: MigrationList) => Promise<Result>,
  ) => {
    const pool = new Pool({ connectionString: database.url })
    const engine = await SchemaEngine.new(
      { datamodels: undefined },
      () => {},
      bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool)),
    )
    const names = (await readdir(folder)).sort()
    const migrationDirectories = names.map(async (path) => {
      const sql = await readFile(join(folder, path, 'migration.sql'), 'utf8')
      const content = { tag: 'ok' as const, value: sql }
      return { path, migrationFile: { path: 'migration.sql', content } }
    })
    const lock = { path: 'migration_lock.toml', content: 'provider = "postgresql"' }
    try {
      return await use(engine, {
        baseDir: folder,
        lockfile: lock,
        shadowDbInitScript: '',
        migrationDirectories: await Promise.all(migrationDirectories),
      })
    } finally {
      engine.free()
      await pool.end() // its session holds the lock that both sides take
    }
  }

  test('considers the migrations applied here complete and unchanged', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE INDEX CONCURRENTLY a_id ON a (id);')
    await apply()
    const history = await withEngine((engine, migrationsList) =>
      engine.diagnoseMigrationHistory({
        migrationsList,
        optInToShadowDatabase: false,
        filters: nothing,
      }),
    )
    expect(history).toEqual({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    })
  })

  test('applies migrations that count as applied here', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    const { appliedMigrationNames } = await withEngine((engine, migrationsList) =>
      engine.applyMigrations({ migrationsList, filters: nothing }),
    )
    expect(appliedMigrationNames).toEqual([FIRST])
    expect(await apply()).toEqual({ applied: [] })
  })

  test('blocks further migrations here after it failed halfway', async () => {
    await write(FIRST, 'SELECT nothing;')
    await expect(
      withEngine((engine, migrationsList) =>
        engine.applyMigrations({ migrationsList, filters: nothing }),
      ),
    ).rejects.toThrow()
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED', migration: FIRST })
  })
})
