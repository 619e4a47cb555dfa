import { Prisma } from '@prisma/client'

/** The unit of synchronization: one resource of one credential, or one feed. */
export interface SyncKey {
  readonly credentialId: string
  /** The topic of a resource, or the key of a feed (definition/feed.ts). */
  readonly topic: string
}

/** Condition: the sync state `s` is that of a feed. */
export const IS_FEED = Prisma.sql`s.topic LIKE 'feeds/%'`

/** Condition: a feed reports the changes of the sync state `s`, so that it is not polled for changes. */
export const IS_COVERED = Prisma.sql`coalesce(s.reported_since < s.completed_at, false)`
