/** The PostgreSQL that another process runs on the same data directory. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedDatabaseError } from './error.ts'

/**
 * How the PostgreSQL that another process runs on a data directory is reached: both files are for the
 * directory's owner alone.
 *
 * @throws EmbeddedDatabaseError while it is starting or stopping
 */
export const findRunningServer = async (
  dataDir: string,
): Promise<{ readonly password: string; readonly port: string }> => {
  const read = (name: string) => readFile(join(dataDir, name), 'utf8').catch(() => '')
  const password = (await read('database-password')).trim()
  // Its lines: pid, folder, start time, port, …, status (PostgreSQL's src/include/utils/pidfile.h)
  const lines = (await read(join('postgres', 'postmaster.pid'))).split('\n')
  const [port = '', status = ''] = [lines[3], lines[7]].map((line) => line?.trim())
  if (password === '' || port === '' || status !== 'ready')
    throw new EmbeddedDatabaseError(
      `The database in ${dataDir} is just being started or stopped: try again.`,
    )
  return { password, port }
}
