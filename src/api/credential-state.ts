/** The state of a credential and of its syncs, derived from the facts that the store lists. */
import { describeFailureReason } from '../definition/failure-reason.ts'
import type { CredentialSummary, SyncFacts } from '../store/accounts/listed-credentials.ts'
import { RECONNECTED } from '../store/sync/sync-control.ts'

/** The states of a credential or of one of its syncs; of several syncs, the first state in this list counts. */
const CONNECTION_STATES = ['needs_reconnect', 'failing', 'syncing', 'connected', 'paused'] as const

export type ConnectionState = (typeof CONNECTION_STATES)[number]

interface Status {
  readonly state: ConnectionState
  /** ISO 8601; null: unknown. */
  readonly since: string | null
  readonly reason: string | null
  readonly action: string | null
}

const RETRIED = 'The sync is retried automatically.'

/** What to do about a failure, by its code. */
const ACTIONS: Readonly<Record<string, string>> = {
  APP_AUTHENTICATION:
    'Reconnect the app with valid values. The credential keeps its id and records.',
  APP_ADDRESS: 'Reconnect the app with an address on the public internet.',
  APP_UNAVAILABLE: `Check that the app is running and that its address is correct. ${RETRIED}`,
  APP_REFUSED: `Check the address of the app and the permissions of the credential. ${RETRIED}`,
  LIMIT_REACHED:
    'Raise the limit that the reason names and restart the service. Until then, no new records are stored.',
}

const UNKNOWN = `Report it to the operator of this service if it continues. ${RETRIED}`

const failing = (code: string, reason: string, since: string | null): Status => ({
  state: code === 'APP_AUTHENTICATION' ? 'needs_reconnect' : 'failing',
  since,
  reason: describeFailureReason(reason),
  action: ACTIONS[code] ?? UNKNOWN,
})

const PAUSED_ACTION = 'Resume the sync.'

// Rate limits are part of an app's normal operation.
const NO_FAILURES: readonly string[] = ['APP_RATE_LIMITED', RECONNECTED]

/** Whether the last run failed. A run that stores a page afterwards has recovered. */
const isFailing = ({ failureCode, failures, pages }: SyncFacts): boolean =>
  failureCode !== null && !NO_FAILURES.includes(failureCode) && (failures > 0 || pages === 0)

const statusOf = (credential: CredentialSummary, sync: SyncFacts): Status => {
  const { checkFailure, createdAt } = credential
  const { isPaused, pausedAt, completedAt, failureCode, failure, failingSince, pages } = sync
  if (isPaused) return { state: 'paused', since: pausedAt, reason: null, action: PAUSED_ACTION }
  if (failureCode !== null && isFailing(sync))
    return failing(failureCode, failure ?? failureCode, failingSince)
  if (completedAt !== null) return { state: 'connected', since: null, reason: null, action: null }
  // The check is the only attempt until a run has stored a page or failed.
  if (checkFailure !== null && pages === 0 && failureCode === null)
    return failing('APP_UNAVAILABLE', checkFailure, createdAt)
  return { state: 'syncing', since: createdAt, reason: null, action: null }
}

type Times = readonly (string | null)[]

/** The known times, earliest first. ISO 8601 times in UTC sort as text. */
const sorted = (times: Times): readonly string[] => times.filter((time) => time !== null).toSorted()

/** The earliest of several times; null if there is none. */
const earliest = (times: Times): string | null => sorted(times)[0] ?? null

/** The latest of several times; null if there is none. */
const latest = (times: Times): string | null => sorted(times).at(-1) ?? null

/** A credential with its state, as the API returns it. */
export const describeCredential = (credential: CredentialSummary) => {
  const { credentialId, userId, app, label, createdAt, updatedAt, syncs, webhooks } = credential
  const resources = syncs.map((sync) => ({
    topic: sync.topic,
    ...statusOf(credential, sync),
    records: sync.records,
    lastCompletedAt: sync.completedAt,
    syncedAt: sync.syncedAt,
    nextSyncAt: sync.dueAt,
  }))
  const state =
    CONNECTION_STATES.find((one) => resources.some((resource) => resource.state === one)) ??
    'connected'
  const same = resources.filter((resource) => resource.state === state)
  const sinces = same.map(({ since }) => since)
  const completions = resources.map(({ lastCompletedAt }) => lastCompletedAt)
  return {
    credentialId,
    userId,
    app,
    createdAt,
    updatedAt,
    label,
    state,
    // It is failing since its first sync failed, but paused only since its last sync was paused.
    since: state === 'paused' ? latest(sinces) : earliest(sinces),
    reason: same[0]?.reason ?? null,
    action: same[0]?.action ?? null,
    lastCompletedAt: latest(completions),
    nextSyncAt: earliest(resources.map(({ nextSyncAt }) => nextSyncAt)),
    counts: {
      records: resources.reduce((sum, { records }) => sum + records, 0),
      resources: resources.length,
      resourcesCompleted: sorted(completions).length,
    },
    webhooks: webhooks && {
      active: webhooks.active,
      lastReceivedAt: webhooks.lastReceivedAt,
      path: `/webhooks/${app}/${webhooks.endpointId}`,
      reason: webhooks.failure && describeFailureReason(webhooks.failure),
    },
    resources,
  }
}
