/** The database, brought to the schema of this version: each migration once, in order. */
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, DatabaseError } from 'pg'

const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))
const PRISMA_LOCK = 72707369 // the advisory lock of Prisma's schema engine: `prisma migrate` waits for us
// Word for word what Prisma's schema engine makes.
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

/** Why the database could not be brought to this program's schema. */
export type MigrationErrorCode =
  | 'MIGRATION_FAILED' // its SQL failed and was rolled back
  | 'MIGRATION_UNFINISHED' // an earlier run, of Prisma's, failed in the middle of it
  | 'MIGRATION_CHANGED' // its file is not the one that was applied
  | 'MIGRATION_MISSING' // it was applied, and there is no file of it here

/** A migration that cannot be applied, or one that was and does not agree with the files. */
export class MigrationError extends Error {
  readonly code: MigrationErrorCode
  readonly migration: string
  override readonly name = 'MigrationError'

  constructor(code: MigrationErrorCode, migration: string, explanation: string, cause?: unknown) {
    super(`The migration ${migration} ${explanation}`, { cause })
    this.code = code
    this.migration = migration
  }
}

/** Where the steps are told: a migration may take hours, and one that waits for another process as long. */
export interface MigrationLog {
  info(facts: object, message: string): void
}

interface MigrationFile {
  readonly name: string
  readonly sql: string
}
interface MigrationRow {
  readonly migration_name: string
  readonly checksum: string
  readonly finished_at: Date | null
}

/**
 * Brings a database to this program's schema: applies what `prisma/migrations` holds and the database
 * lacks, in the order of the names, each in one transaction. Any number of processes may do this at
 * once: one applies, the others wait and find it done. The books are Prisma's own, so `prisma migrate`
 * and this agree.
 *
 * @throws Error if the database cannot be reached
 * @throws MigrationError before anything is applied if what was applied earlier does not agree with the
 *   files; after a migration that failed, those before it stay applied
 */
export const applyMigrations = async (
  url: string,
  {
    migrationsFolder = MIGRATIONS_FOLDER,
    log = { info() {} },
  }: { readonly migrationsFolder?: string; readonly log?: MigrationLog } = {},
): Promise<{ readonly applied: readonly string[] }> => {
  const files = await readMigrations(migrationsFolder)
  const client = new Client({ connectionString: url })
  client.on('error', () => {}) // a lost connection fails the query under way; alone it would end us
  await client.connect().catch((error: unknown) => {
    throw new Error(`The database at ${nameOf(url)} cannot be reached: ${explain(error)}.`, {
      cause: error,
    })
  })
  try {
    // A migration takes the time it takes, whatever limit the server sets for requests.
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await takeLock(client, log)
    await client.query(PRISMA_TABLE)
    const { rows } = await client.query<MigrationRow>(
      `SELECT migration_name, checksum, finished_at FROM _prisma_migrations
       WHERE rolled_back_at IS NULL ORDER BY migration_name`,
    )
    checkHistory(rows, files)
    const done = new Set(rows.map((row) => row.migration_name))
    const missing = files.filter((file) => !done.has(file.name))
    for (const [index, file] of missing.entries()) {
      const facts = { migration: file.name, place: `${index + 1} of ${missing.length}` }
      log.info(facts, 'applying a migration')
      const startedMs = performance.now()
      await applyMigration(client, file)
      const tookMs = Math.round(performance.now() - startedMs)
      log.info({ ...facts, tookMs }, 'applied a migration')
    }
    return { applied: missing.map((file) => file.name) }
  } finally {
    await client.end() // and with it the lock
  }
}

const takeLock = async (client: Client, log: MigrationLog): Promise<void> => {
  const { rows } = await client.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(${PRISMA_LOCK}) AS taken`,
  )
  if (rows[0]?.taken) return
  log.info({}, 'waiting for the migrations of another process')
  await client.query(`SELECT pg_advisory_lock(${PRISMA_LOCK})`)
}

/** Where it is, without who asks: `127.0.0.1:5432/trunkline`. */
const nameOf = (url: string): string => {
  const { host, pathname } = new URL(url)
  return host + pathname
}

// Of several addresses of one name Node says what became of each, and nothing of all.
const explain = (error: unknown): string =>
  error instanceof AggregateError
    ? error.errors.map(explain).join('; ')
    : error instanceof Error
      ? error.message
      : String(error)

const readMigrations = async (folder: string): Promise<MigrationFile[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      sql: await readFile(join(folder, name, 'migration.sql'), 'utf8'),
    })),
  )
}

const checkHistory = (rows: readonly MigrationRow[], files: readonly MigrationFile[]): void => {
  const filesByName = new Map(files.map((file) => [file.name, file]))
  const newest = files.at(-1)?.name ?? ''
  for (const { migration_name: name, checksum, finished_at } of rows) {
    if (finished_at === null) {
      const explanation =
        'failed earlier and may be half applied. Bring the schema in order by hand, then tell Prisma: ' +
        `prisma migrate resolve --applied ${name} (or --rolled-back).`
      throw new MigrationError('MIGRATION_UNFINISHED', name, explanation)
    }
    const file = filesByName.get(name)
    if (file === undefined) {
      // A newer version of ours runs beside this one, as in every rolling upgrade: its additions are not our concern.
      if (name > newest) continue
      const explanation = 'is applied in the database, but its file is missing. Restore the file.'
      throw new MigrationError('MIGRATION_MISSING', name, explanation)
    }
    if (!checksums(file.sql).includes(checksum)) {
      const explanation =
        'was changed after it was applied. Restore its file, and put the change into a new migration.'
      throw new MigrationError('MIGRATION_CHANGED', name, explanation)
    }
  }
}

const applyMigration = async (client: Client, { name, sql }: MigrationFile): Promise<void> => {
  const id = randomUUID()
  await client.query('BEGIN')
  try {
    // First the row, unfinished: if the SQL commits on its own, a failure after that is not lost.
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at)
       VALUES ($1, $2, $3, clock_timestamp())`,
      [id, checksums(sql)[0], name],
    )
    await client.query(sql)
    await client.query(
      `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1
       WHERE id = $1`,
      [id],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}) // the connection itself may be what failed
    throw new MigrationError('MIGRATION_FAILED', name, `failed${explainFailure(error, sql)}`, error)
  }
}

/** Of the text as it is, then with the line ends of the other systems: Git may have changed them. */
const checksums = (sql: string): string[] => {
  const unix = sql.replaceAll('\r\n', '\n')
  return [sql, unix, unix.replaceAll('\n', '\r\n')].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  )
}

const explainFailure = (error: unknown, sql: string): string => {
  if (!(error instanceof Error)) return ''
  const position = error instanceof DatabaseError ? Number(error.position) : Number.NaN
  const line = Number.isNaN(position) ? '' : ` at line ${sql.slice(0, position).split('\n').length}`
  return `${line} and was rolled back: ${error.message}`
}
