/** The actor that takes away what is past its time: records of deleted credentials, claims, kept answers. */
import type { Catalogue } from '../definition/catalogue.ts'
import { createRepeater } from '../repeater.ts'
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
  const repeater = createRepeater({
    everyMs: TICK_MS,
    onFailure: (error) => log.warn({ err: error }, 'a purge was broken off'),
    step: async (signal) => {
      while (await purgeNext(database, catalogue, signal));
      await purgeRecordClaims(database)
      while (!signal.aborted && (await purgeIdempotentRequests(database)) > 0);
    },
  })
  return { start: repeater.start, stop: repeater.stop }
}
