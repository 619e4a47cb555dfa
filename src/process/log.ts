/** The log of a process: one JSON line an event, without what is secret. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import type { Config } from '../config.ts'

// What may never be written, wherever it turns up in what is logged.
const SECRETS = ['authorization', '*.authorization', 'headers.authorization', 'values', '*.values']

const LOG_DELAY_MS = 500
const FLUSH_MS = 1000
// Of lines that cannot be written, on a full disk say, so many wait; later ones are dropped.
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const COMPLAINT_MS = 60_000

// Of what pg-boss tells of a failure, no more: the rest is the job itself.
const COPIED = ['message', 'stack', 'code', 'queue'] as const

/** An object with what stood in an error, such as pg-boss gives out. */
const isErrorCopy = (
  thrown: unknown,
): thrown is { readonly [K in (typeof COPIED)[number]]?: unknown } =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'message' in thrown &&
  typeof thrown.message === 'string'

/** What the log says of an error: not all that hangs on it, such as the connection that it came over. */
const describeError = (error: unknown): object =>
  error instanceof Error
    ? {
        type: error.name,
        message: error.message,
        stack: error.stack,
        ...('code' in error && { code: error.code }),
        ...(error.cause !== undefined && { cause: describeError(error.cause) }),
      }
    : isErrorCopy(error)
      ? Object.fromEntries(COPIED.flatMap((name) => (name in error ? [[name, error[name]]] : [])))
      : { message: String(error) }

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

/** While lines cannot be written the service goes on without them, and standard error says so now and then. */
const surviveFailures = (destination: Destination): void => {
  let isFailing = false
  let quietUntilMs = 0
  destination.on('write', () => {
    isFailing = false
  })
  destination.on('error', (error: Error) => {
    isFailing = true
    if (performance.now() < quietUntilMs) return
    quietUntilMs = performance.now() + COMPLAINT_MS
    console.error(`The log cannot be written: ${error.message}`)
  })
  // Called when the process exits; where writing fails it would try again for ever, and the process stay.
  const flushSync = destination.flushSync.bind(destination)
  destination.flushSync = () => {
    if (!isFailing) flushSync()
  }
}

/** @throws Error if the log's file cannot be written */
export const createLog = ({ logFile, logLevel }: Config): Logger => {
  if (logFile !== undefined) openLogFile(logFile)
  // Lines are gathered and written apart from the requests that they are of.
  const destination = pino.destination({
    dest: logFile ?? 1,
    sync: false,
    minLength: 4096,
    maxLength: MAX_WAITING_BYTES,
  })
  surviveFailures(destination)
  const log = pino(
    {
      level: logLevel,
      redact: SECRETS,
      serializers: { err: describeError },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  )
  setInterval(() => log.flush(), LOG_DELAY_MS).unref()
  return log
}

/** Writes the lines that wait. If that cannot be done they are let go: the process would wait for it for ever. */
export const closeLog = async (log: Logger): Promise<void> => {
  const flushed = new Promise<boolean>((resolve) => log.flush((error) => resolve(!error)))
  const patience = new AbortController()
  const { signal } = patience
  const isWritten = await Promise.race([
    flushed,
    wait(FLUSH_MS, false, { signal }).catch(() => false),
  ])
  patience.abort()
  if (!isWritten) Object(log)[pino.symbols.streamSym].destroy()
}
