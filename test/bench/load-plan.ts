/** What the load generator is told and what it reports, as messages between its process and the run's. */
import { fileURLToPath } from 'node:url'
import { startProcess, stopProcess } from './process.ts'
import type { HttpRequest } from './question.ts'

export interface LoadRequest extends HttpRequest {
  /** Any other length of the answer ends the measurement: the server no longer does the work. */
  readonly expectedBytes: number
}

export interface LoadTarget {
  readonly name: string
  readonly origin: string
  readonly serverPid: number
  /** Sent in turn, over and over. */
  readonly requests: readonly LoadRequest[]
}

export interface LoadPlan {
  readonly targets: readonly LoadTarget[]
  readonly postgresPid: number
  /** Kept-alive connections, each with one request under way: a closed loop. */
  readonly connections: number
  /** For each target, before the first round. */
  readonly warmUpMs: number
  /** Each round gives every target one turn. */
  readonly rounds: number
  /** Asked but not measured, at the start of each turn: idle pools reconnect, caches fill. */
  readonly rampMs: number
  readonly turnMs: number
}

/** One target's turn in one round. */
export interface Turn {
  readonly target: string
  readonly round: number
  readonly requests: number
  readonly seconds: number
  readonly latenciesMs: readonly number[]
  /** CPU time over the turn; null where the system does not tell. */
  readonly serverCpuMs: number | null
  readonly postgresCpuMs: number | null
}

export type LoadMessage =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Runs the plan in a process of its own. */
export const runLoad = async (plan: LoadPlan): Promise<readonly Turn[]> => {
  const { child, printed } = startProcess({
    name: 'load',
    script: fileURLToPath(new URL('load.ts', import.meta.url)),
    env: {},
  })
  const turns: Turn[] = []
  const finished = new Promise<void>((resolve, reject) => {
    child.on('message', (message: LoadMessage) => {
      if (message.kind === 'turn') turns.push(message.turn)
      else if (message.kind === 'done') resolve()
      else reject(new Error(message.reason))
    })
    child.once('exit', () => reject(new Error(`The load generator ended early.\n${printed()}`)))
  })
  try {
    child.send(plan)
    await finished
    return turns
  } finally {
    await stopProcess(child)
  }
}
