/** Child processes that a test starts and kills while they work. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'

export interface Children {
  /** Runs a script in a child process, with an IPC channel. */
  start(script: string, args: readonly string[], options?: ForkOptions): ChildProcess
  /** Kills every child process that was started. */
  killAll(): Promise<void>
}

/** Resolves when the process has exited, not only when it has been signalled. */
export const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

export const createChildren = (): Children => {
  const children = new Set<ChildProcess>()
  return {
    start: (script, args, options) => {
      const child = fork(script, args, { execArgv: [], ...options })
      children.add(child)
      return child
    },
    killAll: async () => {
      await Promise.all([...children].map(kill))
      children.clear()
    },
  }
}
