/** Credentials with the facts about their syncs, for lists. Their values are not read. */
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import type { ForwardPage, Listed } from '../../query/listed.ts'
import type { Queryable } from '../database/database.ts'
import { isHeld } from '../database/lease-sql.ts'
import { NEVER } from '../database/time-sql.ts'
import { IS_COVERED, IS_FEED } from '../sync/sync-key.ts'
import { ALL, type CreatedList, readForwardOfEach, readNumbered } from './created-list.ts'

const { sql } = Prisma

/** The facts about the sync of one resource. Times are ISO 8601. */
export interface SyncFacts {
  readonly topic: string
  /** Stored records, including those that were deleted in the app. */
  readonly records: number
  /** When a listing last completed, its own or that of its feed; null: never. */
  readonly completedAt: string | null
  /** When the last completed listing started; null: never, or unknown. */
  readonly syncedAt: string | null
  /** Whether the sync is paused. */
  readonly isPaused: boolean
  /** Since when; null: it is not paused, or unknown. */
  readonly pausedAt: string | null
  /** When its next run, or that of the credential's feeds if one reports its changes, is due; null: a run is in progress, or the sync is paused or waits for a reconnection. */
  readonly dueAt: string | null
  /** Pages that the current run has stored. */
  readonly pages: number
  /** Consecutive failures since a run last made progress. */
  readonly failures: number
  readonly failureCode: string | null
  readonly failure: string | null
  readonly failingSince: string | null
}

/** The facts about the webhooks that the app sends for a credential. */
export interface WebhookFacts {
  /** Whether a subscription exists in the app, or, for an address that was entered by hand, a delivery arrived lately. */
  readonly active: boolean
  readonly lastReceivedAt: string | null
  /** The id in the address. */
  readonly endpointId: string
  /** Why there is no subscription. */
  readonly failure: string | null
}

/** A credential without its values. Times are ISO 8601. */
export interface CredentialSummary {
  readonly credentialId: string
  readonly userId: string
  readonly app: string
  /** The name of the method that connected the app; null: the first one. */
  readonly method: string | null
  /** The account's own name in the app. */
  readonly label: string | null
  /** Why the app did not respond when the credential was checked; null: it did. */
  readonly checkFailure: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Null: the app has no webhooks. */
  readonly webhooks: WebhookFacts | null
  /** By topic. */
  readonly syncs: readonly SyncFacts[]
}

/** The credentials to list. */
export interface CredentialFilter {
  readonly environmentId: string
  /** Only those of this end user; undefined: of all. */
  readonly userId: string | undefined
  /** Only those of this app; undefined: of all. */
  readonly app?: string | undefined
  /** Only those with these ids; undefined: all. */
  readonly credentialIds?: readonly string[]
}

interface CredentialRow extends Omit<CredentialSummary, 'createdAt' | 'updatedAt'> {
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A time of JSON that PostgreSQL wrote, in the API's form. */
const toIso = (time: string | null): string | null => time && new Date(time).toISOString()

const toSummary = ({ createdAt, updatedAt, syncs, webhooks, ...row }: CredentialRow) => ({
  ...row,
  webhooks: webhooks && { ...webhooks, lastReceivedAt: toIso(webhooks.lastReceivedAt) },
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  syncs: syncs.map((sync) => ({
    ...sync,
    completedAt: toIso(sync.completedAt),
    syncedAt: toIso(sync.syncedAt),
    pausedAt: toIso(sync.pausedAt),
    dueAt: toIso(sync.dueAt),
    failingSince: toIso(sync.failingSince),
  })),
})

const DUE_AT = sql`CASE WHEN s.due_at < ${NEVER} THEN s.due_at END`

// A covered resource is as fresh as its feed.
const FEED_DUE_AT = sql`CASE WHEN ${IS_COVERED} THEN (SELECT min(${DUE_AT}) FROM sync_states s
  WHERE s.credential_id = c.id AND ${IS_FEED}) END`

// In the select list, so that only the syncs of the credentials on the page are read.
const SYNCS = sql`ARRAY(
  SELECT jsonb_build_object('topic', s.topic, 'records', coalesce(t.records, 0),
    'completedAt', s.completed_at, 'syncedAt', s.synced_at, 'isPaused', s.due_at = 'infinity',
    'pausedAt', CASE WHEN s.due_at = 'infinity' THEN s.paused_at END,
    'dueAt', CASE WHEN ${isHeld('s')} THEN NULL ELSE least(${DUE_AT}, ${FEED_DUE_AT}) END,
    'pages', coalesce((s.progress->'counts'->>'pages')::integer, 0), 'failures', s.failures,
    'failureCode', s.failure_code, 'failure', s.failure,
    'failingSince', CASE WHEN s.failure_code IS NOT NULL THEN s.failing_since END)
  FROM sync_states s
  LEFT JOIN record_totals t ON t.credential_id = s.credential_id AND t.topic = s.topic
  WHERE s.credential_id = c.id AND NOT ${IS_FEED} ORDER BY s.topic)`

const WEBHOOKS = sql`(
  SELECT jsonb_build_object('lastReceivedAt', w.last_received_at, 'failure', w.failure,
    'endpointId', coalesce((SELECT s.id FROM inbound_subscriptions s
      WHERE s.environment_id = w.environment_id AND s.app = w.app AND s.credential_id IS NULL), w.id),
    'active', coalesce(w.remote_ids <> '{}' AND coalesce(w.expires_at > statement_timestamp(), true)
      OR w.last_received_at > statement_timestamp() - interval '1 day', false))
  FROM inbound_subscriptions w WHERE w.credential_id = c.id)`

/** The credentials of an environment, with their syncs. */
export const credentialsOf = ({
  environmentId,
  userId,
  app,
  credentialIds,
}: CredentialFilter): CreatedList<CredentialRow, CredentialSummary> => ({
  alias: 'c',
  columns: sql`c.id::text AS "credentialId", c.user_id::text AS "userId", c.app, c.method, c.label,
    c.check_failure AS "checkFailure",
    c.created_at AS "createdAt", c.updated_at AS "updatedAt", ${WEBHOOKS} AS webhooks, ${SYNCS} AS syncs`,
  from: sql`credentials c`,
  where: sql`c.environment_id = ${environmentId}::uuid
    ${userId === undefined ? Prisma.empty : sql`AND c.user_id = ${userId}::uuid`}
    ${app === undefined ? Prisma.empty : sql`AND c.app = ${app}`}
    ${credentialIds === undefined ? Prisma.empty : sql`AND c.id = ANY(${credentialIds}::uuid[])`}`,
  toEntry: toSummary,
})

/** Lists the credentials of an environment with their syncs, oldest first. One statement. */
export const listCredentials = (
  database: Queryable,
  filter: CredentialFilter,
): Promise<CredentialSummary[]> => readNumbered(database, credentialsOf(filter), ALL)

/** A page of the credentials of each of these end users. @throws INVALID_CURSOR */
export const pageCredentialsOfUsers = (
  database: Queryable,
  filter: CredentialFilter,
  userIds: readonly string[],
  page: ForwardPage,
): Promise<readonly Listed<CredentialSummary>[]> =>
  readForwardOfEach(database, credentialsOf(filter), { column: sql`c.user_id`, ids: userIds }, page)

/** Finds a credential of an end user; undefined if the user has none with this id. */
export const findCredential = async (
  database: Queryable,
  {
    credentialId,
    ...owner
  }: Pick<CredentialFilter, 'environmentId' | 'userId'> & { readonly credentialId: string },
): Promise<CredentialSummary | undefined> => {
  const id = credentialId.toLowerCase()
  if (!isUuid(id)) return undefined
  const [found] = await listCredentials(database, { ...owner, credentialIds: [id] })
  return found
}
