/** When a resource is polled next: by its activity, its webhooks, and the limits of the app on requests. */
import { LRUCache } from 'lru-cache'
import type { Connector } from '../definition/connector.ts'
import { type CountedWindow, countLimits } from '../definition/counted-limits.ts'
import { periodMs } from '../definition/request-limits.ts'
import type { AppRequest } from '../definition/steps.ts'
import { memoize } from '../memoize.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import { countPolledResources } from '../store/budgets/polled-resources.ts'
import type { Database } from '../store/database/database.ts'
import type { ActiveRun, ResourceRun } from './active-run.ts'
import { type PolledLimit, type PollFacts, pollIntervalMs } from './poll-interval.ts'

// Credentials are connected seldom, and every run of an app with a shared limit needs the number.
const COUNT_TTL_MS = 60_000
const countsOf = memoize(
  (_database: Database) => new LRUCache<string, number>({ max: 1000, ttl: COUNT_TTL_MS }),
)

/** A poll of a resource or a feed. */
interface Poll {
  /** The resources whose changes it finds. */
  readonly topics: readonly string[]
  readonly requests: number
  /** The first request. */
  firstRequest(): AppRequest
}

/** How many syncs of a credential poll while its feeds work. */
const countPolls = ({ feeds = {}, resources }: Connector): number => {
  const covered = Object.values(feeds).reduce((sum, { topics }) => sum + topics.length, 0)
  return Object.keys(resources).length - covered + Object.keys(feeds).length
}

/** The resources whose polls count towards a limit. Only for a limit of several credentials with a statement. */
const countResources = async (run: ActiveRun, { scope, key }: CountedWindow): Promise<number> => {
  const { context, owner, connector } = run
  const own = countPolls(connector)
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
const countRequests = ({ resource, progress }: ResourceRun): number => {
  const lists = resource.sync.changes.by !== 'full-listing'
  const pages = lists ? 1 : Math.max(1, progress.counts.pages)
  return pages + (resource.sync.remoteCount ? 1 : 0)
}

/** The poll of a run's resource. */
export const pollOf = (run: ResourceRun): Poll => ({
  topics: [run.lease.key.topic],
  requests: countRequests(run),
  firstRequest: () => {
    const { since, token } = run.state
    const context = contextOf(run.connector, run.credential)
    return run.resource.listRequest({
      since: since ?? undefined,
      token,
      cursor: undefined,
      context,
    })
  },
})

/** Lists the limits of a run's app; none without declared ones. */
const listPolledLimits = async (run: ActiveRun, poll: Poll): Promise<readonly PolledLimit[]> => {
  const { owner, credential } = run
  const { limits } = run.connector
  if (!limits?.windows) return []
  const { values, app } = credential
  const { windows } = countLimits(limits, { ...owner, app, values })
  const points = (): number => poll.requests * (limits.cost?.(poll.firstRequest()) ?? 1)
  return Promise.all(
    windows.map(async (window) => ({
      max: window.max,
      periodMs: periodMs(window),
      cost: window.unit === 'points' ? points() : poll.requests,
      resources: await countResources(run, window),
    })),
  )
}

/** The time until the next run, in ms. At most one statement, for a limit of several credentials. */
export const nextPollMs = async (
  run: ActiveRun,
  poll: Poll,
  facts: Pick<PollFacts, 'tookMs' | 'idleRuns'>,
): Promise<number> => {
  const { context, connector, state } = run
  const isReported = poll.topics.every((topic) => connector.webhooks?.topics.includes(topic))
  return pollIntervalMs({
    ...facts,
    intervalMs: context.intervalMs,
    webhookAgeMs: isReported ? state.webhookAgeMs : null,
    limits: await listPolledLimits(run, poll),
  })
}
