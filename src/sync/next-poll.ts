/** When a resource is polled next: by its activity, its webhooks, and the limits of the app on requests. */
import { LRUCache } from 'lru-cache'
import { type CountedWindow, countLimits } from '../definition/counted-limits.ts'
import { periodMs } from '../definition/request-limits.ts'
import { memoize } from '../memoize.ts'
import { countPolledResources } from '../store/budgets/polled-resources.ts'
import type { Database } from '../store/database/database.ts'
import type { ActiveRun } from './active-run.ts'
import { type PolledLimit, type PollFacts, pollIntervalMs } from './poll-interval.ts'

// Credentials are connected seldom, and every run of an app with a shared limit needs the number.
const COUNT_TTL_MS = 60_000
const countsOf = memoize(
  (_database: Database) => new LRUCache<string, number>({ max: 1000, ttl: COUNT_TTL_MS }),
)

/** The resources whose polls count towards a limit. Only for a limit of several credentials with a statement. */
const countResources = async (run: ActiveRun, { scope, key }: CountedWindow): Promise<number> => {
  const { context, owner, connector } = run
  const own = Object.keys(connector.resources).length
  if (scope === 'credential') return own
  const counts = countsOf(context.database)
  const known = counts.get(key)
  if (known !== undefined) return known
  const { app } = connector
  const { environmentId } = owner
  const counted = await countPolledResources(context.database, { scope, key, environmentId, app })
  const resources = Math.max(own, counted)
  counts.set(key, resources)
  return resources
}

/** The requests of one poll. Only a resource without a listing of changes needs as many pages each time. */
const requestsPerPoll = ({ resource, progress }: ActiveRun): number => {
  const lists = resource.sync.changes.by !== 'full-listing'
  const pages = lists ? 1 : Math.max(1, progress.counts.pages)
  return pages + (resource.sync.remoteCount ? 1 : 0)
}

/** The cost in points of one request of a poll. */
const pointsPerRequest = ({ connector, resource, state }: ActiveRun): number => {
  const { since, token } = state
  const position = { since: since ?? undefined, token, cursor: undefined }
  return connector.limits?.cost?.(resource.listRequest(position)) ?? 1
}

/** Lists the limits of a run's app; none without declared ones. */
const listPolledLimits = async (run: ActiveRun): Promise<readonly PolledLimit[]> => {
  const { connector, owner, credential } = run
  if (!connector.limits?.windows) return []
  const { values, app } = credential
  const { windows } = countLimits(connector.limits, { ...owner, app, values })
  const requests = requestsPerPoll(run)
  return Promise.all(
    windows.map(async (window) => ({
      max: window.max,
      periodMs: periodMs(window),
      cost: window.unit === 'points' ? requests * pointsPerRequest(run) : requests,
      resources: await countResources(run, window),
    })),
  )
}

/** The time until the next run of the resource, in ms. At most one statement, for a limit of several credentials. */
export const nextPollMs = async (
  run: ActiveRun,
  facts: Pick<PollFacts, 'tookMs' | 'idleRuns'>,
): Promise<number> => {
  const { context, connector, lease, state } = run
  const isReported = connector.webhooks?.topics.includes(lease.key.topic) === true
  return pollIntervalMs({
    ...facts,
    intervalMs: context.intervalMs,
    webhookAgeMs: isReported ? state.webhookAgeMs : null,
    limits: await listPolledLimits(run),
  })
}
