/** The plan and the report of the load generator, as messages between its process and the benchmark. */
import { fileURLToPath } from 'node:url'
import { startProcess, stopProcess } from './process.ts'
import type { HttpRequest } from './question.ts'

export interface LoadRequest extends HttpRequest {
  /** A response of another length ends the measurement, because the server no longer does the work. */
  readonly expectedBytes: number
}

export interface LoadTarget {
  readonly name: string
  readonly origin: string
  readonly serverPid: number
  /** The requests are sent in turn, repeatedly. */
  readonly requests: readonly LoadRequest[]
}

export interface LoadPlan {
  readonly targets: readonly LoadTarget[]
  readonly postgresPid: number
  /** Keep-alive connections, each with one request under way: a closed loop. */
  readonly connections: number
  /** Warm-up of each target before the first round. */
  readonly warmUpMs: number
  /** Each round gives every target one turn. */
  readonly rounds: number
  /** Unmeasured start of each turn: idle pools reconnect and caches fill. */
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
  /** CPU time over the turn; null where the system does not report it. */
  readonly serverCpuMs: number | null
  readonly postgresCpuMs: number | null
}

export type LoadMessage =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string }

/** Runs the plan in its own process. */
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
