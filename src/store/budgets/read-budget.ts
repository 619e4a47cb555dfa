/** Reads what is left of the limits of a credential. */
import { Prisma } from '@prisma/client'
import type { CountedLimits, CountedWindow } from '../../definition/counted-limits.ts'
import { PURPOSES, type RequestPurpose } from '../../definition/request-limits.ts'
import type { Queryable } from '../database/database.ts'
import { PLACES, rowsOf, SCOPE_ROW, stateSql } from './budget-sql.ts'

const { sql, raw } = Prisma

/** What was spent: by purpose, and outside of this service as far as the app reports it. */
export type SpentOn = Readonly<Record<RequestPurpose | 'other', number>>

/** A limit and what is left of it. */
export interface RemainingWindow extends CountedWindow {
  readonly knownMax: number
  readonly spent: number
  readonly spentOn: SpentOn
  /** When everything that was spent is available again, ISO 8601; null: nothing was spent. */
  readonly resetsAt: string | null
}

/** What is left of the limits of a credential. */
export interface RemainingBudget {
  readonly windows: readonly RemainingWindow[]
  /** Until when the app accepts no request, ISO 8601; null: it does. */
  readonly pausedUntil: string | null
  /** Requests in flight of all processes. */
  readonly inFlight: number
}

interface Row {
  readonly key: string
  readonly name: string
  readonly max: number | null
  readonly total: number
  /** By place of a bucket. */
  readonly places: readonly number[] | null
  readonly resetMs: number | null
  readonly pausedMs: number
  readonly live: number
  readonly nowMs: number
}

/** One statement, which locks nothing. */
export const readBudget = async (
  { prisma }: Queryable,
  limits: CountedLimits,
): Promise<RemainingBudget> => {
  const rows = await prisma.$queryRaw<Row[]>(sql`
    WITH ${stateSql(rowsOf(limits), { nowMs: undefined, lock: false })}
    SELECT key, name, limit_max AS max, total, now_ms AS "nowMs",
      (SELECT array_agg(spent ORDER BY place) FROM (
        SELECT (i - 1) % ${raw(String(PLACES))} AS place, sum(v)::integer AS spent
        FROM unnest(s.spent) WITH ORDINALITY AS u(v, i) GROUP BY 1) AS p) AS places,
      -- The latest bucket with a spent cost leaves the period last.
      (SELECT (s.bucket + s.buckets - min((i - 1) / ${raw(String(PLACES))})) * s."bucketMs"
        FROM unnest(s.spent) WITH ORDINALITY AS u(v, i) WHERE v > 0) AS "resetMs",
      coalesce(paused_ms, 0) AS "pausedMs",
      (SELECT count(*) FROM jsonb_object_keys(s.live))::integer AS live
    FROM state s`)
  const scopes = rows.filter(({ name }) => name === SCOPE_ROW)
  const paused = scopes.toSorted((a, b) => b.pausedMs - a.pausedMs)[0]
  const windows = limits.windows.map((window): RemainingWindow => {
    const row = rows.find(({ key, name }) => key === window.key && name === window.name)
    const places = row?.places ?? []
    const spentOn = Object.fromEntries(
      [...PURPOSES, 'other'].map((purpose, place) => [purpose, places[place] ?? 0]),
    ) as SpentOn // Its keys are those names.
    const resetMs = row?.resetMs ?? null
    return {
      ...window,
      knownMax: row?.max ?? window.max,
      spent: row?.total ?? 0,
      spentOn,
      resetsAt: resetMs === null ? null : new Date(resetMs).toISOString(),
    }
  })
  return {
    windows,
    pausedUntil: paused?.pausedMs
      ? new Date(Math.ceil(paused.nowMs + paused.pausedMs)).toISOString()
      : null,
    inFlight: scopes.reduce((sum, { live }) => sum + live, 0),
  }
}
