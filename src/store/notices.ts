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

const RETRY_MS = 1000
// A connection that is cut without a word looks alive for hours; a revoked key may not.
const HEARTBEAT_MS = 5000
const ANSWER_MS = 5000

export const createNotices = (url: string): Notices => {
  const listeners = new Map<string, { hear: (payload: string) => void; lost: () => void }[]>()
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let stopped = false

  const tellLost = (): void => {
    for (const group of listeners.values()) for (const { lost } of group) lost()
  }

  const disconnected = (): void => {
    if (!client) return
    const broken = client
    client = undefined
    clearInterval(heartbeat)
    // Perhaps the other end is only out of reach: nothing of it is waited for.
    void broken.end().catch(() => {})
    tellLost()
    if (!stopped) retry = setTimeout(() => void connect().catch(disconnected), RETRY_MS)
  }

  const connect = async (): Promise<void> => {
    const dialled = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    })
    dialled.on('error', disconnected)
    dialled.on('end', disconnected)
    dialled.on('notification', ({ channel, payload }) => {
      for (const { hear } of listeners.get(channel) ?? []) hear(payload ?? '')
    })
    try {
      await dialled.connect()
      for (const channel of listeners.keys())
        await dialled.query(`LISTEN ${dialled.escapeIdentifier(channel)}`)
    } catch (error) {
      if (!stopped) retry = setTimeout(() => void connect().catch(() => {}), RETRY_MS)
      throw error
    }
    client = dialled
    heartbeat = setInterval(() => void dialled.query('SELECT 1').catch(disconnected), HEARTBEAT_MS)
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
