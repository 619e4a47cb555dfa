/** The actor that simulates activity in the sandbox. */
import type { Log } from '../log.ts'
import { createRepeater, type Repeater } from '../repeater.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import { listSandboxTenants } from '../store/sandbox/sandbox-records.ts'
import { takeStep } from './life/step.ts'

/** Dependencies of the actor. */
export interface SandboxSimulationOptions {
  readonly database: Database
  /** Interval between the steps of a tenant. Default: 10 seconds. */
  readonly intervalMs?: number
  readonly clock: Clock
  /** Receives failed steps; pino's signature. */
  readonly log: Pick<Log, 'warn'>
}

/** Creates the actor. Each tenant gets one step per interval, even if several processes run the actor. */
export const createSandboxSimulation = ({
  database,
  intervalMs = 10_000,
  clock,
  log,
}: SandboxSimulationOptions): Pick<Repeater, 'start' | 'stop'> =>
  createRepeater({
    everyMs: intervalMs,
    step: async (signal) => {
      for (const tenant of await listSandboxTenants(database)) {
        if (signal.aborted) return
        await takeStep(database, clock, tenant, intervalMs).catch((error: unknown) =>
          log.warn({ err: error, tenant }, 'a simulation step of a sandbox tenant failed'),
        )
      }
    },
    onFailure: (error) => log.warn({ err: error }, 'the sandbox simulation skipped an interval'),
  })
