import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils'
import { type MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg'
import { Client, Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyMigrations, type MigrationLog } from '../../src/store/migrate.ts'
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
const apply = (log?: MigrationLog) =>
  applyMigrations(database.url, { migrationsFolder: folder, ...(log && { log }) })

describe('migrations', () => {
  test('apply in the order of their names, and once', async () => {
    await write(SECOND, 'ALTER TABLE a ADD COLUMN b int;')
    await write(FIRST, 'CREATE TABLE a (id int); INSERT INTO a VALUES (1);')
    expect(await apply()).toEqual({ applied: [FIRST, SECOND] })
    expect(await apply()).toEqual({ applied: [] })
    expect(await query('SELECT * FROM a')).toEqual([{ id: 1, b: null }])
  })

  test('are told one by one, with their place, and so is a wait for another process', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    const other = new Client({ connectionString: database.url })
    await other.connect()
    await other.query('SELECT pg_advisory_lock(72707369)')
    const told: unknown[] = []
    const isWaiting = Promise.withResolvers<void>()
    const applying = apply({
      info: ({ migration, place }: { migration?: string; place?: string }, message) => {
        told.push([message, migration, place])
        isWaiting.resolve()
      },
    })
    await isWaiting.promise
    expect(told).toEqual([['waiting for the migrations of another process', undefined, undefined]])
    await other.end()
    await applying
    expect(told.slice(1)).toEqual([
      ['applying a migration', FIRST, '1 of 2'],
      ['applied a migration', FIRST, '1 of 2'],
      ['applying a migration', SECOND, '2 of 2'],
      ['applied a migration', SECOND, '2 of 2'],
    ])
  })

  test('that come later are added to those that are applied', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await apply()
    await write(SECOND, 'CREATE TABLE b (id int);')
    expect(await apply()).toEqual({ applied: [SECOND] })
  })

  test('are applied by exactly one of ten processes that start at once', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); INSERT INTO a VALUES (1);')
    await write(SECOND, 'INSERT INTO a VALUES (2);')
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => apply()))
    expect(outcomes.flatMap((outcome) => outcome.applied)).toEqual([FIRST, SECOND])
    expect(await query('SELECT id FROM a ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('that fail leave nothing of themselves, name the line, and apply once they are mended', async () => {
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

  test('that commit by themselves and then fail are not taken for applied', async () => {
    await write(FIRST, 'CREATE TABLE a (id int); COMMIT; SELECT nothing;')
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED', migration: FIRST })
  })

  test('are refused when an applied one was changed, before anything is applied', async () => {
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

  test('are the same whatever line ends Git has given them', async () => {
    await write(FIRST, 'CREATE TABLE a (\n  id int\n);\n')
    await apply()
    await write(FIRST, 'CREATE TABLE a (\r\n  id int\r\n);\r\n')
    expect(await apply()).toEqual({ applied: [] })
  })

  test('are refused when an applied one has no file', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    await apply()
    await rm(join(folder, FIRST), { recursive: true })
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_MISSING', migration: FIRST })
  })

  test('of a newer version that runs beside this one are let be', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
    await apply()
    await rm(join(folder, SECOND), { recursive: true })
    expect(await apply()).toEqual({ applied: [] })
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

  test('finds what we applied complete and unchanged', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    await write(SECOND, 'CREATE TABLE b (id int);')
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

  test('applies what we then find applied', async () => {
    await write(FIRST, 'CREATE TABLE a (id int);')
    const { appliedMigrationNames } = await withEngine((engine, migrationsList) =>
      engine.applyMigrations({ migrationsList, filters: nothing }),
    )
    expect(appliedMigrationNames).toEqual([FIRST])
    expect(await apply()).toEqual({ applied: [] })
  })

  test('that failed halfway keeps us from going on', async () => {
    await write(FIRST, 'SELECT nothing;')
    await expect(
      withEngine((engine, migrationsList) =>
        engine.applyMigrations({ migrationsList, filters: nothing }),
      ),
    ).rejects.toThrow()
    await expect(apply()).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED', migration: FIRST })
  })
})
