/** The last requests of each credential to its app: collected in memory, and written in batches. */
import { Prisma } from '@prisma/client'
import { createRepeater } from '../../repeater.ts'
import type { Database, Queryable } from '../database/database.ts'

const { sql } = Prisma

/** A request to an app, without secrets. */
export interface AppRequestEntry {
  readonly credentialId: string
  /** write | webhook | changes | history; null: a check of the credential, or a login. */
  readonly purpose: string | null
  readonly method: string
  readonly path: string
  /** Null: there was no complete response. */
  readonly status: number | null
  readonly tookMs: number
  /** Null: it succeeded. */
  readonly error: string | null
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** A stored request. */
export interface StoredAppRequest extends Omit<AppRequestEntry, 'credentialId'> {
  /** When the response was complete, or the request had failed. */
  readonly at: Date
}

export interface AppRequestLog {
  note(entry: AppRequestEntry): void
  start(): void
  /** Writes the remaining requests. */
  stop(): Promise<void>
}

export interface AppRequestLogOptions {
  readonly database: Database
  /** Receives the error of a failed write. Its requests are dropped. */
  readonly onFailure: (error: unknown) => void
  readonly intervalMs?: number
}

/** How many requests are stored for a credential. */
export const MAX_REQUESTS = 100

const INTERVAL_MS = 2_000
// Bounds the memory of a process whose apps all fail; the requests of one credential are bounded by MAX_REQUESTS.
const MAX_WAITING = 5_000
const RETENTION_DAYS = 7

interface Waiting {
  readonly entry: AppRequestEntry
  /** By `performance.now()`. */
  readonly notedMs: number
}

const write = async (
  { prisma }: Queryable,
  waiting: readonly Waiting[],
  nowMs: number,
): Promise<void> => {
  const rows = JSON.stringify(
    waiting.map(({ entry, notedMs }) => ({ ...entry, ageMs: nowMs - notedMs })),
  )
  const ids = [...new Set(waiting.map(({ entry }) => entry.credentialId))]
  // A credential may be deleted in the meantime: its requests are not stored.
  await prisma.$executeRaw(sql`
    INSERT INTO app_requests (credential_id, at, purpose, method, path, status, took_ms, error,
      request_body, response_body)
    SELECT c.id, clock_timestamp() - r."ageMs" * interval '1 millisecond', r.purpose, r.method, r.path,
      r.status, r."tookMs", r.error, r."requestBody", r."responseBody"
    FROM jsonb_to_recordset(${rows}::jsonb) AS r("credentialId" uuid, "ageMs" double precision,
      purpose text, method text, path text, status integer, "tookMs" integer, error text,
      "requestBody" text, "responseBody" text)
    JOIN (SELECT id FROM credentials WHERE id = ANY(${ids}::uuid[]) FOR KEY SHARE) c
      ON c.id = r."credentialId"
    ORDER BY r."ageMs" DESC`)
  await prisma.$executeRaw(sql`
    DELETE FROM app_requests d USING unnest(${ids}::uuid[]) AS owner(id)
    WHERE d.credential_id = owner.id AND d.id <= (
      SELECT o.id FROM app_requests o WHERE o.credential_id = owner.id
      ORDER BY o.id DESC OFFSET ${MAX_REQUESTS} LIMIT 1)`)
}

/** Creates the log of a process. */
export const createAppRequestLog = ({
  database,
  onFailure,
  intervalMs = INTERVAL_MS,
}: AppRequestLogOptions): AppRequestLog => {
  let waiting = new Map<string, Waiting[]>()
  let count = 0

  const flush = async (): Promise<void> => {
    if (count === 0) return
    const written = [...waiting.values()].flat()
    waiting = new Map()
    count = 0
    await write(database, written, performance.now())
  }
  const repeater = createRepeater({ step: flush, everyMs: intervalMs, onFailure })

  return {
    note: (entry) => {
      const own = waiting.get(entry.credentialId) ?? []
      if (own.length >= MAX_REQUESTS) own.shift()
      else if (count >= MAX_WAITING) return
      else count += 1
      own.push({ entry, notedMs: performance.now() })
      waiting.set(entry.credentialId, own)
    },
    start: repeater.start,
    stop: async () => {
      await repeater.stop()
      await flush().catch(onFailure)
    },
  }
}

/** The stored requests of a credential, newest first; at most 100. */
export const listAppRequests = (
  { prisma }: Queryable,
  credentialId: string,
): Promise<StoredAppRequest[]> =>
  prisma.$queryRaw<StoredAppRequest[]>(sql`
    SELECT at, purpose, method, path, status, took_ms AS "tookMs", error,
      request_body AS "requestBody", response_body AS "responseBody"
    FROM app_requests WHERE credential_id = ${credentialId}::uuid
    ORDER BY id DESC LIMIT ${MAX_REQUESTS}`)

/** Deletes requests that are older than a week. */
export const purgeAppRequests = async ({ prisma }: Database): Promise<void> => {
  await prisma.$executeRaw(sql`
    DELETE FROM app_requests
    WHERE at < statement_timestamp() - ${RETENTION_DAYS} * interval '1 day'`)
}
