/** The log of a process: one JSON line per event, without secrets. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import { redactSecrets } from '../api/http/redaction.ts'
import { activeSpan } from '../tracing.ts'
import type { Config } from './config.ts'

// Properties that are never written, wherever they are in a logged object.
const SECRETS = ['authorization', '*.authorization', 'headers.authorization', 'values', '*.values']

const LOG_DELAY_MS = 500
const FLUSH_MS = 1000
// Lines that cannot be written, e.g. on a full disk, are kept up to this limit; later ones are dropped.
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const FAILURE_REPORT_MS = 60_000

/** The logged form of an error: without other properties, such as the connection that it came from. */
const describeError = (error: unknown): object =>
  error instanceof Error
    ? {
        type: error.name,
        message: redactSecrets(error.message),
        stack: error.stack && redactSecrets(error.stack),
        ...('code' in error && { code: error.code }),
        ...(error.cause !== undefined && { cause: describeError(error.cause) }),
      }
    : { message: redactSecrets(String(error)) }

/** @throws Error naming the variable, if the file cannot be written */
const openLogFile = (path: string): void => {
  try {
    mkdirSync(dirname(path), { recursive: true })
    closeSync(openSync(path, 'a'))
  } catch (error) {
    throw new Error(`LOG_FILE: ${path} cannot be written: ${String(error)}`, { cause: error })
  }
}

type Destination = ReturnType<typeof pino.destination>

/** Lets the service run on while the log cannot be written, and reports that on standard error once a minute. */
const tolerateWriteFailures = (destination: Destination): void => {
  let isFailing = false
  let quietUntilMs = 0
  destination.on('write', () => {
    isFailing = false
  })
  destination.on('error', (error: Error) => {
    isFailing = true
    if (performance.now() < quietUntilMs) return
    quietUntilMs = performance.now() + FAILURE_REPORT_MS
    console.error(`The log cannot be written: ${error.message}`)
  })
  // pino calls this at exit. If writing fails it would retry forever, and the process would not end.
  const flushSync = destination.flushSync.bind(destination)
  destination.flushSync = () => {
    if (!isFailing) flushSync()
  }
}

/** The trace that a line belongs to. */
const traceOfLine = (): object => {
  const traceId = activeSpan()?.traceId
  return traceId === undefined ? {} : { traceId }
}

/** Creates the log of a process, whose lines all have its role and host. @throws Error if the file cannot be written */
export const createLog = ({ logFile, logLevel, tracing }: Config, role: string): Logger => {
  if (logFile !== undefined) openLogFile(logFile)
  // Lines are buffered, so that requests do not wait for the disk.
  const destination = pino.destination({
    dest: logFile ?? 1,
    sync: false,
    minLength: 4096,
    maxLength: MAX_WAITING_BYTES,
  })
  tolerateWriteFailures(destination)
  const log = pino(
    {
      level: logLevel,
      redact: SECRETS,
      serializers: { err: describeError },
      base: { role, host: hostname() },
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(tracing && { mixin: traceOfLine }),
    },
    destination,
  )
  setInterval(() => log.flush(), LOG_DELAY_MS).unref()
  return log
}

/** Writes the buffered lines. Drops them if that fails, because the process would otherwise wait forever. */
export const closeLog = async (log: Logger): Promise<void> => {
  const flushed = new Promise<boolean>((resolve) => log.flush((error) => resolve(!error)))
  const waiting = new AbortController()
  const { signal } = waiting
  const isWritten = await Promise.race([
    flushed,
    wait(FLUSH_MS, false, { signal }).catch(() => false),
  ])
  waiting.abort()
  if (!isWritten) Object(log)[pino.symbols.streamSym].destroy()
}
