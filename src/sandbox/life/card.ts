/** One thing that can happen at a tenant's. */
import type { Dice } from '../dice.ts'
import type { KindName, Stored } from '../kinds/kinds.ts'
import type { Workspace } from '../workspace.ts'

/** Makes it happen. False if there is nothing to do it with; then nothing was written. */
export type Card = (workspace: Workspace, dice: Dice) => Promise<boolean>

/** Picks one of the records for `act`; false if there is none. */
export const withOne = async <T>(
  dice: Dice,
  records: readonly T[],
  act: (record: T) => Promise<unknown>,
): Promise<boolean> => {
  if (records.length === 0) return false
  await act(dice.pick(records))
  return true
}

/** The live records of a kind that a condition holds for. */
export const liveWhere = async <K extends KindName>(
  workspace: Workspace,
  kind: K,
  condition: (fields: Stored<K>['fields']) => boolean,
): Promise<Stored<K>[]> => (await workspace.live(kind)).filter(({ fields }) => condition(fields))

/** The calendar day of the work. */
export const todayOf = ({ now }: Workspace): string => now.slice(0, 10)
