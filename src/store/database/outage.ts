/** Detection of database outages, which are two lines in the log instead of one for each failure that they cause. */
import type { Log } from '../../log.ts'
import { createRepeater } from '../../repeater.ts'
import type { Queryable } from './database.ts'
import { type TemporaryFailure, temporaryFailureOf } from './temporary-failure.ts'

/** A watch that is idle until a failure shows that the database is unavailable. */
export interface OutageWatch {
  /** The same log, with failures that an outage causes at debug level. */
  quiet(log: Log): Log
  /** Begins an outage, unless there is one. @param reason for the log */
  begin(reason: string): void
  start(): void
  stop(): Promise<void>
}

export interface OutageWatchOptions {
  readonly database: () => Queryable
  /** Whether the PostgreSQL listener is connected. An outage lasts until it is. */
  readonly isListening: () => boolean
  readonly log: Log
}

const EVERY_MS = 500

// Another kind of failure, e.g. a deadlock, may also occur while the database is available.
const OUTAGES: readonly TemporaryFailure['reason'][] = ['unreachable', 'read-only']
/** Failures that an outage causes too, e.g. statements that wait for a connection. */
const CONSEQUENCES: readonly TemporaryFailure['reason'][] = [...OUTAGES, 'overloaded', 'too-slow']

/** The cause in the last line of an error of Prisma; the lines before it quote the call. */
const reasonOf = (error: unknown): string => {
  // If no address of a host can be reached, Node's error has no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error)
}

const isWritable = async ({ prisma }: Queryable): Promise<boolean> => {
  const [row] = await prisma.$queryRaw<{ isStandby: boolean }[]>`
    SELECT pg_is_in_recovery() AS "isStandby"`
  return row?.isStandby === false
}

/** Creates the watch of a process. */
export const createOutageWatch = ({
  database,
  isListening,
  log,
}: OutageWatchOptions): OutageWatch => {
  let outage: { readonly startedMs: number; failures: number } | undefined

  const begin = (reason: string): void => {
    if (outage) return
    outage = { startedMs: performance.now(), failures: 0 }
    log.warn({ reason }, 'the database is unavailable')
  }

  const check = async (): Promise<void> => {
    if (!outage || !(isListening() && (await isWritable(database())))) return
    const { startedMs, failures } = outage
    outage = undefined
    const lastedMs = Math.round(performance.now() - startedMs)
    log.warn({ lastedMs, failures }, 'the database is available again')
  }
  // It is checked again after a failure.
  const checks = createRepeater({ step: check, everyMs: EVERY_MS, onFailure: () => {} })

  /** Whether an error is a part of an outage, which it may begin. */
  const absorbs = (error: unknown): boolean => {
    const failure = temporaryFailureOf(error)
    if (!failure || !(outage ? CONSEQUENCES : OUTAGES).includes(failure.reason)) return false
    begin(reasonOf(error))
    if (outage) outage.failures++
    return true
  }

  return {
    quiet: (loud) => {
      const lower =
        (level: 'warn' | 'error'): Log['warn'] =>
        (fields, message) =>
          loud['err' in fields && absorbs(fields.err) ? 'debug' : level](fields, message)
      return {
        debug: (fields, message) => loud.debug(fields, message),
        info: (fields, message) => loud.info(fields, message),
        warn: lower('warn'),
        error: lower('error'),
      }
    },
    begin,
    start: checks.start,
    stop: checks.stop,
  }
}
