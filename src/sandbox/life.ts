/** The simulation of activity in the sandbox: each tenant has a step per interval. */
import type { Log } from '../log.ts'
import { createRepeater, type Repeater } from '../repeater.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import { changeSandbox, listSandboxTenants } from '../store/sandbox/sandbox-records.ts'
import { runStep } from './company/step.ts'

/**
 * Runs the next step of a tenant, unless this process or another has already run one in the current interval.
 * Intervals are counted from the epoch, so they are the same in all processes.
 * @param intervalMs 0: every call runs a step
 * @returns whether a step has run; undefined if the tenant does not exist
 */
export const takeStep = (
  database: Database,
  clock: Clock,
  tenant: string,
  intervalMs = 0,
): Promise<boolean | undefined> =>
  changeSandbox(database, tenant, async (session) => {
    const now = new Date(clock.nowMs())
    const intervalOf = (ms: number): number => Math.floor(ms / intervalMs)
    const last = intervalOf(Date.parse(session.tenant.steppedAt))
    if (intervalMs > 0 && intervalOf(now.getTime()) <= last)
      return { result: false, tenant: session.tenant, rows: [] }
    return runStep(session, tenant, now)
  })

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
