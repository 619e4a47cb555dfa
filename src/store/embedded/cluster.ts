/** PostgreSQL's files: made, checked and given a password. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { EmbeddedDatabaseError } from './error.ts'
import type { DatabasePrograms } from './programs.ts'
import { type DatabaseUser, findClosedPart } from './user.ts'

/** Name of the database, and of the role that owns it. */
export const DATABASE_NAME = 'trunkline'

/** PostgreSQL's files (a "cluster" in its own words), and how its programs are run on them. */
export interface Cluster {
  readonly folder: string
  /** The folder as the programs are told it (`-D`). */
  readonly folderArgument: string
  readonly spawnOptions: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>
}

interface ClusterOptions {
  readonly dataDir: string
  readonly programs: DatabasePrograms
  readonly user: DatabaseUser
}

/**
 * The cluster `<dataDir>/postgres`, made if there is none, and the password of its role, kept in
 * `<dataDir>/database-password` for this user alone. A cluster is made aside and moved into place when
 * it is complete, so a kill halfway leaves nothing behind that counts. A lost password is replaced.
 *
 * @throws EmbeddedDatabaseError when it cannot be made, or is of another version of PostgreSQL
 */
export const openCluster = async (
  options: ClusterOptions,
): Promise<{ readonly cluster: Cluster; readonly password: string }> => {
  const { dataDir, programs, user } = options
  const passwordPath = join(dataDir, 'database-password')
  const keptPassword = await readPassword(passwordPath)
  const password = keptPassword ?? randomBytes(24).toString('base64url')
  const folder = join(dataDir, 'postgres')
  const isNew = !existsSync(join(folder, 'PG_VERSION'))
  if (!isNew) await checkVersion(folder, programs)
  if (isNew) {
    const unfinished = join(dataDir, 'postgres.new')
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    if (user !== undefined) await chown(unfinished, user.uid, user.gid)
    await createCluster(await describeCluster(unfinished, user), programs, password)
  } else if (keptPassword === undefined) {
    const cluster = await describeCluster(folder, user)
    await runSql(cluster, programs, [`ALTER ROLE ${DATABASE_NAME} PASSWORD '${password}'`])
  }
  // Only now: a password on disk that the cluster does not know would never be replaced.
  if (keptPassword === undefined) await writeFile(passwordPath, `${password}\n`, { mode: 0o600 })
  if (isNew) await rename(join(dataDir, 'postgres.new'), folder)
  return { cluster: await describeCluster(folder, user), password }
}

const readPassword = async (path: string): Promise<string | undefined> => {
  if (!existsSync(path)) return undefined
  await chmod(path, 0o600) // a copy or a restored backup may have come with another mode
  return (await readFile(path, 'utf8')).trim() || undefined
}

const describeCluster = async (path: string, user: DatabaseUser): Promise<Cluster> => {
  const folder = await realpath(path)
  const closed = await findClosedPart(folder, user)
  if (closed !== undefined && process.platform !== 'linux') {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and its user (uid ${user?.uid}) cannot enter ${closed}. ` +
        `Choose a data directory that is open to it, allow passing through (chmod o+x ${closed}), ` +
        'or start Trunkline as another user than root.',
    )
  }
  const { PATH, SystemRoot } = process.env
  return {
    folder,
    // A process enters its working directory while it is still root, and Linux follows this link
    // without passing the directories above, whose permissions are not ours to change.
    folderArgument: closed === undefined ? folder : '/proc/self/cwd',
    spawnOptions: {
      cwd: folder,
      // No more of our environment than this: other processes of that user can read it.
      env: { PATH, LC_ALL: 'C', TZ: 'UTC', ...(SystemRoot === undefined ? {} : { SystemRoot }) },
      ...user,
    },
  }
}

const createCluster = async (
  cluster: Cluster,
  programs: DatabasePrograms,
  password: string,
): Promise<void> => {
  const initdb = (...more: readonly string[]) =>
    runProgram(cluster, programs.initdb, [
      `--pgdata=${cluster.folderArgument}`,
      '--username=postgres',
      '--encoding=UTF8',
      // Sorts by code point, the same on every machine: the order of cursors and indexes never
      // changes with the system's libraries. Unlike plain C it knows upper and lower case beyond ASCII.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-locale',
      // There is no socket in the file system and the superuser has no password: nobody is superuser.
      '--auth-local=reject',
      '--auth-host=scram-sha-256',
      ...more,
    ])
  try {
    // pg_trgm asks the system what a letter is, and without this takes none beyond ASCII for one.
    await initdb('--lc-ctype=C.UTF-8')
  } catch (error) {
    if (!String(error).includes('invalid locale name')) throw error
    await initdb() // macOS, Windows: searches beyond ASCII are right all the same, only slower
  }
  await runSql(cluster, programs, [
    `CREATE ROLE ${DATABASE_NAME} LOGIN CREATEDB PASSWORD '${password}'`,
    `CREATE DATABASE ${DATABASE_NAME} OWNER ${DATABASE_NAME}`,
  ])
}

const checkVersion = async (folder: string, programs: DatabasePrograms): Promise<void> => {
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  if (version === programs.majorVersion) return
  throw new EmbeddedDatabaseError(
    `The database in ${folder} was made by PostgreSQL ${version}, this Trunkline brings ` +
      `${programs.majorVersion}. Dump it with the Trunkline that made it and restore it here, or go back.`,
  )
}

/** Runs statements as the superuser without a server; on standard input, so no one sees a password. */
const runSql = async (
  cluster: Cluster,
  programs: DatabasePrograms,
  statements: readonly string[],
): Promise<void> => {
  // A failed statement, its password included, would otherwise be repeated on standard error.
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic']
  const args = ['--single', '-D', cluster.folderArgument, ...settings, 'postgres']
  await runProgram(cluster, programs.postgres, args, `${statements.join('\n')}\n`)
}

const runProgram = async (
  cluster: Cluster,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> => {
  const child = spawn(program, args, { ...cluster.spawnOptions, stdio: ['pipe', 'ignore', 'pipe'] })
  const exited = new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject).once('exit', (code, signal) => resolve(code ?? signal))
  })
  child.stdin.on('error', () => {}) // it ended before it read all; its exit code tells
  child.stdin.end(input)
  const [outcome, errors] = await Promise.all([exited, text(child.stderr)])
  if (outcome !== 0) {
    throw new EmbeddedDatabaseError(`${program} failed (${outcome}): ${errors.trim()}`)
  }
}
