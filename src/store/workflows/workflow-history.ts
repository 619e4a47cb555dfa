/** Lists of workflow runs and their results, for operators. */
import { Prisma } from '@prisma/client'
import { cursorsOf, type ForwardPage, invalidCursor, type Listed } from '../../query/listed.ts'
import type { ChangeKind } from '../changes/changes.ts'
import type { Database } from '../database/database.ts'

const { sql, join, empty, raw } = Prisma

const RUN_STATUSES = ['waiting', 'running', 'succeeded', 'failed'] as const

export type RunStatus = (typeof RUN_STATUSES)[number]

export interface RunEntry {
  readonly id: string
  readonly installationId: string
  readonly workflowId: string
  readonly version: number
  readonly status: RunStatus
  readonly attempts: number
  /** Why the last attempt failed: `APP_REFUSED: …`; null after a success. */
  readonly failure: string | null
  readonly topic: string
  readonly kind: ChangeKind
  readonly credentialId: string
  readonly recordId: string
  readonly targetRecordId: string | null
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Time of a waiting run's next attempt; null: it is not waiting. */
  readonly nextAttemptAt: Date | null
}

/** The runs to list. */
export interface RunFilter {
  readonly environmentId: string
  readonly installationId?: string
  readonly workflowId?: string
  readonly status?: RunStatus
}

export interface RunsQuery extends RunFilter {
  /** The cursor of an earlier page. */
  readonly cursor?: string | undefined
  /** The name of the cursor in errors. */
  readonly cursorParameter?: string
  readonly limit: number
}

export interface RunsPage {
  readonly runs: readonly RunEntry[]
  /** The cursor of each run. */
  readonly cursors: readonly string[]
  /** Cursor of the next page; undefined on the last page. */
  readonly next: string | undefined
}

const INT64_MAX = 2n ** 63n - 1n

const encode = (number: bigint): string => Buffer.from(`r${number}`).toString('base64url')

const decode = (text: string, parameter: string): bigint => {
  const digits =
    text.length < 50
      ? /^r(\d{1,19})$/.exec(Buffer.from(text, 'base64url').toString())?.[1]
      : undefined
  const number = BigInt(digits ?? -1)
  if (number >= 0n && number <= INT64_MAX && encode(number) === text) return number
  throw invalidCursor(parameter, 'a cursor that a list of runs returned')
}

const workflowsOf = ({ environmentId, workflowId }: RunFilter): Prisma.Sql => sql`(
  SELECT w.id FROM workflows w JOIN integrations g ON g.id = w.integration_id
  WHERE g.environment_id = ${environmentId}::uuid
    ${workflowId === undefined ? empty : sql`AND w.id = ${workflowId}::uuid`}) AS w`

const countRuns = async ({ prisma }: Database, filter: RunFilter): Promise<number> => {
  const { installationId, status } = filter
  const [row] = await prisma.$queryRaw<{ count: number }[]>(sql`
    SELECT count(*)::integer AS count FROM ${workflowsOf(filter)}
    JOIN workflow_runs r ON r.workflow_id = w.id
    WHERE true ${installationId === undefined ? empty : sql`AND r.installation_id = ${installationId}::uuid`}
      ${status === undefined ? empty : sql`AND r.status = ${status}`}`)
  return row?.count ?? 0
}

/** Lists the runs of an environment's workflows, newest first. One statement. @throws INVALID_CURSOR */
export const listRuns = async ({ prisma }: Database, query: RunsQuery): Promise<RunsPage> => {
  const { installationId, status, cursor, cursorParameter = 'cursor', limit } = query
  const ofOne = installationId === undefined ? [] : [sql`${installationId}::uuid`]
  const columns = ['r.workflow_id', 'r.status', 'r.number']
  if (ofOne.length > 0) columns.unshift('r.installation_id')
  const start = cursor === undefined ? INT64_MAX : decode(cursor, cursorParameter)
  const place = (number: bigint): Prisma.Sql =>
    sql`(${join([...ofOne, sql`of.workflow_id, of.status, ${number}::bigint`])})`
  // One extra row shows whether there is a next page.
  const limited = sql`LIMIT ${limit + 1}`
  // One subquery per workflow and status, with row comparisons that only their index supports. With equality, the
  // planner may scan the runs of all other workflows by number.
  const rows = await prisma.$queryRaw<(RunEntry & { number: bigint })[]>(sql`
    SELECT run.* FROM (
      SELECT w.id AS workflow_id, s.status FROM ${workflowsOf(query)}
      CROSS JOIN unnest(${status === undefined ? RUN_STATUSES : [status]}::text[]) AS s(status)) AS of
    CROSS JOIN LATERAL (
      SELECT r.number, r.id::text AS id, r.installation_id::text AS "installationId",
        r.workflow_id::text AS "workflowId", r.version, r.status, r.attempts, r.failure, r.topic, r.kind,
        r.credential_id::text AS "credentialId", r.record_id::text AS "recordId",
        r.target_record_id::text AS "targetRecordId", r.created_at AS "createdAt",
        r.started_at AS "startedAt", r.finished_at AS "finishedAt",
        CASE WHEN r.status = 'waiting' THEN greatest(r.due_at, (
          SELECT i.paused_until FROM installed_workflows i
          WHERE i.installation_id = r.installation_id AND i.workflow_id = r.workflow_id))
        END AS "nextAttemptAt"
      FROM workflow_runs r
      WHERE (${raw(columns.join())}) > ${place(0n)}
        AND (${raw(columns.join())}) < ${place(start)}
      ORDER BY ${raw(columns.join(' DESC, '))} DESC ${limited}) AS run
    ORDER BY number DESC ${limited}`)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    runs: shown.map(({ number: _, ...run }) => run),
    cursors: shown.map(({ number }) => encode(number)),
    next: rows.length > limit && last ? encode(last.number) : undefined,
  }
}

/** A page of runs, newest first. One statement, and another one for the count. @throws INVALID_CURSOR */
export const pageRuns = async (
  database: Database,
  filter: RunFilter,
  { size, after }: ForwardPage,
): Promise<Listed<RunEntry>> => {
  const page = { cursor: after, cursorParameter: 'after', limit: size }
  const { runs, cursors, next } = await listRuns(database, { ...filter, ...page })
  return {
    nodes: runs,
    cursorAt: cursorsOf(cursors, (cursor) => cursor),
    hasNext: next !== undefined,
    hasPrevious: after !== undefined,
    count: () => countRuns(database, filter),
  }
}
