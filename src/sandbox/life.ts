/** The simulation of activity in the sandbox. Step n is deterministic for the same tenant, seed and records. */
import type { Log } from '../log.ts'
import { createRepeater, type Repeater } from '../repeater.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import {
  changeSandbox,
  listSandboxTenants,
  type SandboxOutcome,
  type SandboxSession,
} from '../store/sandbox/sandbox-records.ts'
import { bookEvents } from './company/books.ts'
import type { SimulatedEvent } from './company/event.ts'
import { retireOldRecords } from './company/retire.ts'
import { salesEvents } from './company/sales.ts'
import { shopEvents } from './company/shop.ts'
import { RequestError } from './errors.ts'
import { openWorkspace } from './open-workspace.ts'
import { createRandom } from './random.ts'

// The names seed the random numbers: renaming an event changes what it does.
const events: readonly (readonly [string, SimulatedEvent])[] = Object.entries({
  ...bookEvents,
  ...salesEvents,
  ...shopEvents,
  putAway: retireOldRecords,
})

// Deleted records are kept for 30 days, and the newest of them regardless of age, because no client can read
// them while the process is stopped.
const RETENTION_MS = 30 * 86_400_000
const MIN_RETAINED = 20_000

/**
 * The events to try in a step; the first that is applicable happens. The list is reshuffled after as many
 * steps as it has events, so that each event gets its turn in an unpredictable order.
 */
const eventsAt = (
  tenant: string,
  seed: number,
  step: number,
): readonly (readonly [string, SimulatedEvent])[] => {
  const round = Math.floor(step / events.length)
  const shuffled = createRandom(tenant, seed, 'deck', round).some(events, events.length)
  const offset = step % events.length
  return [...shuffled.slice(offset), ...shuffled.slice(0, offset)]
}

const runStep = async (
  session: SandboxSession,
  name: string,
  now: Date,
): Promise<SandboxOutcome<boolean>> => {
  const { seed, steps } = session.tenant
  const stepped = { steps: steps + 1, steppedAt: now.toISOString() }
  for (const [eventName, apply] of eventsAt(name, seed, steps)) {
    const workspace = openWorkspace(session, now)
    try {
      const random = createRandom(name, seed, 'step', steps, eventName)
      if ((await apply(workspace, random)) === false) continue
    } catch (error) {
      // Users may have changed the records so that the event is invalid; try the next one.
      if (error instanceof RequestError) continue
      throw error
    }
    const { tenant, rows } = workspace.changes()
    const outcome = { result: true, tenant: { ...tenant, ...stepped }, rows }
    if (steps % events.length !== 0) return outcome
    const before = new Date(now.getTime() - RETENTION_MS).toISOString()
    return { ...outcome, forget: { before, least: MIN_RETAINED } }
  }
  return { result: true, tenant: { ...session.tenant, ...stepped }, rows: [] }
}

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
