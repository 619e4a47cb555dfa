/** Requests reconciliations of all resources at an interval, if one is configured. */
import type { Log } from '../log.ts'
import { createRepeater } from '../repeater.ts'
import type { Database } from '../store/database/database.ts'
import { requestOverdueReconciliations } from '../store/sync/reconciliations.ts'

/** The dependencies and settings of the schedule. */
export interface ReconciliationScheduleOptions {
  readonly database: Database
  readonly log: Log
  /** From one reconciliation of a resource to the next; 0: none is scheduled. */
  readonly intervalDays: number
}

/** The schedule of reconciliations. */
export interface ReconciliationSchedule {
  start(): void
  stop(): Promise<void>
}

const DAY_MS = 86_400_000
const TICK_MS = 600_000
// Full listings of many resources at the same time would delay other syncs.
const REQUESTS_PER_TICK = 200

/** Creates the schedule of reconciliations. */
export const createReconciliationSchedule = ({
  database,
  log,
  intervalDays,
}: ReconciliationScheduleOptions): ReconciliationSchedule => {
  const intervalMs = intervalDays * DAY_MS
  const repeater = createRepeater({
    everyMs: TICK_MS,
    onFailure: (error) => log.warn({ err: error }, 'reconciliations could not be requested'),
    step: () => requestOverdueReconciliations(database, { intervalMs, limit: REQUESTS_PER_TICK }),
  })
  return {
    start: () => {
      if (intervalDays > 0) repeater.start()
    },
    stop: repeater.stop,
  }
}
