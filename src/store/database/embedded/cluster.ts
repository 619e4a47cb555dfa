/** The files of the embedded PostgreSQL: creation, version check and password. */
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

/** A PostgreSQL database cluster (its data directory), and how to run programs on it. */
export interface Cluster {
  readonly folder: string
  /** The folder as passed to the programs (`-D`). */
  readonly folderArgument: string
  readonly spawnOptions: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'>
}

interface ClusterOptions {
  readonly dataDir: string
  readonly programs: DatabasePrograms
  readonly user: DatabaseUser
  /** Called when the first program runs. */
  readonly onSpawn: () => void
}

interface OpenedCluster {
  readonly cluster: Cluster
  readonly password: string
  readonly isNew: boolean
}

/**
 * Opens the cluster `<dataDir>/postgres`, or creates it, and returns the password of its role, which is stored
 * in `<dataDir>/database-password` (mode 0600). A new cluster is created in a temporary folder and renamed when
 * it is complete, so an interrupted creation leaves no partial cluster. A lost password is replaced. The files
 * of a new cluster are not flushed to disk yet: call `flushCluster`.
 *
 * @throws EmbeddedDatabaseError if it cannot be created, or belongs to another major version of PostgreSQL
 */
export const openCluster = async (options: ClusterOptions): Promise<OpenedCluster> => {
  const { dataDir, programs, user, onSpawn } = options
  const passwordPath = join(dataDir, 'database-password')
  const storedPassword = await readPassword(passwordPath)
  const password = storedPassword ?? randomBytes(24).toString('base64url')
  const folder = join(dataDir, 'postgres')
  const isNew = !existsSync(join(folder, 'PG_VERSION'))
  if (!isNew) await checkVersion(folder, programs)
  if (isNew) {
    const unfinished = join(dataDir, 'postgres.new')
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    if (user !== undefined) await chown(unfinished, user.uid, user.gid)
    const creating = createCluster(await describeCluster(unfinished, user), programs, password)
    onSpawn()
    await creating
  } else if (storedPassword === undefined) {
    const cluster = await describeCluster(folder, user)
    await runSql(cluster, programs, [`ALTER ROLE ${DATABASE_NAME} PASSWORD '${password}'`])
  }
  // Write the password last: one on disk that does not match the cluster would never be replaced.
  if (storedPassword === undefined) await writeFile(passwordPath, `${password}\n`, { mode: 0o600 })
  if (isNew) await rename(join(dataDir, 'postgres.new'), folder)
  return { cluster: await describeCluster(folder, user), password, isNew }
}

/** Flushes every file of a cluster to disk. A server may run on it in the meantime. @throws EmbeddedDatabaseError */
export const flushCluster = (cluster: Cluster, programs: DatabasePrograms): Promise<void> =>
  runProgram(cluster, programs.initdb, [`--pgdata=${cluster.folderArgument}`, '--sync-only'])

const readPassword = async (path: string): Promise<string | undefined> => {
  if (!existsSync(path)) return undefined
  await chmod(path, 0o600) // a copy or a restored backup may have another mode
  return (await readFile(path, 'utf8')).trim() || undefined
}

const describeCluster = async (path: string, user: DatabaseUser): Promise<Cluster> => {
  const folder = await realpath(path)
  const closed = await findClosedPart(folder, user)
  if (closed !== undefined && process.platform !== 'linux') {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and its user (uid ${user?.uid}) cannot access ${closed}. ` +
        `Choose a data directory that this user can access, grant access (chmod o+x ${closed}), ` +
        'or start Trunkline as a user other than root.',
    )
  }
  const { PATH, SystemRoot } = process.env
  return {
    folder,
    // The process changes to its working directory while it is still root. Linux resolves this link without
    // checking the parent directories, whose permissions we do not change.
    folderArgument: closed === undefined ? folder : '/proc/self/cwd',
    spawnOptions: {
      cwd: folder,
      // Passes only these variables: other processes of that user can read the environment.
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
      // Sorts by code point on every machine, so the order of cursors and indexes never depends on system
      // libraries. Unlike plain C, it maps upper and lower case beyond ASCII.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-locale',
      // There is no Unix socket and the superuser has no password, so nobody can log in as superuser.
      '--auth-local=reject',
      '--auth-host=scram-sha-256',
      // The start flushes the files while it continues: see flushCluster.
      '--no-sync',
      ...more,
    ])
  try {
    // pg_trgm uses the system's character classes; without this it ignores letters beyond ASCII.
    await initdb('--lc-ctype=C.UTF-8')
  } catch (error) {
    if (!String(error).includes('invalid locale name')) throw error
    await initdb() // macOS, Windows: searches beyond ASCII are correct but slower
  }
  // The database that initdb has created is renamed: creating another would write its 300 files once more.
  await runSql(cluster, programs, [
    `CREATE ROLE ${DATABASE_NAME} LOGIN CREATEDB PASSWORD '${password}'`,
    `ALTER DATABASE postgres RENAME TO ${DATABASE_NAME}`,
    `ALTER DATABASE ${DATABASE_NAME} OWNER TO ${DATABASE_NAME}`,
  ])
}

const checkVersion = async (folder: string, programs: DatabasePrograms): Promise<void> => {
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  if (version === programs.majorVersion) return
  throw new EmbeddedDatabaseError(
    `The database in ${folder} was made by PostgreSQL ${version}, but this version of Trunkline includes ` +
      `${programs.majorVersion}. Dump the database with the previous version of Trunkline and restore it ` +
      'with this one, or reinstall the previous version.',
  )
}

/** Runs statements as the superuser without a server. They use standard input, which hides the password. */
const runSql = async (
  cluster: Cluster,
  programs: DatabasePrograms,
  statements: readonly string[],
): Promise<void> => {
  // Otherwise a failed statement, including its password, would be written to standard error.
  const settings = ['-c', 'exit_on_error=on', '-c', 'log_min_error_statement=panic']
  const args = ['--single', '-D', cluster.folderArgument, ...settings, 'template1']
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
  child.stdin.on('error', () => {}) // the program ended before it read all input; its exit code is checked below
  child.stdin.end(input)
  const [outcome, errors] = await Promise.all([exited, text(child.stderr)])
  if (outcome !== 0) {
    throw new EmbeddedDatabaseError(`${program} failed (${outcome}): ${errors.trim()}`)
  }
}
