/** The system user that runs PostgreSQL, and the paths that this user can access. */

import { execFile } from 'node:child_process'
import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../../../log.ts'
import { EmbeddedDatabaseError } from './error.ts'

/** The user that runs PostgreSQL; undefined: the user of this process. */
export type DatabaseUser = { readonly uid: number; readonly gid: number } | undefined

const USER_NAME = 'postgres'

/**
 * Chooses the user that runs PostgreSQL, which does not run as root. If this process is root, PostgreSQL runs as
 * the owner of the database files; for a new cluster, as the user `postgres`, which is created if missing.
 *
 * @throws EmbeddedDatabaseError if that user is missing and cannot be created
 */
export const chooseDatabaseUser = async (
  clusterFolder: string,
  log: Log,
): Promise<DatabaseUser> => {
  if (process.getuid?.() !== 0) return undefined
  const owner = await stat(clusterFolder).catch(() => undefined)
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const existing = await findUser()
  if (existing !== undefined) return existing
  try {
    const options = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin']
    await promisify(execFile)('useradd', [...options, USER_NAME])
    log.info({}, `created the system user ${USER_NAME}: PostgreSQL does not run as root`)
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and the user ${USER_NAME} does not exist and could not be created. ` +
        `Create it (useradd --system ${USER_NAME}), start Trunkline as a user other than root, ` +
        'or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
  return findUser()
}

const findUser = async (): Promise<DatabaseUser> => {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n')
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${USER_NAME}:`))?.split(':') ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: +uid, gid: +gid }
}

/** The first directory of a path that the user cannot access, by its mode bits; undefined: none. */
export const findClosedPart = async (
  path: string,
  user: DatabaseUser,
): Promise<string | undefined> => {
  if (user === undefined) return undefined
  const parts = [await realpath(path)]
  for (let part = dirname(parts[0] ?? path); part !== parts[0]; part = dirname(part)) {
    parts.unshift(part)
  }
  for (const part of parts) {
    const { uid, gid, mode } = await stat(part)
    const rights = uid === user.uid ? mode >> 6 : gid === user.gid ? mode >> 3 : mode
    if ((rights & 0o1) === 0) return part
  }
  return undefined
}
