/** An exclusive lock on a data directory. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

// The holder writes its note immediately after it takes the lock.
const NOTE_WAIT_MS = 1_000
const SQLITE_BUSY = 5 // https://www.sqlite.org/rescode.html#busy

/** The holder of a data directory, as the holder wrote it to the lock file. `since` is ISO 8601. */
export interface DataDirectoryHolder {
  readonly pid: number
  readonly host: string
  readonly since: string
}

/** Another process uses the data directory. */
export class DataDirectoryInUseError extends Error {
  readonly code = 'DATA_DIRECTORY_IN_USE'
  readonly dataDir: string
  readonly holder: DataDirectoryHolder | undefined
  override readonly name = 'DataDirectoryInUseError'

  constructor(dataDir: string, holder: DataDirectoryHolder | undefined) {
    const who =
      holder === undefined
        ? 'another process'
        : `process ${holder.pid} on ${holder.host} since ${holder.since}`
    super(
      `The data directory ${dataDir} is in use by ${who}. ` +
        'Stop that process first, or choose another data directory.',
    )
    this.dataDir = dataDir
    this.holder = holder
  }
}

/**
 * Locks a data directory for this process until it releases the lock or ends. There are two files: `lock`
 * contains the holder, for operators and for the error message; `lock.db` is the locked file.
 *
 * This is a kernel lock; SQLite is the only access to it that Node includes. A pid file would not be a lock: pids
 * are reused, two containers on one volume may both be process 1, and two processes may both consider it
 * stale. A kernel lock has one owner and ends with its process.
 *
 * @throws DataDirectoryInUseError DATA_DIRECTORY_IN_USE
 */
export const lockDataDirectory = async (dataDir: string): Promise<{ release(): void }> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const notePath = join(dataDir, 'lock')
  const database = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 })
  try {
    // Nothing is ever written, so no journal on disk is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new DataDirectoryInUseError(dataDir, await readHolder(notePath))
  }
  const holder: DataDirectoryHolder = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
  }
  writeFileSync(notePath, `${JSON.stringify(holder)}\n`)
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      rmSync(notePath, { force: true })
      database.close()
    },
  }
}

/** Reads the holder's note. Waits for a new note if the existing one is from a killed process. */
const readHolder = async (notePath: string): Promise<DataDirectoryHolder | undefined> => {
  const deadline = performance.now() + NOTE_WAIT_MS
  for (;;) {
    const holder = parseHolder(notePath)
    const isCurrent = holder !== undefined && (holder.host !== hostname() || isAlive(holder.pid))
    if (isCurrent || performance.now() > deadline) return holder
    await sleep(10)
  }
}

const parseHolder = (notePath: string): DataDirectoryHolder | undefined => {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(notePath, 'utf8'))
    return { pid: Number(pid), host: String(host), since: String(since) }
  } catch {
    return undefined // missing or partly written
  }
}

/** Whether any process has the pid. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

const isBusy = (error: unknown): boolean => {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
