/** Detection of a full disk on the database server. */
import type { Log } from '../../log.ts'
import { createRepeater } from '../../repeater.ts'
import type { Queryable } from './database.ts'
import { temporaryFailureOf } from './temporary-failure.ts'

/** A watch that is idle until a write fails because the disk is full. */
export interface DiskSpaceWatch {
  /** True from a disk-full error (SQLSTATE 53100) until a test write succeeds. */
  readonly isFull: boolean
  /** Receives each SQLSTATE that PostgreSQL reports. */
  note(sqlState: string): void
  start(): void
  stop(): Promise<void>
}

export interface DiskSpaceWatchOptions {
  /** The database that receives the test writes. */
  readonly database: () => Queryable
  readonly log: Pick<Log, 'warn'>
}

const DISK_FULL = '53100'
const EVERY_MS = 1000

/**
 * Writes about 1 MB to the database's file system, in a temporary table that is dropped on commit. Updating a
 * row would prove nothing, because it can succeed in space that is already allocated.
 */
const writeToDisk = ({ prisma }: Queryable): Promise<unknown> =>
  prisma.$executeRaw`
    CREATE TEMPORARY TABLE trunkline_disk_space ON COMMIT DROP AS
    SELECT gen_random_uuid() FROM generate_series(1, 25000)`

/** Creates the watch of a process. Its pools report to `note`. */
export const createDiskSpaceWatch = ({ database, log }: DiskSpaceWatchOptions): DiskSpaceWatch => {
  let isFull = false
  const tryWrite = async (): Promise<void> => {
    if (!isFull) return
    try {
      await writeToDisk(database())
    } catch (error) {
      if (temporaryFailureOf(error)) return
      // The role may lack permission for temporary tables. The next write of a request then decides.
      log.warn({ err: error }, 'cannot test whether the disk of the database has space')
    }
    isFull = false
    log.warn({}, 'the disk of the database has space again')
  }
  const repeater = createRepeater({ step: tryWrite, everyMs: EVERY_MS, onFailure: () => {} })
  return {
    get isFull() {
      return isFull
    },
    note: (sqlState) => {
      if (sqlState !== DISK_FULL || isFull) return
      isFull = true
      log.warn({}, 'the disk of the database is full: writes are rejected until there is space')
    },
    start: repeater.start,
    stop: repeater.stop,
  }
}
