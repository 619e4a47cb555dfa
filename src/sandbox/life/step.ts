/** The steps of a tenant's life: step n is the same for the same tenant, seed and records. */
import type { Database } from '../../store/database.ts'
import {
  changeSandbox,
  type SandboxOutcome,
  type SandboxSession,
} from '../../store/sandbox-records.ts'
import { createDice } from '../dice.ts'
import { FieldError } from '../kinds/kind.ts'
import { openWorkspace } from '../open-workspace.ts'
import { StateConflict } from '../workspace.ts'
import { bookCards } from './books.ts'
import type { Card } from './card.ts'
import { putAway } from './retire.ts'
import { salesCards } from './sales.ts'
import { shopCards } from './shop.ts'

const deck: readonly (readonly [string, Card])[] = Object.entries({
  ...bookCards,
  ...salesCards,
  ...shopCards,
  putAway,
})

// Deleted records are remembered for a month, and the last of them however old: while the process is
// stopped nobody can ask for them.
const MEMORY_MS = 30 * 86_400_000
const REMEMBERED = 20_000

/**
 * The cards to try at a step, the first that can be played wins. The deck is shuffled once for as many steps
 * as it has cards, so everything happens once in a while, in no order that can be foreseen.
 */
const handAt = (
  tenant: string,
  seed: number,
  step: number,
): readonly (readonly [string, Card])[] => {
  const round = Math.floor(step / deck.length)
  const shuffled = createDice(tenant, seed, 'deck', round).some(deck, deck.length)
  const place = step % deck.length
  return [...shuffled.slice(place), ...shuffled.slice(0, place)]
}

const takeStep = async (
  session: SandboxSession,
  name: string,
  now: Date,
): Promise<SandboxOutcome<boolean>> => {
  const { seed, steps } = session.tenant
  const stepped = { steps: steps + 1, steppedAt: now.toISOString() }
  for (const [title, play] of handAt(name, seed, steps)) {
    const workspace = openWorkspace(session, now)
    try {
      if (!(await play(workspace, createDice(name, seed, 'step', steps, title)))) continue
    } catch (error) {
      // What users did to the records may forbid it; then something else happens.
      if (error instanceof FieldError || error instanceof StateConflict) continue
      throw error
    }
    const { tenant, rows } = workspace.settled()
    const outcome = { result: true, tenant: { ...tenant, ...stepped }, rows }
    if (steps % deck.length !== 0) return outcome
    const before = new Date(now.getTime() - MEMORY_MS).toISOString()
    return { ...outcome, forget: { before, least: REMEMBERED } }
  }
  return { result: true, tenant: { ...session.tenant, ...stepped }, rows: [] }
}

/** Takes the next steps at once. @throws RangeError if there is no such tenant */
export const takeSteps = async (
  database: Database,
  now: () => Date,
  tenant: string,
  steps: number,
): Promise<void> => {
  for (let step = 0; step < steps; step++) {
    const taken = await changeSandbox(database, tenant, (session) =>
      takeStep(session, tenant, now()),
    )
    if (!taken) throw new RangeError(`The sandbox has no tenant ${JSON.stringify(tenant)}.`)
  }
}

/**
 * Takes the next step unless one was taken in this interval already, here or in another process: intervals
 * are counted from the epoch, so all processes mean the same one.
 */
export const takeDueStep = async (
  database: Database,
  now: () => Date,
  tenant: string,
  intervalMs: number,
): Promise<'taken' | 'not due'> => {
  const taken = await changeSandbox(database, tenant, async (session) => {
    const instant = now()
    const intervalOf = (ms: number): number => Math.floor(ms / intervalMs)
    const last = intervalOf(Date.parse(session.tenant.steppedAt))
    if (intervalOf(instant.getTime()) <= last)
      return { result: false, tenant: session.tenant, rows: [] }
    return takeStep(session, tenant, instant)
  })
  return taken ? 'taken' : 'not due'
}
