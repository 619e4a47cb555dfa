/**
 * Sync states: when each sync is due, which process runs it, and its progress. A run holds the lease of its row.
 * All times are the database's.
 */
import type { Lease, LeaseTable } from '../database/lease-sql.ts'
import type { SyncKey } from './sync-key.ts'

export interface SyncCounts {
  readonly pages: number
  readonly listed: number
  /** Records without a remote id, which cannot be stored. */
  readonly skipped: number
  /** Values that do not fit their field. */
  readonly problems: number
  readonly created: number
  readonly updated: number
  readonly deleted: number
}

/** Progress of a run that has not ended. Another process can resume it. */
export interface RunProgress {
  readonly listing: 'everything' | 'changes'
  /** Whether no listing has ever completed before. */
  readonly first: boolean
  readonly startedAt: string
  /** `settling`: every page is stored. */
  readonly stage: 'listing' | 'settling'
  /** A second listing confirms the records that the first one did not return. */
  readonly pass: 1 | 2
  readonly since: string | null
  /** Token at the start of the listing of changes; absent: by time, or everything is listed. JSON text. */
  readonly token?: string | null
  /** Token of the last page, for the start of the next listing, as JSON text. */
  readonly nextToken?: string | null
  /** The remote count before the listing, if one was needed. */
  readonly countBefore?: RemoteCounting
  /** The reconciliation that the run reports to. */
  readonly reconciliationId?: string
  /** Whether the app has rejected an expired token or cursor, after which the run lists everything. */
  readonly expired?: true
  /** Cursor of the next page, as JSON text, because jsonb does not accept every JSON string. */
  readonly cursor: string | null
  /** Cursors of the other partitions that are not completely listed, each as JSON text. */
  readonly partitions?: readonly string[]
  /** Start of the run by the app's clock. */
  readonly appTime: string | null
  /** Latest modification time among the listed records, by the app's clock. */
  readonly newest: string | null
  /** Whether the change log contains the run's start event. */
  readonly announced: boolean
  readonly counts: SyncCounts
  /** Of a feed: the counts of each resource that has changed, by topic. Their start events are in the change log. */
  readonly topics?: Readonly<Record<string, SyncCounts>>
  /** Duration of all earlier slices; undefined: this is the first. */
  readonly workedMs?: number
  /** Pages of earlier slices, to detect a listing that loops. */
  readonly seen?: SeenPages
}

/** Digests of a listing's last pages and cursors, and the number of consecutive repeated or empty pages. */
export interface SeenPages {
  readonly cursors: readonly string[]
  readonly pages: readonly string[]
  readonly repeated: number
  readonly empty: number
}

/** The stored reason of a failed run. */
export interface StoredFailure {
  readonly code: string
  readonly reason: string
}

/** A count of the app's records. */
export interface RemoteCounting {
  readonly count: number
  /** When it was requested, or slightly earlier, by the database's clock. */
  readonly countedAt: string
}

/**
 * The last remote count, and the bounds of the constant difference between the app's count and the number of
 * records that its listings show; null: unbounded.
 */
export interface StoredCount extends RemoteCounting {
  readonly low: number | null
  readonly high: number | null
  /** Whether the bounds are equal and the count is in accord with them. */
  readonly isExact: boolean
}

export interface SyncState {
  readonly since: string | null
  /** Token of the last listing, as JSON text. */
  readonly token: string | null
  readonly progress: RunProgress | null
  /** Time since the last full listing ended; null: never. */
  readonly fullListingAgeMs: number | null
  /** Whether the credential was reconnected with another account since then. */
  readonly accountChanged: boolean
  /** When the last run completed, by the database's clock; null: never. */
  readonly completedAt: string | null
  /** Consecutive completed runs without a change. */
  readonly idleRuns: number
  /** Null: the app's records have not been counted since the last full listing began. */
  readonly remoteCount: StoredCount | null
  readonly failures: number
  /** The failure reported in the change log, otherwise the last one; null: the last run succeeded. */
  readonly failure: StoredFailure | null
  /** Time since the app last delivered a webhook for the credential; null: never. */
  readonly webhookAgeMs: number | null
  /** The reconciliation that the next run starts with; null: none was requested. */
  readonly reconciliationId: string | null
  /** Whether a total of the stored records exists; earlier versions kept none. */
  readonly hasRecordTotal: boolean
  /** The database's time. */
  readonly now: string
}

/** The sync states as leased rows. */
export const SYNC_STATES: LeaseTable<SyncKey> = {
  name: 'sync_states',
  key: { credentialId: ['credential_id', 'uuid'], topic: ['topic', 'text'] },
  isScheduled: true,
}

/** The right to run a sync. */
export type SyncLease = Lease<SyncKey>
