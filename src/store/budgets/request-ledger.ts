/**
 * The ledger of request budgets: what the requests of all processes have spent of the limits of apps. A limit is
 * spent before its request is sent, in one statement for all limits of the request.
 */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type {
  CountedLimits,
  CountedRequest,
  RequestLedger,
  SpendResult,
  SpentWindow,
  WindowCorrection,
} from '../../definition/counted-limits.ts'
import { CEILINGS } from '../../definition/request-limits.ts'
import type { Database, Queryable } from '../database/database.ts'
import {
  addedAt,
  expiresOn,
  nowSql,
  outsidePosition,
  PLACES,
  placeOf,
  rowsOf,
  SCOPE_ROW,
  stateSql,
  type WantedRow,
} from './budget-sql.ts'
import { createHistoryShares } from './history-shares.ts'
import { type Pauses, pauseRequests } from './pauses.ts'

const { sql, raw } = Prisma

/** The dependencies of the ledger. */
export interface LedgerOptions {
  readonly database: Database
  readonly pauses: Pauses
  /** Longest time of a request: its slot is free afterwards, even if its process was killed. */
  readonly slotMs: number
  /** Milliseconds since 1970. Default: the database's clock. */
  readonly nowMs?: () => number
}

// The wait while all slots are in use: when a request in flight ends is unknown.
const SLOT_RETRY_MS = 250

interface SpentRow {
  readonly key: string
  readonly name: string
  readonly bucket: number
  readonly total: number
  readonly knownMax: number
  readonly isMissing: boolean
  readonly waitMs: number
}

/** Inserts the rows of limits that have none, or that were deleted because they had expired. */
const addRows = async (
  { prisma }: Queryable,
  rows: readonly WantedRow[],
  nowMs: number | undefined,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    INSERT INTO request_budgets (key, name, expires_on)
    SELECT key, name, ${expiresOn(nowSql(nowMs), sql`0`)}
    FROM unnest(${rows.map(({ key }) => key)}::text[], ${rows.map(({ name }) => name)}::text[]) AS r(key, name)
    ORDER BY key, name ON CONFLICT (key, name) DO NOTHING`)
}

/** When enough of the oldest buckets have left the period for the cost; null: the cost fits now. */
const windowWait = sql`
  CASE WHEN s.total + l.cost > l.ceiling THEN (
    SELECT (s.bucket + min(s.buckets - f.age)) * s."bucketMs" - s.now_ms FROM (
      SELECT age, sum(sum(v)) OVER (ORDER BY age DESC) AS freed FROM (
        SELECT (i - 1) / ${raw(String(PLACES))} AS age, v FROM unnest(s.spent) WITH ORDINALITY AS u(v, i)) AS p
      GROUP BY age) AS f
    WHERE s.total - f.freed + l.cost <= l.ceiling) END`

/** Creates the ledger of a process. */
export const createRequestLedger = ({
  database,
  pauses,
  slotMs,
  nowMs,
}: LedgerOptions): RequestLedger => {
  const { prisma } = database

  const trySpend = (
    { credentialId, purpose }: CountedRequest,
    rows: readonly WantedRow[],
    holder: string,
  ): Promise<SpentRow[]> => {
    const share = CEILINGS[purpose]
    const place = placeOf(purpose)
    return prisma.$queryRaw<SpentRow[]>(sql`
      WITH ${stateSql(rows, { nowMs: nowMs?.(), lock: true })}, judged AS MATERIALIZED (
        SELECT s.*, l.cost AS spent_cost, greatest(0, CASE WHEN s.name <> ${SCOPE_ROW} THEN ${windowWait}
          WHEN (SELECT count(*) FROM jsonb_object_keys(s.live)) >= l.ceiling
            THEN greatest(s.paused_ms, ${SLOT_RETRY_MS}) ELSE s.paused_ms END) AS wait_ms
        FROM state s CROSS JOIN LATERAL (
          -- A request that alone costs more than its share, or than the limit, waits for an empty period.
          SELECT least(s.cost, s.limit_max) AS cost, greatest(floor(s.limit_max * ${share}::double precision),
            least(coalesce(s.cost, 1), s.limit_max)) AS ceiling) AS l
      ), verdict AS MATERIALIZED (
        SELECT bool_or(missing) AS is_missing, max(wait_ms) AS wait_ms FROM judged
      ), written AS (
        UPDATE request_budgets b SET bucket_ms = j."bucketMs", bucket = j.bucket,
          spent = coalesce(${addedAt(sql`j.spent`, sql`${place}`, sql`j.spent_cost`)}, b.spent),
          credential_ids = CASE WHEN j.name = ${SCOPE_ROW} AND j.key LIKE 'account/%'
            AND NOT b.credential_ids @> ARRAY[${credentialId}::uuid]
            THEN b.credential_ids || ${credentialId}::uuid ELSE b.credential_ids END,
          slots = CASE WHEN j.max IS NOT NULL AND j.name = ${SCOPE_ROW}
            THEN j.live || jsonb_build_object(${holder}::text, j.now_ms + ${slotMs}::double precision)
            ELSE b.slots END,
          expires_on = greatest(b.expires_on,
            ${expiresOn(sql`j.now_ms`, sql`coalesce(j."bucketMs" * j.buckets, ${slotMs}::double precision)`)})
        FROM judged j, verdict v
        WHERE b.key = j.key AND b.name = j.name AND NOT v.is_missing AND v.wait_ms = 0
          -- The row of a scope changes only if it has slots, or lacks a credential of the account.
          AND (j.name <> ${SCOPE_ROW} OR j.max IS NOT NULL
            OR j.key LIKE 'account/%' AND NOT b.credential_ids @> ARRAY[${credentialId}::uuid])
      )
      SELECT j.key, j.name, j.bucket::double precision AS bucket, j.limit_max AS "knownMax",
        j.total + coalesce(j.spent_cost, 0) AS total, v.is_missing AS "isMissing", v.wait_ms AS "waitMs"
      FROM judged j, verdict v`)
  }

  const sharesOf = createHistoryShares(database)

  const spend = async (request: CountedRequest): Promise<SpendResult> => {
    const { limits, points } = request
    const units = new Map(limits.windows.map(({ name, unit }) => [name, unit]))
    const rows = [...rowsOf(limits), ...(await sharesOf(request))].map((row) => ({
      ...row,
      cost: units.get(row.name) === 'points' ? points : 1,
    }))
    const holder = randomUUID()
    for (;;) {
      const spent = await trySpend(request, rows, holder)
      if (spent.length === 0 || spent[0]?.isMissing) {
        await addRows(database, rows, nowMs?.())
        continue
      }
      const waitMs = Math.ceil(spent[0]?.waitMs ?? 0)
      const windows = limits.windows.flatMap((window): SpentWindow[] => {
        const row = spent.find(({ key, name }) => key === window.key && name === window.name)
        return row
          ? [{ ...window, bucket: row.bucket, total: row.total, knownMax: row.knownMax }]
          : []
      })
      const isLeased = waitMs === 0 && limits.scopes.some(({ slots }) => slots !== undefined)
      return { waitMs, windows, holder: isLeased ? holder : undefined }
    }
  }

  const settle = async (
    { limits, purpose }: CountedRequest,
    { holder }: SpendResult,
    corrections: readonly WindowCorrection[],
  ): Promise<void> => {
    const rows: WantedRow[] = corrections.map(({ window, extraCost, used, max, resetMs }) => ({
      key: window.key,
      name: window.name,
      bucketMs: window.bucketMs,
      buckets: window.buckets,
      max: window.max,
      spentBucket: window.bucket,
      extraCost,
      used: used ?? null,
      newMax: max ?? null,
      resetMs: resetMs ?? null,
    }))
    const leased = holder === undefined ? [] : limits.scopes
    const scopeRows = rowsOf({ ...limits, windows: [], scopes: leased })
    const place = placeOf(purpose)
    await prisma.$executeRaw(sql`
      WITH ${stateSql([...rows, ...scopeRows], { nowMs: nowMs?.(), lock: true })}, corrected AS (
        SELECT s.*, CASE WHEN s.buckets IS NOT NULL THEN ${addedAt(
          sql`s.spent`,
          sql`(s.bucket - s."spentBucket") * ${raw(String(PLACES))} + ${place}`,
          sql`s."extraCost"`,
        )} END AS own FROM state s
      )
      UPDATE request_budgets b SET
        bucket = s.bucket, bucket_ms = s."bucketMs", max = coalesce(s."newMax", b.max),
        spent = coalesce(${addedAt(
          sql`s.own`,
          outsidePosition,
          sql`greatest(0, s.used - s.total - s."extraCost")`,
        )}, b.spent),
        slots = CASE WHEN s.name = ${SCOPE_ROW} THEN s.live - ${holder ?? ''}::text ELSE b.slots END
      FROM corrected s WHERE b.key = s.key AND b.name = s.name`)
  }

  return {
    pausedMs: ({ scopes }: CountedLimits) =>
      Math.max(0, ...scopes.map(({ key }) => pauses.remainingMs(key))),
    spend,
    settle,
    pause: async (key, ms) => {
      pauses.note(key, ms)
      await pauseRequests(database, key, { ms, nowMs: nowMs?.() })
    },
  }
}

/** Deletes rows that are not needed any more. */
export const purgeRequestBudgets = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw(sql`
    DELETE FROM request_budgets WHERE expires_on < (statement_timestamp() AT TIME ZONE 'UTC')::date`)
}
