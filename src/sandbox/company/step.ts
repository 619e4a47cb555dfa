/** One step of the simulation. Step n is deterministic for the same tenant, seed and records. */
import type { SandboxOutcome, SandboxSession } from '../../store/sandbox/sandbox-records.ts'
import { RequestError } from '../errors.ts'
import { derivedKinds } from '../kinds/kinds.ts'
import { createRandom } from '../random.ts'
import { openWorkspace } from '../workspace.ts'
import { bookEvents } from './books.ts'
import { creationOf, type Events, eventContext, type SimulatedEvent } from './event.ts'
import { retireOldRecords } from './retire.ts'
import { salesEvents } from './sales.ts'
import { shopEvents } from './shop.ts'

/** Adds a record to each collection without events of its own; later ones reference earlier ones. */
const addDerived: SimulatedEvent = async (context) => {
  for (const kind of derivedKinds.values()) await creationOf(kind)(context)
  return derivedKinds.size > 0
}

// The names seed the random numbers: renaming an event changes what it does.
const events: Events = {
  ...bookEvents,
  ...salesEvents,
  ...shopEvents,
  addDerived: [1, addDerived],
  retireOldRecords: [2, retireOldRecords],
}

const round = Object.entries(events).flatMap(([name, [times]]) => Array<string>(times).fill(name))

/** The number of steps in which each event happens as often as it states. */
export const ROUND_STEPS = round.length

// Deleted records are kept for 30 days, and the newest of them regardless of age, because no client can read
// them while the process is stopped.
const RETENTION_MS = 30 * 86_400_000
const MIN_RETAINED = 20_000

/** The events to try in a step; the first that is applicable happens. Each round has another order. */
const eventsAt = (tenant: string, seed: number, step: number): ReadonlySet<string> => {
  const rounds = Math.floor(step / ROUND_STEPS)
  const position = step - rounds * ROUND_STEPS
  const shuffled = createRandom(tenant, seed, 'round', rounds).some(round, ROUND_STEPS)
  return new Set([...shuffled.slice(position), ...shuffled.slice(0, position)])
}

/** Runs the next step of a tenant at an instant. */
export const runStep = async (
  session: SandboxSession,
  name: string,
  now: Date,
): Promise<SandboxOutcome<boolean>> => {
  const { seed, steps } = session.tenant
  const stepped = { steps: steps + 1, steppedAt: now.toISOString() }
  for (const eventName of eventsAt(name, seed, steps)) {
    const workspace = openWorkspace(session, now)
    try {
      const random = createRandom(name, seed, 'step', steps, eventName)
      const happened = await events[eventName]?.[1](eventContext(workspace, random))
      if (happened === false) continue
    } catch (error) {
      // Users may have changed the records so that the event is invalid; try the next one.
      if (error instanceof RequestError) continue
      throw error
    }
    const { tenant, rows } = workspace.changes()
    const outcome = { result: true, tenant: { ...tenant, ...stepped }, rows }
    if (steps % ROUND_STEPS !== 0) return outcome
    const before = new Date(now.getTime() - RETENTION_MS).toISOString()
    return { ...outcome, forget: { before, least: MIN_RETAINED } }
  }
  return { result: true, tenant: { ...session.tenant, ...stepped }, rows: [] }
}
