/** Child processes of a benchmark: each on a free port, each stopped by its pid in every case. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'

const START_LIMIT_MS = 60_000
const STOP_LIMIT_MS = 10_000

export interface Server {
  readonly name: string
  readonly pid: number
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** The child process, with an IPC channel to this one. */
  readonly child: ChildProcess
  stop(): Promise<void>
}

export interface ServerCommand {
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const living = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
  if (logFolder !== undefined) rmSync(logFolder, { recursive: true, force: true })
})

let logFolder: string | undefined
const openLog = (name: string): { path: string; descriptor: number } => {
  logFolder ??= mkdtempSync(join(tmpdir(), 'trunkline-bench-logs-'))
  const path = join(logFolder, `${name}-${Date.now()}.log`)
  return { path, descriptor: openSync(path, 'w') }
}

/** A Node process with a channel to this one; its output goes to a file, so that it never blocks. */
export const startProcess = ({ name, script, args = [], env }: ServerCommand) => {
  const log = openLog(name)
  const child = fork(script, [...args], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
  })
  living.add(child)
  child.once('exit', () => living.delete(child))
  return { child, printed: () => readFileSync(log.path, 'utf8').slice(-4000) }
}

/** Stops a child process with SIGTERM, then with SIGKILL. */
export const stopProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await exited
  clearTimeout(limit)
}

/** Starts a server on a free port, passed as PORT, and waits until it accepts connections. */
export const startServer = async (command: ServerCommand): Promise<Server> => {
  const port = await freePort()
  const env = { ...command.env, PORT: String(port) }
  const { child, printed } = startProcess({ ...command, env })
  const deadline = Date.now() + START_LIMIT_MS
  while (!(await isListening(port))) {
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ended || Date.now() > deadline) {
      await stopProcess(child)
      const reason = ended ? 'ended at its start' : `was not up in ${START_LIMIT_MS} ms`
      throw new Error(`${command.name} ${reason}:\n${printed()}`)
    }
    await wait(50)
  }
  if (child.pid === undefined) throw new Error(`${command.name} has no process id.`)
  return {
    name: command.name,
    pid: child.pid,
    origin: `http://127.0.0.1:${port}`,
    child,
    stop: () => stopProcess(child),
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
