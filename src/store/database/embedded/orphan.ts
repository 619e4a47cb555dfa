/** Stops an orphaned PostgreSQL, whose parent process was killed. */

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Log } from '../../../log.ts'
import { isAlive } from './data-directory-lock.ts'
import { EmbeddedDatabaseError } from './error.ts'

const FAST_SHUTDOWN_MS = 60_000
const IMMEDIATE_SHUTDOWN_MS = 10_000

interface Postmaster {
  readonly pid: number
  readonly port: string
}

/**
 * Stops a PostgreSQL that outlived its Trunkline process. Call it only while holding the lock of the data
 * directory: any server that runs there is then an orphan.
 *
 * @throws EmbeddedDatabaseError if it does not stop
 */
export const stopOrphan = async (clusterFolder: string, log: Log): Promise<void> => {
  const pidPath = join(clusterFolder, 'postmaster.pid')
  // Lines: pid, folder, start time, port, … (PostgreSQL's src/include/utils/pidfile.h)
  const lines = (await readFile(pidPath, 'utf8').catch(() => '')).split('\n')
  const [pid = '', , , port = ''] = lines
  if (!/^[1-9]\d*$/.test(pid)) return
  const orphan = { pid: Number(pid), port: port.trim() }
  if (!(await isRunning(orphan))) {
    // PostgreSQL would treat a pid that another program has reused as a running server. It treats its parent's
    // pid as stale, and still checks whether the files are in use.
    if (isAlive(orphan.pid)) await writeFile(pidPath, [process.pid, ...lines.slice(1)].join('\n'))
    return
  }
  log.warn({}, `stopping PostgreSQL ${pid}, whose Trunkline process was killed`)
  const stopped =
    (await stopWith('SIGINT', orphan, FAST_SHUTDOWN_MS)) || // disconnects clients, writes a checkpoint
    (await stopWith('SIGQUIT', orphan, IMMEDIATE_SHUTDOWN_MS)) // the next start recovers
  if (!stopped) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL ${pid} runs on ${clusterFolder} and does not stop. End that process and start again.`,
    )
  }
}

const stopWith = async (
  signal: NodeJS.Signals,
  postmaster: Postmaster,
  timeoutMs: number,
): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs
  try {
    process.kill(postmaster.pid, signal)
  } catch {
    // The process has ended or may not be signaled; the loop checks which.
  }
  while (await isRunning(postmaster)) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/** Whether the pid belongs to the server on that port, and was not reused by another program. */
const isRunning = async ({ pid, port }: Postmaster): Promise<boolean> => {
  const [program = '', ...args] = await commandLine(pid)
  return basename(program).startsWith('postgres') && args[args.indexOf('-p') + 1] === port
}

const commandLine = async (pid: number): Promise<string[]> => {
  try {
    if (process.platform === 'linux') {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')
    }
    const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)])
    return stdout.trim().split(/\s+/)
  } catch {
    return []
  }
}
