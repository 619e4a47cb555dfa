/** The embedded PostgreSQL server: start on a free port, supervision and stop. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import type { Cluster } from './cluster.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { stopOrphan } from './orphan.ts'
import type { DatabasePrograms } from './programs.ts'

const HOST = '127.0.0.1'
const STOP_TIMEOUT_MS = 60_000
const END_TIMEOUT_MS = 10_000
const RESTART_DELAYS_MS = { first: 50, longest: 5_000 }
const START_ATTEMPTS = 50
const READY = 'database system is ready to accept connections'
// Another program took the port in the meantime; the last children of a killed server are still ending; or an orphan
// was still starting when orphans were stopped.
const TEMPORARY =
  /could not create any TCP\/IP sockets|pre-existing shared memory block|lock file "postmaster.pid" already exists/

/** Messages about single connections while the server stops or starts; the server's own lines report that too. */
const OF_CONNECTION = /^FATAL: +(the database system is|terminating connection)/

// Passed on the command line, which overrides postgresql.conf.
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Fits next to Node on a machine with 1 GB. More helps little, because the system caches files too.
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  max_connections: '100',
  // JIT compilation costs more than it saves for queries that take milliseconds.
  jit: 'off',
  // Acknowledged commits are on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  // The client receives the errors of failed statements; in a log they would expose records and secrets.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_line_prefix: '',
}

interface ServerOptions {
  readonly programs: DatabasePrograms
  readonly cluster: Cluster
  readonly log: Log
  /** Called at each launch. */
  readonly onSpawn: () => void
}

/** A running PostgreSQL on a loopback port, which stays the same until the server is stopped. */
export interface DatabaseServer {
  readonly port: number
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL and keeps it running: if it exits unexpectedly, it is restarted on the same port. It runs in
 * a session of its own, so Ctrl-C in the terminal reaches only this process, which stops PostgreSQL last.
 *
 * @throws EmbeddedDatabaseError with PostgreSQL's last log lines if it does not start
 */
export const startServer = async (options: ServerOptions): Promise<DatabaseServer> => {
  const { log } = options
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  const launch = (port: number) =>
    launchServer(options, port, (spawned) => {
      child = spawned
      options.onSpawn()
    })
  // If the process exits without stop(), signal PostgreSQL to shut down.
  const signalShutdown = () => child?.kill('SIGINT')
  process.once('exit', signalShutdown)

  const startFirst = async () => {
    for (let attempt = 1; ; attempt++) {
      const port = await findFreePort()
      try {
        return { port, run: await launch(port) }
      } catch (error) {
        if (attempt === START_ATTEMPTS || !TEMPORARY.test(String(error))) throw error
        await sleep(100)
        await stopOrphan(options.cluster.folder, log)
      }
    }
  }
  const restart = async (port: number) => {
    for (let delayMs = RESTART_DELAYS_MS.first; !stopping.signal.aborted; delayMs *= 2) {
      try {
        return await launch(port)
      } catch (error) {
        log.warn({ err: error }, 'the embedded PostgreSQL failed')
        const waitMs = Math.min(delayMs, RESTART_DELAYS_MS.longest)
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
    return undefined
  }
  const keepRunning = async (port: number, firstRun: Run) => {
    let run: Run | undefined = firstRun
    while (run !== undefined) {
      const outcome = await run.exited
      if (stopping.signal.aborted) return
      log.warn({}, `PostgreSQL exited unexpectedly (${outcome}); restarting`)
      run = await restart(port)
    }
  }
  const stop = async (running: Promise<void>) => {
    stopping.abort()
    child?.kill('SIGINT') // fast shutdown: disconnects clients, writes a checkpoint
    const quitTimer = setTimeout(() => {
      log.warn(
        {},
        `PostgreSQL did not stop within ${STOP_TIMEOUT_MS} ms; shutting it down immediately`,
      )
      child?.kill('SIGQUIT') // immediate shutdown: the next start recovers committed data
    }, STOP_TIMEOUT_MS)
    // A frozen process ignores every other signal.
    const killTimer = setTimeout(() => child?.kill('SIGKILL'), STOP_TIMEOUT_MS + END_TIMEOUT_MS)
    await running
    clearTimeout(quitTimer)
    clearTimeout(killTimer)
    process.off('exit', signalShutdown)
  }

  try {
    const { port, run } = await startFirst()
    const running = keepRunning(port, run)
    let stopped: Promise<void> | undefined
    return {
      port,
      stop() {
        stopped ??= stop(running)
        return stopped
      },
    }
  } catch (error) {
    process.off('exit', signalShutdown)
    throw error
  }
}

/** One run of the server. `exited` resolves to its signal or exit code. */
interface Run {
  readonly exited: Promise<string>
}

/** Starts the server once; resolves when it accepts connections. */
const launchServer = async (
  { programs, cluster, log }: ServerOptions,
  port: number,
  onSpawn: (child: ChildProcess) => void,
): Promise<Run> => {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', cluster.folderArgument, '-p', String(port), ...settings]
  const child = spawn(programs.postgres, args, {
    ...cluster.spawnOptions,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onSpawn(child)
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => child.pid === undefined && resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const closed = new Promise((resolve) => child.once('close', resolve))
  const lines: string[] = []
  const ready = new Promise<true>((resolve) => {
    createInterface(child.stderr).on('line', (line) => {
      if (lines.push(line) > 20) lines.shift()
      const isWarning = /^(WARNING|FATAL|PANIC):/.test(line) && !OF_CONNECTION.test(line)
      log[isWarning ? 'warn' : 'debug']({}, `PostgreSQL: ${line}`)
      if (line.includes(READY)) resolve(true)
    })
  })
  const outcome = await Promise.race([ready, exited])
  if (outcome === true) return { exited }
  await closed // the last log lines may still arrive
  throw new EmbeddedDatabaseError(
    `PostgreSQL did not start on port ${port} (${outcome}): ${lines.join(' ')}`,
  )
}

/** Finds a free port. If another program takes it first, the start is retried. */
const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string')
    throw new TypeError('The server has no TCP port.')
  return address.port
}
