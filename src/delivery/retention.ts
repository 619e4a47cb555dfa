/** The actor that gives the change log room ahead, and lets it forget what is past its time. */
import { createRepeater } from '../repeater.ts'
import {
  dropOldestPartition,
  hasChangesOlderThan,
  makePartitions,
  partitionDays,
} from '../store/change-partitions.ts'
import { pruneChanges } from '../store/changes.ts'
import type { Database } from '../store/database.ts'

export interface RetentionOptions {
  readonly database: Database
  /** How long a change is kept. */
  readonly days: number
  readonly log: { warn(facts: object, message: string): void }
  /** How often it looks; ten minutes unless given. */
  readonly tickMs?: number
}

export interface Retention {
  start(): void
  /** The step in hand is ended; the rest goes on elsewhere or later. */
  stop(): Promise<void>
}

const TICK_MS = 10 * 60_000
// Of a partition's length. By then one of the usual length has been dropped, and no row was deleted alone.
const GRACE = 1.5

export const createRetention = ({
  database,
  days,
  log,
  tickMs = TICK_MS,
}: RetentionOptions): Retention => {
  const drop = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && (await dropOldestPartition(database, days)) === 'done');
  }

  /** In a quiet time a partition goes on for weeks: its rows do not wait for the last of them. */
  const prune = async (signal: AbortSignal): Promise<void> => {
    if (!(await hasChangesOlderThan(database, days + GRACE * partitionDays(days)))) return
    while (!signal.aborted && (await pruneChanges(database.prisma, days)) > 0);
  }

  const attempt = async (step: () => Promise<unknown>, message: string): Promise<void> => {
    try {
      await step()
    } catch (error) {
      log.warn({ err: error }, message)
    }
  }

  const repeater = createRepeater({
    everyMs: tickMs,
    onFailure: (error) => log.warn({ err: error }, 'the change log was not looked after'),
    // One that fails does not keep the next from its turn.
    step: async (signal) => {
      await attempt(() => makePartitions(database, days), 'the change log was given no partitions')
      await attempt(() => drop(signal), 'old partitions of the change log were not dropped')
      await attempt(() => prune(signal), 'the change log could not be pruned')
    },
  })

  return {
    start: () => {
      repeater.start()
      void repeater.run()
    },
    stop: repeater.stop,
  }
}
