/** The actor that creates partitions of the change log ahead and drops expired ones. */
import type { Log } from '../log.ts'
import { createRepeater } from '../repeater.ts'
import {
  dropOldestPartition,
  hasChangesOlderThan,
  makePartitions,
  partitionDays,
} from '../store/changes/change-partitions.ts'
import { deleteOldChangeTotals } from '../store/changes/change-totals.ts'
import { pruneChanges } from '../store/changes/changes.ts'
import type { Database } from '../store/database/database.ts'

export interface RetentionOptions {
  readonly database: Database
  /** Days before a change is deleted. */
  readonly days: number
  readonly log: Pick<Log, 'warn'>
  /** Interval of the steps: 10 minutes. */
  readonly tickMs?: number
}

export interface Retention {
  start(): void
  /** Resolves when the current step has ended; another process, or the next start, does the rest. */
  stop(): Promise<void>
}

const TICK_MS = 10 * 60_000
// In partition lengths. Partitions of the usual length are dropped before that, so no rows are deleted singly.
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

  /** Deletes expired rows of a partition that covers weeks of few changes and cannot be dropped yet. */
  const prune = async (signal: AbortSignal): Promise<void> => {
    if (!(await hasChangesOlderThan(database, days + GRACE * partitionDays(days)))) return
    while (!signal.aborted && (await pruneChanges(database, days)) > 0);
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
    onFailure: (error) => log.warn({ err: error }, 'could not maintain the change log'),
    // A failed step does not prevent the next one.
    step: async (signal) => {
      await attempt(
        () => makePartitions(database, days),
        'could not create partitions of the change log',
      )
      await attempt(() => drop(signal), 'could not drop old partitions of the change log')
      await attempt(() => prune(signal), 'could not prune the change log')
      await attempt(
        () => deleteOldChangeTotals(database, days),
        'could not delete old change totals',
      )
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
