/** The actor that gives the change log room ahead, and lets it forget what is past its time. */
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
  let ticker: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let isStopping = false

  const drop = async (): Promise<void> => {
    while (!isStopping && (await dropOldestPartition(database, days)) === 'done');
  }

  /** In a quiet time a partition goes on for weeks: its rows do not wait for the last of them. */
  const prune = async (): Promise<void> => {
    if (!(await hasChangesOlderThan(database, days + GRACE * partitionDays(days)))) return
    while (!isStopping && (await pruneChanges(database.prisma, days)) > 0);
  }

  const attempt = async (step: () => Promise<unknown>, message: string): Promise<void> => {
    try {
      if (!isStopping) await step()
    } catch (error) {
      log.warn({ err: error }, message)
    }
  }

  const turn = async (): Promise<void> => {
    await attempt(() => makePartitions(database, days), 'the change log was given no partitions')
    await attempt(drop, 'old partitions of the change log were not dropped')
    await attempt(prune, 'the change log could not be pruned')
  }

  const tick = async (): Promise<void> => {
    if (running !== undefined) return
    running = turn()
    await running
    running = undefined
  }

  return {
    start: () => {
      ticker = setInterval(tick, tickMs)
      void tick()
    },
    stop: async () => {
      isStopping = true
      clearInterval(ticker)
      await running
    },
  }
}
