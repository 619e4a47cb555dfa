/** The actor that takes away what is past its time: records of deleted credentials, claims, kept answers. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Database } from '../store/database.ts'
import { purgeIdempotentRequests } from '../store/idempotent-requests.ts'
import { purgeNext } from '../store/purges.ts'
import { purgeRecordClaims } from '../store/record-claims.ts'
import type { SyncLog } from './active-run.ts'

export interface PurgesOptions {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly log: SyncLog
}

export interface Purges {
  start(): void
  /** The batch in hand is ended; the rest goes on elsewhere or later. */
  stop(): Promise<void>
}

const TICK_MS = 5000

export const createPurges = ({ database, catalogue, log }: PurgesOptions): Purges => {
  const stopping = new AbortController()
  let ticker: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const purgeDue = async (): Promise<void> => {
    try {
      while (await purgeNext(database, catalogue, stopping.signal));
      await purgeRecordClaims(database)
      while ((await purgeIdempotentRequests(database)) > 0 && !stopping.signal.aborted);
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'a purge was broken off')
    }
  }

  const tick = async (): Promise<void> => {
    if (running !== undefined) return
    running = purgeDue()
    await running
    running = undefined
  }

  return {
    start: () => {
      ticker = setInterval(tick, TICK_MS)
    },
    stop: async () => {
      clearInterval(ticker)
      stopping.abort()
      await running
    },
  }
}
