/** The queue of runs: pg-boss on the same PostgreSQL, so any number of processes share the work. */
import { PgBoss } from 'pg-boss'
import type { Transaction } from '../store/database.ts'
import type { SyncKey } from '../store/sync-key.ts'
import type { SyncLog } from './active-run.ts'

const QUEUE = 'sync'
// pg-boss's least. A job whose process was killed is taken up by another after this and one watch.
const HEARTBEAT_SECONDS = 10
const WATCH_SECONDS = 5
// Jobs that this process makes are fetched at once; this is for those of others.
const POLL_SECONDS = 2

export interface JobsOptions {
  readonly url: string
  /** Runs at once in this process. */
  readonly concurrency: number
  readonly log: SyncLog
  /** Never rejects: what became of the run stands in its state. */
  readonly run: (key: SyncKey) => Promise<void>
}

export interface Jobs {
  start(): Promise<void>
  /** Ends when the jobs under way have ended. */
  stop(): Promise<void>
  /** Adds jobs with the caller's transaction; one that is waiting or running already is not added. */
  enqueue(transaction: Transaction, keys: readonly SyncKey[]): Promise<void>
  /** Has idle workers of this process look for jobs now. */
  wake(): void
}

export const createJobs = ({ url, concurrency, log, run }: JobsOptions): Jobs => {
  const boss = new PgBoss({
    connectionString: url,
    application_name: 'trunkline-jobs',
    max: 4,
    schema: 'pgboss',
    schedule: false,
    superviseIntervalSeconds: WATCH_SECONDS,
    monitorIntervalSeconds: WATCH_SECONDS,
    maintenanceIntervalSeconds: 60,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue met an error'))
  boss.on('warning', (warning) => log.warn({ ...warning }, 'the job queue warns'))
  const workers: string[] = []

  return {
    start: async () => {
      await boss.start()
      await boss.createQueue(QUEUE, {
        // One job a key, waiting or running, whoever adds it.
        policy: 'exclusive',
        heartbeatSeconds: HEARTBEAT_SECONDS,
        // A job is tried again only if its process died: failures of runs are settled in their state.
        retryLimit: 5,
        expireInSeconds: 3600,
        retentionSeconds: 3600,
        deleteAfterSeconds: 60,
      })
      for (let place = 0; place < concurrency; place++) {
        // Each on its own, because only a worker's own id wakes it.
        const id: string = await boss.work<SyncKey>(
          QUEUE,
          { pollingIntervalSeconds: POLL_SECONDS },
          async ([job]) => {
            if (job) await run(job.data)
            // Where there was one job there are more: pg-boss would sleep first.
            boss.notifyWorker(id)
          },
        )
        workers.push(id)
      }
    },
    stop: () => boss.stop({ graceful: true, timeout: 60_000 }),
    enqueue: async (transaction, keys) => {
      const jobs = keys.map((key) => ({
        data: key,
        singletonKey: `${key.credentialId}/${key.topic}`,
      }))
      const db = {
        executeSql: async (text: string, values: unknown[] = []) => ({
          rows: await transaction.$queryRawUnsafe<unknown[]>(text, ...values),
        }),
      }
      await boss.insert(QUEUE, jobs, { db })
    },
    wake: () => {
      for (const id of workers) boss.notifyWorker(id)
    },
  }
}
