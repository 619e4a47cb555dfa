/** The actor that lets time pass in the sandbox. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../store/database.ts'
import { listSandboxTenants } from '../store/sandbox-records.ts'
import { takeDueStep } from './life/step.ts'

/** What the actor needs. */
export interface SandboxLifeOptions {
  readonly database: Database
  /** One step of every tenant in each. Default: 10 seconds. */
  readonly intervalMs?: number
  readonly now?: () => Date
  /** Hears of steps that failed: facts, then words. pino's shape. */
  readonly log: { warn(facts: object, message: string): void }
}

/** The actor. */
export interface SandboxLife {
  start(): void
  /** Resolves once the step under way is done. */
  stop(): Promise<void>
}

/** Takes one step of every tenant in each interval, however many processes run one of these. */
export const createSandboxLife = ({
  database,
  intervalMs = 10_000,
  now = () => new Date(),
  log,
}: SandboxLifeOptions): SandboxLife => {
  let running: { readonly ended: Promise<void>; readonly abort: AbortController } | undefined

  const stepAll = async (signal: AbortSignal): Promise<void> => {
    for (const tenant of await listSandboxTenants(database)) {
      if (signal.aborted) return
      await takeDueStep(database, now, tenant, intervalMs).catch((error: unknown) =>
        log.warn({ err: error, tenant }, 'a sandbox tenant missed a step of its life'),
      )
    }
  }

  const live = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const untilNext = intervalMs - (now().getTime() % intervalMs)
      // Aborted waits end the loop.
      await wait(untilNext, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await stepAll(signal).catch((error: unknown) =>
        log.warn({ err: error }, 'the sandbox stood still for an interval'),
      )
    }
  }

  return {
    start: () => {
      if (running) return
      const abort = new AbortController()
      running = { abort, ended: live(abort.signal) }
    },
    stop: async () => {
      running?.abort.abort()
      await running?.ended
      running = undefined
    },
  }
}
