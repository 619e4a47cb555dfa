/** What PostgreSQL announces (LISTEN): one connection a process, dialled again when it breaks. */
import pg from 'pg'

export interface Notices {
  start(): Promise<void>
  stop(): Promise<void>
  /** Whether every announcement reaches us now; if not, nothing may be remembered. */
  readonly connected: boolean
  /** Calls `hear` with the payload of each announcement, and `lost` when announcements may have been missed. */
  on(channel: string, hear: (payload: string) => void, lost: () => void): void
}

/** By which an operator knows the connection. */
const NAME = 'trunkline notices'
const RETRY_MS = 1000
const DIAL_MS = 5000
// A connection that is cut without a word looks alive for hours; a revoked key may not, for more than 5 s. The
// rest of them is for whoever has to hear of it: see connections.ts.
const HEARTBEAT_MS = 1000
const ANSWER_MS = 2000

export const createNotices = (url: string): Notices => {
  const listeners = new Map<string, { hear: (payload: string) => void; lost: () => void }[]>()
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let stopped = false

  const tellLost = (): void => {
    for (const group of listeners.values()) for (const { lost } of group) lost()
  }

  const redial = (): void => {
    if (!stopped) retry = setTimeout(() => void connect().catch(() => {}), RETRY_MS)
  }

  /** Perhaps the other end is only out of reach: nothing of it is waited for. */
  const abandon = (broken: pg.Client): void => void broken.end().catch(() => {})

  const disconnected = (broken: pg.Client): void => {
    // What is said of one that another has replaced is of no concern.
    if (client !== broken) return
    client = undefined
    clearInterval(heartbeat)
    abandon(broken)
    tellLost()
    redial()
  }

  const connect = async (): Promise<void> => {
    const dialled = new pg.Client({
      connectionString: url,
      // Its last statement, the other thing that pg_stat_activity shows, is one of any connection's.
      application_name: NAME,
      keepAlive: true,
      connectionTimeoutMillis: DIAL_MS,
      query_timeout: ANSWER_MS,
    })
    dialled.on('error', () => disconnected(dialled))
    dialled.on('end', () => disconnected(dialled))
    dialled.on('notification', ({ channel, payload }) => {
      for (const { hear } of listeners.get(channel) ?? []) hear(payload ?? '')
    })
    try {
      await dialled.connect()
      for (const channel of listeners.keys())
        await dialled.query(`LISTEN ${dialled.escapeIdentifier(channel)}`)
    } catch (error) {
      abandon(dialled)
      redial()
      throw error
    }
    if (stopped) return abandon(dialled)
    client = dialled
    heartbeat = setInterval(
      () => void dialled.query('SELECT 1').catch(() => disconnected(dialled)),
      HEARTBEAT_MS,
    )
    // What was announced before is not heard any more, and something may be under way since then.
    tellLost()
  }

  return {
    get connected() {
      return client !== undefined
    },
    on: (channel, hear, lost) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), { hear, lost }])
    },
    start: connect,
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      clearInterval(heartbeat)
      const open = client
      client = undefined
      await open?.end()
    },
  }
}
