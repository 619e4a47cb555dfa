/** Events in the life of the company. They write its history and, later, what happens while the sandbox runs. */
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'

/** Applies one event. Resolves to false, without a write, if no record is suitable. */
export type SimulatedEvent = (workspace: Workspace, random: Random) => Promise<unknown>

/** Calls `act` with a random record; false if the list is empty. */
export const withOne = async <T>(
  random: Random,
  records: readonly T[],
  act: (record: T) => Promise<unknown>,
): Promise<unknown> => (records.length > 0 ? act(random.pick(records)) : false)

/** Calendar day of the workspace's instant, or `days` after it. */
export const dayOf = ({ now }: Workspace, days = 0): string =>
  new Date(Date.parse(now) + days * 86_400_000).toISOString().slice(0, 10)
