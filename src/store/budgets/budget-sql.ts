/**
 * SQL that reads the rows of limits and scopes, as they are at the time of the statement. A period is counted in
 * buckets, two more than it is long. A request therefore counts for its period and one to two buckets longer:
 * a sliding period of the app never contains more than was counted here, and requests may be delayed by a bucket.
 */
import { Prisma } from '@prisma/client'
import type { CountedLimits } from '../../definition/counted-limits.ts'
import { PURPOSES, type RequestPurpose } from '../../definition/request-limits.ts'

const { sql, raw } = Prisma

/** Places of a bucket: one for each purpose, and one for what was spent outside of this service. */
export const PLACES = PURPOSES.length + 1
const OUTSIDE = PLACES

/** The place of a purpose in a bucket, from 1. */
export const placeOf = (purpose: RequestPurpose): number => PURPOSES.indexOf(purpose) + 1

/** The name of the row of a scope. */
export const SCOPE_ROW = ''

/** The row to read: of a window, or of a scope with the name `SCOPE_ROW`. Null where a statement does not use it. */
export interface WantedRow {
  readonly key: string
  readonly name: string
  readonly bucketMs: number | null
  readonly buckets: number | null
  /** The declared maximum: of a window, or of a scope's requests in flight. */
  readonly max: number | null
  readonly cost?: number
  /** The bucket that counted a request. */
  readonly spentBucket?: number
  readonly extraCost?: number
  readonly used?: number | null
  readonly newMax?: number | null
  readonly resetMs?: number | null
}

/** The rows of limits. */
export const rowsOf = ({ windows, scopes }: CountedLimits): readonly WantedRow[] => [
  ...windows.map(({ key, name, bucketMs, buckets, max }) => ({
    key,
    name,
    bucketMs,
    buckets,
    max,
  })),
  ...scopes.map(({ key, slots }) => ({
    key,
    name: SCOPE_ROW,
    bucketMs: null,
    buckets: null,
    max: slots ?? null,
  })),
]

/** Milliseconds since 1970 by the database's clock, or by the clock of a test. */
export const nowSql = (nowMs: number | undefined): Prisma.Sql =>
  sql`coalesce(${nowMs ?? null}::double precision, extract(epoch FROM clock_timestamp())::double precision * 1000)`

const zeros = (buckets: Prisma.Sql): Prisma.Sql =>
  sql`array_fill(0, ARRAY[(${buckets}) * ${raw(String(PLACES))}])`

/** An array of a row with an amount added at a position, never below 0. */
export const addedAt = (array: Prisma.Sql, position: Prisma.Sql, amount: Prisma.Sql): Prisma.Sql =>
  sql`(SELECT array_agg(greatest(0, v + CASE WHEN i = ${position} THEN ${amount} ELSE 0 END) ORDER BY i)
    FROM unnest(${array}) WITH ORDINALITY AS u(v, i))`

/** The position of what was spent outside, in a bucket that leaves the period after `resetMs`. */
export const outsidePosition = sql`(CASE WHEN s."resetMs" IS NULL THEN 0
  ELSE s.buckets - least(s.buckets, greatest(1, ceil(s."resetMs" / s."bucketMs")))
  END)::integer * ${raw(String(PLACES))} + ${raw(String(OUTSIDE))}`

/**
 * The common table expressions `clock` (`now_ms`) and `state`, which has a row for each wanted one: `missing`,
 * `limit_max`, `bucket` (the current one), `spent` from it backwards, `total`, `paused_ms` (time left) and `live`
 * (slots). With `lock`, the rows are locked first, in the order of their keys, which prevents deadlocks.
 */
export const stateSql = (
  rows: readonly WantedRow[],
  { nowMs, lock }: { readonly nowMs: number | undefined; readonly lock: boolean },
): Prisma.Sql => sql`
  wanted AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS w(
      key text, name text, "bucketMs" double precision, buckets integer, max integer, cost integer,
      "spentBucket" bigint, "extraCost" integer, used integer, "newMax" integer, "resetMs" double precision)
  ), held AS MATERIALIZED (
    SELECT b.* FROM request_budgets b JOIN wanted w ON b.key = w.key AND b.name = w.name
    ORDER BY b.key, b.name ${lock ? sql`FOR UPDATE OF b` : Prisma.empty}
  ), clock AS MATERIALIZED (
    -- Read once all rows are locked: the wait for a lock may be long.
    SELECT ${nowSql(nowMs)} AS now_ms FROM (SELECT count(*) FROM held) AS locked
  ), aged AS MATERIALIZED (
    SELECT w.*, c.now_ms, h.key IS NULL AS missing, coalesce(h.max, w.max) AS limit_max,
      h.spent AS old_spent, h.bucket AS old_bucket, h.bucket_ms = w."bucketMs" AS is_same,
      -- Never back: the clock of the database may be set.
      greatest(floor(c.now_ms / w."bucketMs")::bigint, CASE WHEN h.bucket_ms = w."bucketMs" THEN h.bucket END) AS bucket,
      greatest(0, extract(epoch FROM h.paused_until)::double precision * 1000 - c.now_ms) AS paused_ms,
      (SELECT coalesce(jsonb_object_agg(holder, until), '{}') FROM jsonb_each(h.slots) AS e(holder, until)
        WHERE until::double precision > c.now_ms) AS live
    FROM wanted w CROSS JOIN clock c LEFT JOIN held h ON h.key = w.key AND h.name = w.name
  ), shifted AS MATERIALIZED (
    SELECT a.*, CASE
      WHEN a.buckets IS NULL THEN NULL
      -- The limit has another period than when the row was written.
      WHEN a.is_same IS NOT TRUE OR a.bucket - a.old_bucket >= a.buckets THEN ${zeros(sql`a.buckets`)}
      ELSE ${zeros(sql`(a.bucket - a.old_bucket)::integer`)}
        || a.old_spent[1 : (a.buckets - (a.bucket - a.old_bucket)::integer) * ${raw(String(PLACES))}]
      END AS spent
    FROM aged a
  ), state AS MATERIALIZED (
    SELECT s.*, (SELECT coalesce(sum(v), 0)::integer FROM unnest(s.spent) AS v) AS total FROM shifted s
  )`

/** The day after which a row that is written now is not needed: its period, or its slots and pause, have ended. */
export const expiresOn = (nowMs: Prisma.Sql, lengthMs: Prisma.Sql): Prisma.Sql =>
  sql`(to_timestamp((${nowMs} + ${lengthMs}) / 1000) AT TIME ZONE 'UTC')::date + 1`
