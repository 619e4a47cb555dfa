/** The lock by which one process alone works on a data directory. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

// The holder writes its note within the same tick in which it takes the lock.
const NOTE_WAIT_MS = 1_000
const SQLITE_BUSY = 5 // https://www.sqlite.org/rescode.html#busy

/** Who holds a data directory, as the holder itself wrote it down; `since` is ISO 8601. */
export interface DataDirectoryHolder {
  readonly pid: number
  readonly host: string
  readonly since: string
}

/** Another process works on the data directory. */
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
 * Makes this process the only one on a data directory until it releases the lock or ends, however it
 * ends. Two files: `lock` says who holds it, for people and for the error; `lock.db` is what is locked.
 *
 * The lock is the kernel's own (SQLite is the one way to it that Node brings). A pid written in a file
 * is no lock: pids are used again, two containers on one volume may both be process 1, and two
 * processes may both find it stale. The kernel's lock dies with its process and has one owner.
 *
 * @throws DataDirectoryInUseError DATA_DIRECTORY_IN_USE
 */
export const lockDataDirectory = async (dataDir: string): Promise<{ release(): void }> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const notePath = join(dataDir, 'lock')
  const database = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 })
  try {
    // Nothing is ever written, so the journal on disk is not needed.
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
  let held = true
  return {
    release() {
      if (!held) return
      held = false
      rmSync(notePath, { force: true })
      database.close()
    },
  }
}

/** The holder's note; waits past one that a killed holder left behind. */
const readHolder = async (notePath: string): Promise<DataDirectoryHolder | undefined> => {
  const deadline = Date.now() + NOTE_WAIT_MS
  for (;;) {
    const holder = parseHolder(notePath)
    const isOurs = holder !== undefined && (holder.host !== hostname() || isAlive(holder.pid))
    if (isOurs || Date.now() > deadline) return holder
    await sleep(10)
  }
}

const parseHolder = (notePath: string): DataDirectoryHolder | undefined => {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(notePath, 'utf8'))
    return { pid: Number(pid), host: String(host), since: String(since) }
  } catch {
    return undefined // absent, or half written
  }
}

const isAlive = (pid: number): boolean => {
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
