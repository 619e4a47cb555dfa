/** Processes that a test starts, and kills in the middle of what they do. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface Children {
  /** Runs a script in a process of its own, with a channel for messages. */
  start(script: string, args: readonly string[]): ChildProcess
  /** Kills all that were started: what they had begun is over then. */
  killAll(): Promise<void>
}

/** Resolves when the process is dead, and not only told to be. */
export const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

export const createChildren = (): Children => {
  const children = new Set<ChildProcess>()
  return {
    start: (script, args) => {
      const child = fork(script, args, { execArgv: [] })
      children.add(child)
      return child
    },
    killAll: async () => {
      await Promise.all([...children].map(kill))
      children.clear()
    },
  }
}
