/** Access to a PostgreSQL that another process runs on the same data directory. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedDatabaseError } from './error.ts'

/**
 * Reads the password and port of the PostgreSQL that another process runs on a data directory. Only the owner of
 * the directory can read the two files.
 *
 * @throws EmbeddedDatabaseError if the server is starting or stopping
 */
export const findRunningServer = async (
  dataDir: string,
): Promise<{ readonly password: string; readonly port: string }> => {
  const read = (name: string) => readFile(join(dataDir, name), 'utf8').catch(() => '')
  const password = (await read('database-password')).trim()
  // Lines: pid, folder, start time, port, …, status (PostgreSQL's src/include/utils/pidfile.h)
  const lines = (await read(join('postgres', 'postmaster.pid'))).split('\n')
  const [port = '', status = ''] = [lines[3], lines[7]].map((line) => line?.trim())
  if (password === '' || port === '' || status !== 'ready')
    throw new EmbeddedDatabaseError(
      `The database in ${dataDir} is starting or stopping. Try again.`,
    )
  return { password, port }
}
