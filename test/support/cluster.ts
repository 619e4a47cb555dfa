/** A PostgreSQL 15 of a test's own, made with Debian's programs: to be crashed, dumped and restored. */
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chooseDatabaseUser } from '../../src/store/embedded/user.ts'

const PROGRAMS = '/usr/lib/postgresql/15/bin'

/** Why there can be none on this machine; an error where CI runs, which installs them. */
export const missingPrograms = existsSync(join(PROGRAMS, 'pg_dump'))
  ? undefined
  : `PostgreSQL's own programs are not installed: ${PROGRAMS}/pg_dump (apt-get install postgresql-15)`
if (missingPrograms && process.env.CI !== undefined) throw new Error(missingPrograms)

const silentLog = { debug() {}, info() {}, warn() {} }
const PORT_ATTEMPTS = 20

export type TestCluster = Awaited<ReturnType<typeof startCluster>>

/** Starts a new cluster, without any database of ours; takes about two seconds. */
export const startCluster = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-cluster-'))
  // As root it runs as the user of Debian's package.
  const user = await chooseDatabaseUser(folder, silentLog)
  if (user) await chown(folder, user.uid, user.gid)
  const run = (program: string, ...args: readonly string[]) =>
    promisify(execFile)(join(PROGRAMS, program), args, { cwd: '/', ...user })
  await run('initdb', '-D', folder, '-U', 'postgres', '-A', 'trust', '--no-locale', '-E', 'UTF8')

  const start = (port: number) => {
    const settings = `-p ${port} -k '' -c listen_addresses=127.0.0.1`
    return run('pg_ctl', '-D', folder, '-w', '-l', join(folder, 'log'), '-o', settings, 'start')
  }
  const stop = (mode: 'fast' | 'immediate') => run('pg_ctl', '-D', folder, '-w', '-m', mode, 'stop')

  const startSomewhere = async (): Promise<number> => {
    for (let attempt = 1; ; attempt++) {
      // None that an outgoing connection is given: while the server is away, it would not be free.
      const port = randomInt(20_000, 30_000)
      try {
        await start(port)
        return port
      } catch (error) {
        if (attempt === PORT_ATTEMPTS) throw error
      }
    }
  }
  const port = await startSomewhere()
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  return {
    url,
    /** Ends it as a crash does, without a word to anyone, and starts it again. */
    crash: async (): Promise<void> => {
      await stop('immediate')
      await start(port)
    },
    /** Writes all of the database to a file, beside its own. @returns the file, for `restore` */
    dump: async (): Promise<string> => {
      const path = join(folder, 'dump')
      await run('pg_dump', '--format=custom', `--file=${path}`, `--dbname=${url}`)
      return path
    },
    restore: async (path: string): Promise<void> => {
      await run('pg_restore', '--exit-on-error', `--dbname=${url}`, path)
    },
    /** Ends it, and removes its files. */
    remove: async (): Promise<void> => {
      await stop('immediate')
      await rm(folder, { recursive: true })
    },
  }
}
