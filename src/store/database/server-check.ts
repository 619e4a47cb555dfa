/** What `trunkline doctor` reads of a PostgreSQL server. Nothing is changed. */
import { Client } from 'pg'
import { measureHostAhead } from './clock.ts'
import { pendingMigrations } from './migrate.ts'

/** The settings and the state of a server, and of this service's schema in it. */
export interface ServerFacts {
  /** `server_version_num`: 150004 is 15.4. */
  readonly version: number
  /** `15.4` */
  readonly versionText: string
  readonly encoding: string
  readonly isReplica: boolean
  readonly fsync: boolean
  /** Whether the user may create schemas in the database. */
  readonly mayCreate: boolean
  /** Connections that ordinary users may open in all, and those that are open now. */
  readonly connections: { readonly max: number; readonly open: number }
  /** The host's clock minus the server's, in ms. */
  readonly hostAheadMs: number
  /** Names of the migrations that the next start applies. */
  readonly pending: readonly string[]
}

interface FactsRow extends Omit<ServerFacts, 'connections' | 'hostAheadMs' | 'pending'> {
  readonly max: number
  readonly open: number
}

const FACTS = `
  SELECT current_setting('server_version_num')::integer AS version,
    current_setting('server_version') AS "versionText",
    pg_encoding_to_char(d.encoding) AS encoding,
    pg_is_in_recovery() AS "isReplica",
    current_setting('fsync')::boolean AS fsync,
    has_database_privilege(d.oid, 'CREATE') AS "mayCreate",
    current_setting('max_connections')::integer
      - current_setting('superuser_reserved_connections')::integer AS max,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS open
  FROM pg_database d WHERE d.datname = current_database()`

/**
 * Reads the facts.
 * @throws Error if the server cannot be reached
 * @throws MigrationError if the applied migrations do not match the files of this version
 */
export const readServerFacts = async (url: string): Promise<ServerFacts> => {
  const client = new Client({
    connectionString: url,
    application_name: 'trunkline doctor',
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => {}) // a lost connection fails the current query; an unhandled event ends the process
  await client.connect()
  try {
    const { rows } = await client.query<FactsRow>(FACTS)
    const [row] = rows
    if (row === undefined)
      throw new Error('The query for the settings of the server returned no row.')
    const { max, open, ...facts } = row
    const hostAheadMs = await measureHostAhead(client)
    const pending = await pendingMigrations(client)
    return { ...facts, connections: { max, open }, hostAheadMs, pending }
  } finally {
    await client.end()
  }
}
