/** Migrates the database to the schema of this version: each migration once, in order. */

import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { type Log, silentLog } from '../../log.ts'
import { applyMigration, LOCK_LIMITS, type LockLimits } from './apply-migration.ts'
import { watchBlockers } from './blockers.ts'
import { MigrationError } from './migration-error.ts'
import { checksums, type MigrationFile, readMigrations } from './migration-files.ts'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))
const PRISMA_LOCK = 72707369 // the advisory lock of Prisma's schema engine, so `prisma migrate` waits for this
const LOCK_POLL_MS = 500
// Identical to the table that Prisma's schema engine creates.
const PRISMA_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`

interface MigrationRow {
  readonly migration_name: string
  readonly checksum: string
  readonly finished_at: Date | null
}

export interface MigrateOptions {
  readonly migrationsFolder?: string
  readonly log?: Log
  readonly limits?: LockLimits
  /** Receives the number of pending migrations, if there are any, before the first is applied. */
  readonly onPending?: (count: number) => void
}

/** The migrations that are not applied. @throws MigrationError if the applied ones do not match the files */
const findMissing = async (
  client: Client,
  files: readonly MigrationFile[],
): Promise<readonly MigrationFile[]> => {
  const { rows } = await client.query<MigrationRow>(
    `SELECT migration_name, checksum, finished_at FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  )
  checkHistory(rows, files)
  const done = new Set(rows.map((row) => row.migration_name))
  return files.filter((file) => !done.has(file.name))
}

/**
 * The names of the pending migrations of `prisma/migrations`; all of them in a database without any.
 * @throws MigrationError if the applied ones do not match the files
 */
export const pendingMigrations = async (client: Client): Promise<readonly string[]> => {
  const files = await readMigrations(MIGRATIONS_FOLDER)
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  )
  const missing = rows[0]?.exists ? await findMissing(client, files) : files
  return missing.map(({ name }) => name)
}

/**
 * Applies the pending migrations of `prisma/migrations`, in the order of their names. Each runs in one
 * transaction, except an index that is built concurrently. Any number of processes may call this at the same
 * time: one applies, the others wait. An older version may keep serving. The history is kept in Prisma's
 * table, so this function and `prisma migrate` agree.
 *
 * @throws Error if the database cannot be reached
 * @throws MigrationError before applying anything if the applied migrations do not match the files; if a
 *   migration fails, the ones before it stay applied
 */
export const applyMigrations = async (
  url: string,
  {
    migrationsFolder = MIGRATIONS_FOLDER,
    log = silentLog,
    limits = LOCK_LIMITS,
    onPending,
  }: MigrateOptions = {},
): Promise<{ readonly applied: readonly string[] }> => {
  const files = await readMigrations(migrationsFolder)
  const client = new Client({ connectionString: url, application_name: 'trunkline-migrations' })
  client.on('error', () => {}) // a lost connection fails the current query; an unhandled event ends the process
  await client.connect().catch((error: unknown) => {
    throw new Error(`The database at ${nameOf(url)} cannot be reached: ${explain(error)}.`, {
      cause: error,
    })
  })
  try {
    // Migrations have no time limit, whatever the server sets for other statements.
    // A migration lost in a crash of the machine is applied again: later commits of the service wait for it too.
    await client.query(
      'SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET synchronous_commit = off',
    )
    await takeLock(client, log)
    await client.query(PRISMA_TABLE)
    const missing = await findMissing(client, files)
    if (missing.length > 0) {
      onPending?.(missing.length)
      await applyMissing({ client, url, log, limits }, missing)
    }
    return { applied: missing.map((file) => file.name) }
  } finally {
    await client.end() // also releases the lock
  }
}

interface MissingOptions {
  readonly client: Client
  readonly url: string
  readonly log: Log
  readonly limits: LockLimits
}

const applyMissing = async (
  { client, url, log, limits }: MissingOptions,
  missing: readonly MigrationFile[],
): Promise<void> => {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const watch = await watchBlockers(url, rows[0]?.pid ?? 0)
  try {
    for (const [index, file] of missing.entries()) {
      const facts = { migration: file.name, place: `${index + 1} of ${missing.length}` }
      log.info(facts, 'applying a migration')
      const startedMs = performance.now()
      await applyMigration({ client, watch, log, limits }, file)
      const tookMs = Math.round(performance.now() - startedMs)
      log.info({ ...facts, tookMs }, 'applied a migration')
    }
  } finally {
    await watch.stop()
  }
}

// Not `pg_advisory_lock`: a waiting statement keeps its snapshot, and a concurrent index build by the lock's
// owner would wait for that snapshot.
const takeLock = async (client: Client, log: Log): Promise<void> => {
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${PRISMA_LOCK}) AS taken`,
    )
    if (rows[0]?.taken) return
    if (isFirst) log.info({}, 'waiting for the migrations of another process')
    await wait(LOCK_POLL_MS)
  }
}

/** A database URL without credentials: `127.0.0.1:5432/trunkline`. */
const nameOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return host + pathname
}

// If a host name has several addresses, Node's AggregateError has a message only for each address.
const explain = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(explain).join('; ')
    : error instanceof Error
      ? error.message
      : String(error)

const checkHistory = (rows: readonly MigrationRow[], files: readonly MigrationFile[]): void => {
  const filesByName = new Map(files.map((file) => [file.name, file]))
  const newest = files.at(-1)?.name ?? ''
  for (const { migration_name: name, checksum, finished_at } of rows) {
    if (finished_at === null) {
      const explanation =
        'failed earlier and may be partly applied. Repair the schema by hand, then run ' +
        `prisma migrate resolve --applied ${name} (or --rolled-back).`
      throw new MigrationError('MIGRATION_UNFINISHED', name, explanation)
    }
    const file = filesByName.get(name)
    if (file === undefined) {
      // A newer version of the service runs at the same time (rolling upgrade). Its migrations are ignored.
      if (name > newest) continue
      const explanation = 'is applied in the database, but its file is missing. Restore the file.'
      throw new MigrationError('MIGRATION_MISSING', name, explanation)
    }
    if (!checksums(file.sql).includes(checksum)) {
      const explanation =
        'was changed after it was applied. Restore its file and add a new migration for the change.'
      throw new MigrationError('MIGRATION_CHANGED', name, explanation)
    }
  }
}
