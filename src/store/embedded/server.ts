/** The server itself: started on a free port, kept running, stopped. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import { type DatabaseLog, EmbeddedDatabaseError } from './error.ts'
import type { DatabasePrograms } from './programs.ts'

const HOST = '127.0.0.1'
const STOP_TIMEOUT_MS = 60_000
const END_TIMEOUT_MS = 10_000
const RESTART_DELAYS_MS = { first: 50, longest: 5_000 }
const START_ATTEMPTS = 50
const READY = 'database system is ready to accept connections'
// Another program took the port in the meantime, or the last children of a killed server are still ending.
const PASSES = /could not create any TCP\/IP sockets|pre-existing shared memory block/

// Given on the command line, so they hold whatever stands in postgresql.conf.
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: HOST,
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A machine of 1 GB holds this beside Node; more helps little while the rest is the system's cache.
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  max_connections: '100',
  // Compiling costs more than it saves on queries of milliseconds.
  jit: 'off',
  // A commit that was acknowledged is on disk.
  fsync: 'on',
  synchronous_commit: 'on',
  // Failed statements are answered to the caller; in a log they would carry records and secrets.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_line_prefix: '',
}

interface ServerOptions {
  readonly programs: DatabasePrograms
  readonly cluster: Cluster
  readonly log: DatabaseLog
}

/** A running PostgreSQL; a port on loopback that stays the same until it is stopped. */
export interface DatabaseServer {
  readonly port: number
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL and keeps it running: should it end by itself, it is started again on its port.
 * It runs in a session of its own, so Ctrl-C in the terminal reaches this process alone, which stops
 * it last.
 *
 * @throws EmbeddedDatabaseError with PostgreSQL's last words when it does not start
 */
export const startServer = async (options: ServerOptions): Promise<DatabaseServer> => {
  const { log } = options
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  const launch = (port: number) =>
    launchServer(options, port, (spawned) => {
      child = spawned
    })
  // Without stop() (an exit in the middle of things) the database is at least asked to end as well.
  const askToEnd = () => child?.kill('SIGINT')
  process.once('exit', askToEnd)

  const startFirst = async () => {
    for (let attempt = 1; ; attempt++) {
      const port = await findFreePort()
      try {
        return { port, run: await launch(port) }
      } catch (error) {
        if (attempt === START_ATTEMPTS || !PASSES.test(String(error))) throw error
        await sleep(100)
      }
    }
  }
  const startAgain = async (port: number) => {
    for (let delayMs = RESTART_DELAYS_MS.first; !stopping.signal.aborted; delayMs *= 2) {
      try {
        return await launch(port)
      } catch (error) {
        log.warn(String(error))
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
      log.warn(`PostgreSQL ended by itself (${outcome}); starting it again`)
      run = await startAgain(port)
    }
  }
  const stop = async (running: Promise<void>) => {
    stopping.abort()
    child?.kill('SIGINT') // fast shutdown: disconnects clients, writes a checkpoint
    const impatience = setTimeout(() => {
      log.warn(`PostgreSQL has not stopped within ${STOP_TIMEOUT_MS} ms; ending it at once`)
      child?.kill('SIGQUIT') // immediate shutdown: the next start recovers what was committed
    }, STOP_TIMEOUT_MS)
    // Frozen, it hears nothing else.
    const end = setTimeout(() => child?.kill('SIGKILL'), STOP_TIMEOUT_MS + END_TIMEOUT_MS)
    await running
    clearTimeout(impatience)
    clearTimeout(end)
    process.off('exit', askToEnd)
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
    process.off('exit', askToEnd)
    throw error
  }
}

/** `exited` resolves to how it ended: a signal or an exit code. */
interface Run {
  readonly exited: Promise<string>
}

/** Starts the server once; resolves when it takes connections. */
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
      if (/^(WARNING|FATAL|PANIC):/.test(line)) log.warn(`PostgreSQL: ${line}`)
      else log.debug(`PostgreSQL: ${line}`)
      if (line.includes(READY)) resolve(true)
    })
  })
  const outcome = await Promise.race([ready, exited])
  if (outcome === true) return { exited }
  await closed // its last words may still be on the way
  throw new EmbeddedDatabaseError(
    `PostgreSQL did not start on port ${port} (${outcome}): ${lines.join(' ')}`,
  )
}

/** A port that is free now; should another program take it first, the start is tried again. */
const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new TypeError('no TCP port')
  return address.port
}
