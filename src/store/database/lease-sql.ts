/**
 * Leases: a process owns a row for a limited time and renews it while it works, so that another process takes
 * over when it dies.
 *
 * A row has two columns for this: `holder`, the random id of one lease, and `held_until`, its expiry. Every
 * write under a lease states its holder (`isHeldBy`) and changes nothing once another process has taken over.
 * An expired lease that nobody has taken still belongs to its holder. All times are the database's.
 */
import { Prisma } from '@prisma/client'
import type { Database } from './database.ts'
import { msFromNow } from './time-sql.ts'

const { sql, raw, join } = Prisma

/** The primary key of a leased row: its values by name. */
export type LeaseKey = object

/** The right to work on one row. It ends when the row has another holder. */
export interface Lease<Key extends LeaseKey = LeaseKey> {
  readonly key: Key
  /** Random id of this lease, not of the process, which may acquire a row again that it has lost. */
  readonly holder: string
  readonly durationMs: number
}

/** A table whose rows are leased. */
export interface LeaseTable<Key extends LeaseKey> {
  readonly name: string
  /** Column and SQL type of each part of the primary key, in the lock order of statements. */
  readonly key: { readonly [Name in keyof Key & string]: readonly [column: string, type: string] }
  /**
   * Whether rows have a column `due_at`: when the next process may acquire them. It equals the expiry while a
   * row is held, so that a scan of the due rows reads no held ones.
   */
  readonly isScheduled: boolean
}

/** Another process has taken over the lease, or it has expired. Uncommitted work is discarded. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  readonly code = 'LEASE_LOST'
}

const keyOf = <Key extends LeaseKey>({ key }: LeaseTable<Key>) =>
  // The keys of a mapped type over Key are Key's names.
  (Object.entries(key) as [keyof Key & string, readonly [string, string]][]).map(
    ([name, [column, type]]) => ({ name, column, type }),
  )

/** Condition: the row has this key. */
export const isRow = <Key extends LeaseKey>(table: LeaseTable<Key>, key: Key): Prisma.Sql =>
  join(
    keyOf(table).map(({ name, column, type }) => sql`${raw(column)} = ${key[name]}::${raw(type)}`),
    ' AND ',
  )

/** Condition of every write under a lease: the row has its key and its holder. */
export const isHeldBy = <Key extends LeaseKey>(
  table: LeaseTable<Key>,
  { key, holder }: Pick<Lease<Key>, 'key' | 'holder'>,
): Prisma.Sql => sql`${isRow(table, key)} AND holder = ${holder}::uuid`

/** Condition: the row `alias` has a lease that has not expired. */
export const isHeld = (alias: string): Prisma.Sql =>
  sql`${raw(alias)}.held_until > clock_timestamp()`

/** Condition: the row `alias` can be acquired. */
export const isFree = (alias: string): Prisma.Sql =>
  sql`(${raw(alias)}.held_until IS NULL OR ${raw(alias)}.held_until <= clock_timestamp())`

/** Assignments that extend the lease of a row. */
export const renewed = <Key extends LeaseKey>(
  { isScheduled }: LeaseTable<Key>,
  durationMs: number,
): Prisma.Sql => {
  const end = msFromNow(durationMs)
  return sql`held_until = ${end}${isScheduled ? sql`, due_at = ${end}` : Prisma.empty}`
}

/** Assignments that give a free row to a holder, an SQL expression of type uuid. */
export const acquired = <Key extends LeaseKey>(
  table: LeaseTable<Key>,
  holder: Prisma.Sql,
  durationMs: number,
): Prisma.Sql => sql`holder = ${holder}, ${renewed(table, durationMs)}`

/** Assignments of an `ON CONFLICT DO UPDATE` that give a free row to the holder of the inserted one. */
export const TAKEN_OVER = sql`holder = excluded.holder, held_until = excluded.held_until`

/** Assignments that end a lease. The statement also sets `due_at` if the table has it. */
export const RELEASED = sql`holder = NULL, held_until = NULL`

/** Extends leases in one statement. @returns the holders whose leases were not taken over */
export const renewLeases = async <Key extends LeaseKey>(
  { prisma }: Database,
  table: LeaseTable<Key>,
  leases: readonly Lease<Key>[],
): Promise<ReadonlySet<string>> => {
  const durationMs = Math.max(...leases.map((lease) => lease.durationMs))
  const key = keyOf(table)
  const columns = raw(key.map(({ column }) => column).join(', '))
  const values = key.map(
    ({ name, type }) => sql`${leases.map((lease) => lease.key[name])}::${raw(type)}[]`,
  )
  const isSame = raw(key.map(({ column }) => `t.${column} = h.${column}`).join(' AND '))
  // Rows are locked in the order of their keys, which prevents deadlocks.
  const rows = await prisma.$queryRaw<{ holder: string }[]>(sql`
    WITH held AS MATERIALIZED (
      SELECT ${columns}, t.holder FROM ${raw(table.name)} t
      JOIN unnest(${join(values)}, ${leases.map(({ holder }) => holder)}::uuid[])
        AS l(${columns}, holder) USING (${columns}, holder)
      ORDER BY ${columns} FOR UPDATE OF t
    )
    UPDATE ${raw(table.name)} t SET ${renewed(table, durationMs)}
    FROM held h WHERE ${isSame}
    RETURNING h.holder::text AS holder`)
  return new Set(rows.map(({ holder }) => holder))
}
