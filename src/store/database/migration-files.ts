/** Reads the files of `prisma/migrations` and decides how each is applied. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MigrationError } from './migration-error.ts'

/** One migration. */
export interface MigrationFile {
  readonly name: string
  readonly sql: string
  /** Set for an index that is built or dropped without a transaction and without blocking writes. */
  readonly concurrent: ConcurrentIndex | undefined
}

/** The index of a `CREATE INDEX CONCURRENTLY` or `DROP INDEX CONCURRENTLY`. */
export interface ConcurrentIndex {
  /** Schema-qualified name, as SQL. */
  readonly index: string
  readonly isCreated: boolean
}

const EXISTENCE: ReadonlySet<string> = new Set(['IF', 'NOT', 'EXISTS'])

/** The index of a statement, by its words; undefined if it is another statement, or names no index. */
const readIndex = (words: readonly string[], at: number): ConcurrentIndex | undefined => {
  const verb = words
    .slice(0, at - 1)
    .join(' ')
    .toUpperCase()
  const [index, on, table] = words
    .slice(at + 1)
    .filter((word) => !EXISTENCE.has(word.toUpperCase()))
  if (index === undefined) return
  if (verb === 'DROP' && on === undefined) return { index, isCreated: false }
  if (!/^CREATE(?: UNIQUE)?$/.test(verb) || on?.toUpperCase() !== 'ON' || table === undefined)
    return
  const [schema, name] = table.split('(', 1)[0]?.split('.') ?? []
  return { index: name === undefined ? index : `${schema}.${index}`, isCreated: true }
}

/** @throws MigrationError if the file has other statements: PostgreSQL rejects CONCURRENTLY in a transaction */
const readConcurrent = (name: string, sql: string): ConcurrentIndex | undefined => {
  const statement = sql.replace(/^\s*--.*$/gm, '').trim()
  const alone = statement.endsWith(';') ? statement.slice(0, -1) : statement
  const words = alone.split(/\s+/)
  const at = words.findIndex((word) => word.toUpperCase() === 'CONCURRENTLY')
  if (words[at - 1]?.toUpperCase() !== 'INDEX') return
  const found = alone.includes(';') ? undefined : readIndex(words, at)
  if (found) return found
  const explanation =
    'combines CREATE or DROP INDEX CONCURRENTLY, which runs outside a transaction, with other statements, or ' +
    'does not name the index. Move that statement into a migration of its own.'
  throw new MigrationError('MIGRATION_INVALID', name, explanation)
}

/** The migrations of a folder, sorted by name. @throws MigrationError MIGRATION_INVALID */
export const readMigrations = async (folder: string): Promise<MigrationFile[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, concurrent: readConcurrent(name, sql) }
    }),
  )
}

/** The valid checksums of a migration: of the text as it is, then of the text with either of Git's line endings. */
export const checksums = (sql: string): string[] => {
  const unix = sql.replaceAll('\r\n', '\n')
  return [sql, unix, unix.replaceAll('\n', '\r\n')].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  )
}
