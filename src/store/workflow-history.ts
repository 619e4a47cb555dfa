/** What became of workflow runs, for those who look after them. */
import { Prisma } from '@prisma/client'
import { ApiError } from '../errors.ts'
import type { ChangeKind } from './changes.ts'
import type { Database } from './database.ts'

const { sql, join } = Prisma

export type RunStatus = 'waiting' | 'running' | 'succeeded' | 'failed'

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
  /** When a waiting run is tried next. */
  readonly nextAttemptAt: Date | null
}

export interface RunsQuery {
  readonly environmentId: string
  readonly installationId?: string
  readonly workflowId?: string
  readonly status?: RunStatus
  /** From an earlier page. */
  readonly cursor?: string | undefined
  readonly limit: number
}

export interface RunsPage {
  readonly runs: readonly RunEntry[]
  /** Of the next page; undefined after the last. */
  readonly next: string | undefined
}

const INT64_MAX = 2n ** 63n - 1n

const encode = (number: bigint): string => Buffer.from(`r${number}`).toString('base64url')

const decode = (text: string): bigint => {
  const digits =
    text.length < 50
      ? /^r(\d{1,19})$/.exec(Buffer.from(text, 'base64url').toString())?.[1]
      : undefined
  const number = BigInt(digits ?? -1)
  if (number >= 0n && number <= INT64_MAX && encode(number) === text) return number
  const expected = 'a cursor that a list of runs returned'
  throw new ApiError('INVALID_CURSOR', `cursor: expected ${expected}.`, [
    { field: 'cursor', expected },
  ])
}

/** Runs of an environment's installations, newest first. @throws INVALID_CURSOR */
export const listRuns = async ({ prisma }: Database, query: RunsQuery): Promise<RunsPage> => {
  const { environmentId, installationId, workflowId, status, cursor, limit } = query
  const conditions = [
    sql`g.environment_id = ${environmentId}::uuid`,
    ...(installationId === undefined ? [] : [sql`r.installation_id = ${installationId}::uuid`]),
    ...(workflowId === undefined ? [] : [sql`r.workflow_id = ${workflowId}::uuid`]),
    ...(status === undefined ? [] : [sql`r.status = ${status}`]),
    ...(cursor === undefined ? [] : [sql`r.number < ${decode(cursor)}`]),
  ]
  // One more than asked for tells whether there is a next page.
  const rows = await prisma.$queryRaw<(RunEntry & { number: bigint })[]>(sql`
    SELECT r.number, r.id::text AS id, r.installation_id::text AS "installationId",
      r.workflow_id::text AS "workflowId", r.version, r.status, r.attempts, r.failure, r.topic, r.kind,
      r.credential_id::text AS "credentialId", r.record_id::text AS "recordId",
      r.target_record_id::text AS "targetRecordId", r.created_at AS "createdAt",
      r.started_at AS "startedAt", r.finished_at AS "finishedAt",
      CASE WHEN r.status = 'waiting' THEN r.due_at END AS "nextAttemptAt"
    FROM workflow_runs r JOIN installations i ON i.id = r.installation_id
    JOIN integrations g ON g.id = i.integration_id
    WHERE ${join(conditions, ' AND ')} ORDER BY r.number DESC LIMIT ${limit + 1}`)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    runs: shown.map(({ number: _, ...run }) => run),
    next: rows.length > limit && last ? encode(last.number) : undefined,
  }
}
