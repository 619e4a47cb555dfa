/** The actor that simulates activity in the sandbox. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import { listSandboxTenants } from '../store/sandbox/sandbox-records.ts'
import { takeDueStep } from './life/step.ts'

/** Dependencies of the actor. */
export interface SandboxSimulationOptions {
  readonly database: Database
  /** Interval between the steps of a tenant. Default: 10 seconds. */
  readonly intervalMs?: number
  readonly clock: Clock
  /** Receives failed steps; pino's signature. */
  readonly log: Pick<Log, 'warn'>
}

/** The simulation of all tenants. */
export interface SandboxSimulation {
  start(): void
  /** Resolves once the current step is done. */
  stop(): Promise<void>
}

/** Creates the actor. Each tenant gets one step per interval, even if several processes run the actor. */
export const createSandboxSimulation = ({
  database,
  intervalMs = 10_000,
  clock,
  log,
}: SandboxSimulationOptions): SandboxSimulation => {
  let running: { readonly ended: Promise<void>; readonly abort: AbortController } | undefined

  const stepAll = async (signal: AbortSignal): Promise<void> => {
    for (const tenant of await listSandboxTenants(database)) {
      if (signal.aborted) return
      await takeDueStep(database, clock, tenant, intervalMs).catch((error: unknown) =>
        log.warn({ err: error, tenant }, 'a simulation step of a sandbox tenant failed'),
      )
    }
  }

  const live = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const untilNext = intervalMs - (clock.nowMs() % intervalMs)
      // An aborted wait rejects; the check below ends the loop.
      await wait(untilNext, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await stepAll(signal).catch((error: unknown) =>
        log.warn({ err: error }, 'the sandbox simulation skipped an interval'),
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
