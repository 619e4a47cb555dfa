/** Applies one migration while a running service uses its tables. */

import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, DatabaseError } from 'pg'
import type { Log } from '../../log.ts'
import { type Blocker, type BlockerWatch, describeBlocker } from './blockers.ts'
import { MigrationError } from './migration-error.ts'
import { type ConcurrentIndex, checksums, type MigrationFile } from './migration-files.ts'
import { temporaryFailureOf } from './temporary-failure.ts'

/** Time limits for the locks of a migration. */
export interface LockLimits {
  /** Time that one statement waits for a lock. Later users of the table queue behind it. */
  readonly lockTimeoutMs: number
  /** Pause between two attempts; other transactions proceed meanwhile. It doubles from the first to the longest. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** Time for all attempts of one migration. */
  readonly totalMs: number
}

export const LOCK_LIMITS: LockLimits = {
  lockTimeoutMs: 2_000,
  firstPauseMs: 1_000,
  longestPauseMs: 15_000,
  totalMs: 600_000,
}

interface ApplyOptions {
  readonly client: Client
  readonly watch: BlockerWatch
  readonly log: Log
  readonly limits: LockLimits
}

/**
 * Applies a migration. If it cannot lock a table in time, it is rolled back and retried after a pause, so that
 * it never blocks other transactions for longer than the lock timeout.
 *
 * @throws MigrationError MIGRATION_FAILED, MIGRATION_BLOCKED, after a complete rollback
 */
export const applyMigration = async (
  { client, watch, log, limits }: ApplyOptions,
  file: MigrationFile,
): Promise<void> => {
  const { name, sql, concurrent } = file
  const deadlineMs = performance.now() + limits.totalMs
  let blockers: readonly Blocker[] = []
  for (let attempt = 1; ; attempt++) {
    const leftMs = Math.max(1, Math.round(deadlineMs - performance.now()))
    try {
      if (concurrent) return await applyConcurrently(client, file, concurrent, leftMs)
      return await applyInTransaction(client, file, limits.lockTimeoutMs)
    } catch (error) {
      if (temporaryFailureOf(error)?.reason !== 'contended')
        throw new MigrationError('MIGRATION_FAILED', name, explainFailure(error, sql), error)
      // A deadlock can end the attempt before the watch has seen a blocker.
      const latest = watch.take()
      if (latest.length > 0) blockers = latest
      const doubled = limits.firstPauseMs * 2 ** (attempt - 1)
      const pauseMs = Math.min(doubled, limits.longestPauseMs)
      if (performance.now() + pauseMs > deadlineMs)
        throw new MigrationError('MIGRATION_BLOCKED', name, explainBlock(blockers, limits), error)
      log.warn(
        { migration: name, attempt, blockedBy: blockers, retryInMs: pauseMs },
        'a migration could not lock a table in time; retrying',
      )
      await wait(pauseMs)
    }
  }
}

/** The statements that add the unfinished row of a migration, and that mark it as finished. */
const rowOf = (client: Client, { name, sql }: MigrationFile) => {
  const id = client.escapeLiteral(randomUUID())
  const values = [checksums(sql)[0] ?? '', name].map((value) => client.escapeLiteral(value))
  return {
    insert: `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at)
      VALUES (${id}, ${values.join(', ')}, clock_timestamp())`,
    finish: `UPDATE _prisma_migrations
      SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = ${id}`,
  }
}

const applyInTransaction = async (
  client: Client,
  file: MigrationFile,
  lockTimeoutMs: number,
): Promise<void> => {
  const { insert, finish } = rowOf(client, file)
  try {
    // Insert the unfinished row first: if the SQL commits by itself, a later failure is still recorded.
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${insert}`)
    await client.query(file.sql)
    await client.query(`${finish}; COMMIT`)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}) // the connection itself may be what failed
    throw error
  }
}

/**
 * Builds or drops an index without blocking writes to the table. The statement waits for every older
 * transaction and blocks none, so its limit is that of the whole migration. An interrupted build leaves an
 * invalid index, which is dropped and built again.
 */
const applyConcurrently = async (
  client: Client,
  file: MigrationFile,
  { index, isCreated }: ConcurrentIndex,
  lockTimeoutMs: number,
): Promise<void> => {
  const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${index}`
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`)
  try {
    await client.query(drop)
    if (isCreated) await client.query(file.sql)
    // Insert the row last: an interrupted build is not a failure that an operator has to resolve.
    const { insert, finish } = rowOf(client, file)
    await client.query(`BEGIN; ${insert}; ${finish}; COMMIT`)
  } catch (error) {
    // An invalid index slows every write, and an invalid unique index rejects duplicates.
    if (isCreated) await client.query(drop).catch(() => {})
    throw error
  } finally {
    await client.query('RESET lock_timeout').catch(() => {})
  }
}

const explainFailure = (error: unknown, sql: string): string => {
  if (!(error instanceof Error)) return 'failed'
  const position = error instanceof DatabaseError ? Number(error.position) : Number.NaN
  const line = Number.isNaN(position) ? '' : ` at line ${sql.slice(0, position).split('\n').length}`
  return `failed${line} and was rolled back: ${error.message}`
}

const explainBlock = (blockers: readonly Blocker[], { totalMs }: LockLimits): string => {
  const by = blockers.length > 0 ? `: ${blockers.map(describeBlocker).join(', ')}` : ''
  return `could not lock its tables within ${totalMs / 1000} s and was rolled back. Other transactions hold them${by}. End those transactions and start again.`
}
