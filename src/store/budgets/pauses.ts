/**
 * Pauses of requests after an app has limited their rate. Each process holds them in memory: a notification
 * announces a new one within milliseconds, and after a reconnect they are read again. A request that is sent
 * before the notification arrives is not held back, unless its app declares limits: then its statement reads the pause.
 */
import { Prisma } from '@prisma/client'
import type { Database, Queryable } from '../database/database.ts'
import type { PgListener } from '../database/pg-listener.ts'
import { expiresOn, nowSql, SCOPE_ROW } from './budget-sql.ts'

const { sql } = Prisma

const CHANNEL = 'trunkline_request_pauses'
const MAX_READ = 100_000

/** The pauses that this process knows. */
export interface Pauses {
  /** How long a pause of the key still lasts; 0: none. */
  remainingMs(key: string): number
  /** Adds a pause of this process, which is not stored yet. */
  note(key: string, ms: number): void
}

/** Stores a pause and notifies all processes. A longer one that is stored already stays. */
export const pauseRequests = async (
  { prisma }: Queryable,
  key: string,
  { ms, nowMs }: { readonly ms: number; readonly nowMs: number | undefined },
): Promise<void> => {
  await prisma.$queryRaw(sql`
    WITH clock AS (SELECT ${nowSql(nowMs)} AS now_ms), written AS (
      INSERT INTO request_budgets AS b (key, name, paused_until, expires_on)
      SELECT ${key}, ${SCOPE_ROW}, to_timestamp((now_ms + ${ms}::double precision) / 1000),
        ${expiresOn(sql`now_ms`, sql`${ms}::double precision`)} FROM clock
      ON CONFLICT (key, name) DO UPDATE SET paused_until = greatest(b.paused_until, excluded.paused_until),
        expires_on = greatest(b.expires_on, excluded.expires_on)
      RETURNING 1)
    SELECT pg_notify(${CHANNEL}, ${JSON.stringify({ key, ms })})::text FROM written`)
}

interface Pause {
  readonly key: string
  readonly ms: number
}

/** Lists the pauses that have not ended. */
const listPauses = ({ prisma }: Queryable): Promise<Pause[]> =>
  prisma.$queryRaw<Pause[]>(sql`
    SELECT key, extract(epoch FROM paused_until - clock_timestamp())::double precision * 1000 AS ms
    FROM request_budgets WHERE paused_until > clock_timestamp() LIMIT ${MAX_READ}`)

/** The dependencies of the pauses. */
export interface PausesOptions {
  readonly database: Database
  readonly pgListener: Pick<PgListener, 'on'>
  /** Receives the error of a failed read after a reconnect. */
  readonly onFailure: (error: unknown) => void
  /** Milliseconds of a clock that never goes back. Default: the process's. */
  readonly nowMs?: () => number
}

// A process forgets ended pauses when it knows this many.
const MAX_KNOWN = 10_000

/** Creates the pauses of a process. Call it before the listener starts, which reads those that are stored. */
export const createPauses = ({
  database,
  pgListener,
  onFailure,
  nowMs = () => performance.now(),
}: PausesOptions): Pauses => {
  const ends = new Map<string, number>()
  const remainingMs = (key: string): number => Math.max(0, (ends.get(key) ?? 0) - nowMs())
  const note = (key: string, ms: number): void => {
    if (ends.size >= MAX_KNOWN)
      for (const known of ends.keys()) if (remainingMs(known) === 0) ends.delete(known)
    ends.set(key, Math.max(ends.get(key) ?? 0, nowMs() + ms))
  }
  pgListener.on(
    CHANNEL,
    (payload) => {
      // Only pauseRequests writes to the channel.
      const { key, ms } = JSON.parse(payload) as Pause
      note(key, ms)
    },
    () => {
      listPauses(database).then((pauses) => {
        for (const { key, ms } of pauses) note(key, ms)
      }, onFailure)
    },
  )
  return { remainingMs, note }
}
