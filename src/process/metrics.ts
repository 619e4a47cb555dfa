/** The metrics of a process, for Prometheus. No label names a tenant, and no label has values that clients choose. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { OperationFacts } from '../api/graphql/count-operations.ts'
import type { EndedRequest } from '../api/server.ts'
import { createLowestShares } from './budget-shares.ts'
import { addGauges, type ScrapeSources } from './gauges.ts'

/** Upper bounds of latencies, in seconds. */
const LATENCIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the metrics of a process. Its parts report to the functions of the result. */
export const createMetrics = () => {
  const registry = new Registry()
  const registers = [registry]
  // Includes the event-loop delay, memory and CPU.
  collectDefaultMetrics({ register: registry, prefix: 'trunkline_' })
  const requests = new Counter({
    name: 'trunkline_http_requests_total',
    help: 'Requests to the API.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const requestDurations = new Histogram({
    name: 'trunkline_http_request_duration_seconds',
    help: 'Duration of requests to the API, without event streams.',
    labelNames: ['method', 'route'],
    buckets: LATENCIES,
    registers,
  })
  const operations = new Counter({
    name: 'trunkline_graphql_operations_total',
    help: 'GraphQL operations, by their root field ("several" for more than one) and error code.',
    labelNames: ['type', 'field', 'outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'trunkline_sync_runs_total',
    help: 'Sync runs that have completed, or failed with a code.',
    labelNames: ['app', 'outcome'],
    registers,
  })
  const appRequests = new Counter({
    name: 'trunkline_app_requests_total',
    help: 'Requests to apps, by HTTP status, or by the problem of one without a usable response.',
    labelNames: ['app', 'outcome'],
    registers,
  })
  const appDurations = new Histogram({
    name: 'trunkline_app_request_duration_seconds',
    help: 'Duration of requests to apps.',
    labelNames: ['app'],
    buckets: LATENCIES,
    registers,
  })
  const posts = new Counter({
    name: 'trunkline_posts_total',
    help: 'Webhook messages and posts of workflows that were sent, by HTTP status or problem.',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const postDurations = new Histogram({
    name: 'trunkline_post_duration_seconds',
    help: 'Duration of webhook messages and posts of workflows.',
    labelNames: ['kind'],
    buckets: LATENCIES,
    registers,
  })
  const inboundWebhooks = new Counter({
    name: 'trunkline_inbound_webhooks_total',
    help: 'Webhooks of apps that were received, by outcome: accepted, handshake, rejected, foreign, unreadable.',
    labelNames: ['app', 'outcome'],
    registers,
  })
  const poolWaits = new Counter({
    name: 'trunkline_database_pool_waits_total',
    help: 'How often statements waited more than a second for a database connection.',
    registers,
  })
  const budgetRefusals = new Counter({
    name: 'trunkline_app_budget_refusals_total',
    help: 'Requests to apps that their request budget did not allow, by what they were for.',
    labelNames: ['app', 'purpose'],
    registers,
  })
  const budgets = createLowestShares()
  const sources: ScrapeSources = { budgets }
  addGauges(registry, sources)

  const onPost =
    (kind: 'webhook' | 'workflow') =>
    (outcome: string, tookMs: number): void => {
      posts.inc({ kind, outcome })
      postDurations.observe({ kind }, tookMs / 1000)
    }
  return {
    onRequest: ({ method, route, status, tookMs }: EndedRequest): void => {
      requests.inc({ method, route, status })
      if (tookMs !== undefined) requestDurations.observe({ method, route }, tookMs / 1000)
    },
    onOperation: ({ type, field, outcome }: OperationFacts): void =>
      operations.inc({ type, field, outcome }),
    onRun: (app: string, outcome: string): void => runs.inc({ app, outcome }),
    onAppRequest: (app: string, outcome: string, tookMs: number): void => {
      appRequests.inc({ app, outcome })
      appDurations.observe({ app }, tookMs / 1000)
    },
    onBudget: budgets.note,
    onBudgetRefusal: (app: string, purpose: string): void => budgetRefusals.inc({ app, purpose }),
    onWebhookRequest: onPost('webhook'),
    onWorkflowPost: onPost('workflow'),
    onInboundWebhook: (app: string, outcome: string): void => inboundWebhooks.inc({ app, outcome }),
    onPoolWait: (): void => poolWaits.inc(),
    /** Adds parts of the process that are read at each scrape. */
    readAtScrape: (added: ScrapeSources): void => void Object.assign(sources, added),
    /** The state of the process; undefined before it has started. */
    get findUnreadiness() {
      return sources.findUnreadiness
    },
    contentType: registry.contentType,
    /** All metrics, in the text format of Prometheus. */
    scrape: (): Promise<string> => registry.metrics(),
  }
}
