/**
 * Deletes expired rows: records of deleted credentials, write claims, request budgets, authorizations, logged requests and
 * saved idempotent responses.
 */

import type { Catalogue } from '../definition/catalogue.ts'
import type { Log } from '../log.ts'
import { createRepeater } from '../repeater.ts'
import { purgeAppRequests } from '../store/accounts/app-requests.ts'
import { purgeAuthorizations } from '../store/accounts/authorizations.ts'
import { purgeRequestBudgets } from '../store/budgets/request-ledger.ts'
import type { Database } from '../store/database/database.ts'
import { purgeNext } from '../store/sync/purges.ts'
import { purgeIdempotentRequests } from '../store/writes/idempotent-requests.ts'
import { purgeRecordClaims } from '../store/writes/record-claims.ts'

/** The dependencies of the background deletion. */
export interface PurgesOptions {
  readonly database: Database
  readonly catalogue: Catalogue
  readonly log: Log
}

/** The background deletion of expired rows. */
export interface Purges {
  start(): void
  /** Finishes the current batch; the rest is deleted later, or by another process. */
  stop(): Promise<void>
}

const TICK_MS = 5000

/** Creates the background deletion of expired rows. */
export const createPurges = ({ database, catalogue, log }: PurgesOptions): Purges => {
  const repeater = createRepeater({
    everyMs: TICK_MS,
    onFailure: (error) => log.warn({ err: error }, 'a purge was interrupted'),
    step: async (signal) => {
      while (await purgeNext(database, catalogue, signal));
      await purgeRecordClaims(database)
      await purgeRequestBudgets(database)
      await purgeAuthorizations(database)
      await purgeAppRequests(database)
      while (!signal.aborted && (await purgeIdempotentRequests(database)) > 0);
    },
  })
  return { start: repeater.start, stop: repeater.stop }
}
