/** PostgreSQL notifications (LISTEN): one connection per process, reconnected when it breaks. */
import pg from 'pg'
import { createClock, type DatabaseClock } from './clock.ts'

export interface PgListener {
  start(): Promise<void>
  stop(): Promise<void>
  /** Whether notifications arrive now. While false, cached values may be stale and must not be used. */
  readonly isConnected: boolean
  /**
   * Subscribes to a channel. `onNotify` receives each NOTIFY payload; `onGap` is called when notifications may
   * have been missed, e.g. after a reconnect.
   */
  on(channel: string, onNotify: (payload: string) => void, onGap: () => void): void
}

/** The name of the connection in `pg_stat_activity`. */
const NAME = 'trunkline listener'
const RETRY_MS = 1000
const CONNECT_TIMEOUT_MS = 5000
// A silently dropped connection can look alive for hours, but a revoked key must stop working within 5 s. The
// heartbeat uses 3 s of that; the rest is for closing the key's open connections: see connections.ts.
const HEARTBEAT_MS = 1000
const QUERY_TIMEOUT_MS = 2000

interface Subscriber {
  readonly onNotify: (payload: string) => void
  readonly onGap: () => void
}

/**
 * Creates the listener. Its heartbeat synchronizes the clock with the database's.
 * @param onDisconnect called when the connection has broken; the listener reconnects by itself
 */
export const createPgListener = (
  url: string,
  clock: Pick<DatabaseClock, 'measure'> = createClock(),
  onDisconnect: () => void = () => {},
): PgListener => {
  const subscribers = new Map<string, Subscriber[]>()
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let stopped = false

  const notifyGap = (): void => {
    for (const group of subscribers.values()) for (const { onGap } of group) onGap()
  }

  const scheduleReconnect = (): void => {
    if (!stopped) retry = setTimeout(() => void connect().catch(() => {}), RETRY_MS)
  }

  /** Closes a connection without waiting, because the server may be unreachable. */
  const abandon = (broken: pg.Client): void => void broken.end().catch(() => {})

  const replace = (broken: pg.Client): void => {
    // Ignore events of a connection that has been replaced.
    if (client !== broken) return
    client = undefined
    clearInterval(heartbeat)
    abandon(broken)
    onDisconnect()
    notifyGap()
    scheduleReconnect()
  }

  const connect = async (): Promise<void> => {
    const connection = new pg.Client({
      connectionString: url,
      // Identifies the connection in pg_stat_activity; its last statement does not.
      application_name: NAME,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    })
    connection.on('error', () => replace(connection))
    connection.on('end', () => replace(connection))
    connection.on('notification', ({ channel, payload }) => {
      for (const { onNotify } of subscribers.get(channel) ?? []) onNotify(payload ?? '')
    })
    try {
      await connection.connect()
      for (const channel of subscribers.keys())
        await connection.query(`LISTEN ${connection.escapeIdentifier(channel)}`)
      await clock.measure(connection)
    } catch (error) {
      abandon(connection)
      scheduleReconnect()
      throw error
    }
    if (stopped) return abandon(connection)
    client = connection
    heartbeat = setInterval(
      () => void clock.measure(connection).catch(() => replace(connection)),
      HEARTBEAT_MS,
    )
    // Notifications sent before LISTEN are lost.
    notifyGap()
  }

  return {
    get isConnected() {
      return client !== undefined
    },
    on: (channel, onNotify, onGap) => {
      subscribers.set(channel, [...(subscribers.get(channel) ?? []), { onNotify, onGap }])
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
