/** The metrics that are read at each scrape: from memory, or from the database by one statement each. */
import { Gauge, type Registry } from 'prom-client'
import type { LiveChanges } from '../delivery/live-changes.ts'
import type { WebhookDelivery } from '../delivery/webhooks.ts'
import { readLagMs } from '../store/changes/log-lag.ts'
import type { Database } from '../store/database/database.ts'
import type { TemporaryFailure } from '../store/database/temporary-failure.ts'
import { countDueRuns } from '../store/sync/due-runs.ts'
import { readWebhookBacklog } from '../store/webhooks/webhook-backlog.ts'
import { readWorkflowBacklog } from '../store/workflows/workflow-backlog.ts'
import type { LowestShares } from './budget-shares.ts'

/** The parts of a process that are read. Each is added when it is created. */
export interface ScrapeSources {
  readonly budgets?: LowestShares
  readonly database?: Database
  readonly requestDatabase?: Database
  /** Added when the process has started. */
  readonly findUnreadiness?: () => TemporaryFailure | undefined
  readonly live?: LiveChanges
  readonly webhooks?: WebhookDelivery
}

type Labels = Readonly<Record<string, string>>

interface GaugeDefinition {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
  /** The values now. If it fails, the scrape contains no value of this gauge. */
  readonly read: () => Promise<readonly (readonly [Labels, number])[]>
}

const isReady = ({ findUnreadiness }: ScrapeSources): boolean =>
  findUnreadiness !== undefined && findUnreadiness() === undefined

/** A read whose result the gauges of one scrape share. */
const shared = <Result>(read: () => Promise<Result>): (() => Promise<Result>) => {
  let current: Promise<Result> | undefined
  return () => {
    current ??= read().finally(() => {
      current = undefined
    })
    return current
  }
}

/** Adds the gauges to a registry. */
export const addGauges = (registry: Registry, sources: ScrapeSources): void => {
  const add = ({ name, help, labelNames = [], read }: GaugeDefinition): void => {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const values = await read().catch(() => [])
        this.reset()
        // Without labels, a gauge that was reset has the value 0.
        if (labelNames.length === 0 && values.length === 0) this.remove()
        for (const [labels, value] of values) this.set({ ...labels }, value)
      },
    })
  }
  /** The database, unless it is unavailable: a scrape does not wait for it. */
  const available = (): readonly Database[] => {
    const { database, findUnreadiness } = sources
    return database && findUnreadiness?.() === undefined ? [database] : []
  }
  const readAll = async <Row>(
    read: (database: Database) => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> => (await Promise.all(available().map(read))).flat()

  const readDueRuns = shared(() => readAll(countDueRuns))
  const readBacklog = shared(() =>
    readAll(async (database) => [await readWebhookBacklog(database)]),
  )
  const readRuns = shared(() => readAll(async (database) => [await readWorkflowBacklog(database)]))

  add({
    name: 'trunkline_ready',
    help: '1 if the process can read and write the database, as /ready reports it; otherwise 0.',
    read: async () => [[{}, isReady(sources) ? 1 : 0]],
  })
  add({
    name: 'trunkline_sync_due_runs',
    help: 'Sync runs of all processes that are due and wait, at most 10,000.',
    labelNames: ['app'],
    read: async () => (await readDueRuns()).map(({ app, count }) => [{ app }, count]),
  })
  add({
    name: 'trunkline_sync_lag_seconds',
    help: 'How long the first due sync run of an app has been waiting.',
    labelNames: ['app'],
    read: async () => (await readDueRuns()).map(({ app, lagMs }) => [{ app }, lagMs / 1000]),
  })
  add({
    name: 'trunkline_app_budget_remaining_ratio',
    help: 'Share of a limit of an app that was left, from 0 to 1: the lowest of all credentials whose requests this process sent in the last minute or two.',
    labelNames: ['app', 'limit'],
    read: async () =>
      (sources.budgets?.list() ?? []).map(({ app, limit, share }) => [{ app, limit }, share]),
  })
  add({
    name: 'trunkline_workflow_due_runs',
    help: 'Workflow runs of all processes that are due and wait, at most 10,000.',
    read: async () => (await readRuns()).map(({ due }) => [{}, due]),
  })
  add({
    name: 'trunkline_workflow_lag_seconds',
    help: 'How long the first due workflow run has been waiting, unless its workflow is paused.',
    read: async () => (await readRuns()).map(({ lagMs }) => [{}, lagMs / 1000]),
  })
  add({
    name: 'trunkline_webhook_waiting_messages',
    help: 'Webhook messages of all processes that wait for another attempt, at most 100,000.',
    read: async () => (await readBacklog()).map(({ waiting }) => [{}, waiting]),
  })
  add({
    name: 'trunkline_webhook_failing_endpoints',
    help: 'Webhook endpoints of all processes whose last attempt failed.',
    read: async () => (await readBacklog()).map(({ failing }) => [{}, failing]),
  })
  add({
    name: 'trunkline_webhook_failing_seconds',
    help: 'How long the first of the failing webhook endpoints has been failing.',
    read: async () => (await readBacklog()).map(({ failingMs }) => [{}, failingMs / 1000]),
  })
  add({
    name: 'trunkline_change_log_lag_seconds',
    help: 'Age of the first change that this process has not read for a subscriber or webhook endpoint.',
    labelNames: ['reader'],
    read: async () =>
      readAll(async (database) => {
        const positions = [
          ['subscriptions', sources.live?.position],
          ['webhooks', sources.webhooks?.position],
        ] as const
        return Promise.all(
          positions.flatMap(([reader, after]) =>
            after
              ? [readLagMs(database, after).then((ms) => [{ reader }, ms / 1000] as const)]
              : [],
          ),
        )
      }),
  })
  add({
    name: 'trunkline_subscribers',
    help: 'Subscriptions of this process that follow the change log.',
    read: async () => (sources.live ? [[{}, sources.live.followers]] : []),
  })
  add({
    name: 'trunkline_database_connections',
    help: 'Database connections of this process, and statements that wait for one.',
    labelNames: ['pool', 'state'],
    read: async () =>
      Object.entries({ work: sources.database, requests: sources.requestDatabase }).flatMap(
        ([pool, database]) =>
          Object.entries(database?.connections ?? {}).map(
            ([state, count]) => [{ pool, state }, count] as const,
          ),
      ),
  })
}
