/** A PostgreSQL 15 cluster for one test, made with Debian's programs, which the test can crash, dump and restore. */

import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { silentLog } from '../../src/log.ts'
import { chooseDatabaseUser } from '../../src/store/database/embedded/user.ts'

const PROGRAMS = '/usr/lib/postgresql/15/bin'

/** Why this machine cannot run a cluster. CI installs the programs, so there it is an error. */
export const missingPrograms = existsSync(join(PROGRAMS, 'pg_dump'))
  ? undefined
  : `PostgreSQL's own programs are not installed: ${PROGRAMS}/pg_dump (apt-get install postgresql-15)`
if (missingPrograms && process.env.CI !== undefined) throw new Error(missingPrograms)

const PORT_ATTEMPTS = 20

export type TestCluster = Awaited<ReturnType<typeof startCluster>>

/** Starts a new cluster without any Trunkline database; takes about two seconds. */
export const startCluster = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-cluster-'))
  // When the tests run as root, the cluster runs as the user of Debian's package.
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
      // Not an ephemeral port: while the server is down, an outgoing connection could take it.
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
    /** Crashes the server without notice to its clients, and starts it again. */
    crash: async (): Promise<void> => {
      await stop('immediate')
      await start(port)
    },
    /** Dumps the whole database to a file in the cluster's folder. @returns the path, for `restore` */
    dump: async (): Promise<string> => {
      const path = join(folder, 'dump')
      await run('pg_dump', '--format=custom', `--file=${path}`, `--dbname=${url}`)
      return path
    },
    restore: async (path: string): Promise<void> => {
      await run('pg_restore', '--exit-on-error', `--dbname=${url}`, path)
    },
    /** Stops the cluster and removes its files. */
    remove: async (): Promise<void> => {
      await stop('immediate')
      await rm(folder, { recursive: true })
    },
  }
}
