/** Blockers of a session: the backends whose locks it waits for. */
import { Client } from 'pg'
import { createRepeater } from '../../repeater.ts'

/** A backend that blocks another. It omits the text of the statement, which may contain records. */
export interface Blocker {
  readonly pid: number
  readonly application: string
  /** `active`, `idle in transaction`, … */
  readonly state: string | null
  readonly transactionSeconds: number | null
}

/** A second connection that observes which backends the first one waits for. */
export interface BlockerWatch {
  /** The blockers of the latest observation since the previous call. */
  take(): readonly Blocker[]
  stop(): Promise<void>
}

const EVERY_MS = 250

/** Watches the session of `pid`. If the watch cannot connect, it reports no blockers. */
export const watchBlockers = async (url: string, pid: number): Promise<BlockerWatch> => {
  const client = new Client({ connectionString: url, application_name: 'trunkline-migrations' })
  client.on('error', () => {})
  let seen: readonly Blocker[] = []
  const observe = async (): Promise<void> => {
    const { rows } = await client.query<Blocker>(
      `SELECT pid, application_name AS application, state,
         round(extract(epoch FROM clock_timestamp() - xact_start))::integer AS "transactionSeconds"
       FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids($1))`,
      [pid],
    )
    if (rows.length > 0) seen = rows
  }
  const repeater = createRepeater({ step: observe, everyMs: EVERY_MS, onFailure: () => {} })
  await client.connect().then(repeater.start, () => {})
  return {
    take: () => {
      const taken = seen
      seen = []
      return taken
    },
    stop: async () => {
      await repeater.stop()
      await client.end().catch(() => {})
    },
  }
}

/** A blocker as text: `backend 4711 (psql, idle in transaction for 12 s)`. */
export const describeBlocker = ({
  pid,
  application,
  state,
  transactionSeconds,
}: Blocker): string => {
  const facts = [application, `${state ?? 'unknown'} for ${transactionSeconds ?? '?'} s`]
  return `backend ${pid} (${facts.filter((fact) => fact !== '').join(', ')})`
}
