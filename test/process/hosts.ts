/** Processes with an embedded database, and data directories, for tests that kill and restart them. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentLog } from '../../src/log.ts'
import { stopOrphan } from '../../src/store/database/embedded/orphan.ts'

/** A message from `database-host.ts` to its parent. */
export type HostMessage = {
  readonly url?: string
  readonly error?: { readonly message: string; readonly code?: string }
  readonly warning?: string
  readonly written?: number
  readonly drained?: true
}

const dataDirs: string[] = []
const children: ChildProcess[] = []

/** A new data directory; `endHosts` stops its database and removes it. */
export async function createDataDir(mode = 0o700): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-process-'))
  await chmod(dataDir, mode)
  dataDirs.push(dataDir)
  return dataDir
}

/** Starts a script of this folder as a child process. */
export function startProcess(script: string, args: string[], options: ForkOptions = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = fork(path, args, { execArgv: [], ...options })
  children.push(child)
  return child
}

/** The first value that `select` returns for a message; rejects if the process exits before. */
export function waitForMessage<Message, Found>(
  child: ChildProcess,
  select: (message: Message) => Found | undefined,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      const found = select(message as Message) // from a script of this folder
      if (found === undefined) return
      child.off('message', onMessage)
      resolve(found)
    }
    child.on('message', onMessage)
    child.once('exit', (code, signal) => reject(new Error(`ended early: ${signal ?? code}`)))
  })
}

/** Starts a process with an embedded database and waits until it serves. */
export async function startHost(args: string[], options?: ForkOptions) {
  const child = startProcess('database-host.ts', args, options)
  const { url, error } = await waitForMessage(child, (message: HostMessage) =>
    message.url || message.error ? message : undefined,
  )
  return { child, pid: child.pid ?? 0, url: url ?? '', error }
}

/** Sends a signal and waits for the exit. */
export async function endWith(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Pid of the PostgreSQL on a data directory. */
export async function readPostmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}

/** Kills every process started here and its leftovers. */
export async function endHosts(): Promise<void> {
  for (const child of children.splice(0)) await endWith(child, 'SIGKILL')
  for (const dataDir of dataDirs.splice(0)) {
    await stopOrphan(join(dataDir, 'postgres'), silentLog)
    await rm(dataDir, { recursive: true, force: true })
  }
}
