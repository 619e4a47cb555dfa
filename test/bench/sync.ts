/** An initial sync of 100,000 records beside a bare loop over the same pages into the same table. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/migrate.ts'
import { cpuMsOf, rssMbOf } from './cpu.ts'
import { withClient } from './postgres.ts'
import { startProcess, startServer, stopProcess } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { credentialId } from './seed.ts'
import { median, quantile } from './statistics.ts'
import { type InitialSync, type SyncPlace, startInitialSync } from './trunkline.ts'

const RECORDS = 100_000
const PAGE_SIZE = 250
const PAGES = RECORDS / PAGE_SIZE
const FLOOR = 0.4
/**
 * Memory is flat if its peak in the last quarter is at most this many times that in the first. A young heap
 * grows to its working size (the bare loop's: 1.4 times); 100,000 records kept would be far beyond.
 */
const FLAT = 1.5
const MAX_ROUNDS = 3
const SAMPLE_MS = 50

/** One sync of everything. */
interface Run {
  readonly ms: number
  readonly cpuMs: number | null
  readonly postgresCpuMs: number | null
  /** Resident memory of the process, at even distances in time. */
  readonly rssMb: readonly number[]
}

const script = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** Records a second in times of the bare loop's, and the memory that the sync takes. */
export const benchmarkSync = async ({
  postgres,
  rounds,
  say,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('sync')
  await applyMigrations(url)
  await using stack = new AsyncDisposableStack()
  const app = await startServer({
    name: 'sync-app',
    script: script('sync-app.ts'),
    env: { RECORDS: String(RECORDS), PAGE_SIZE: String(PAGE_SIZE) },
  })
  stack.defer(app.stop)
  const place = { databaseUrl: url, appOrigin: app.origin }

  const bare: Run[] = []
  const ours: Run[] = []
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) {
    say(`Syncing ${RECORDS} records, round ${round + 1}.`)
    bare.push(await measureSync(startBareLoop, place, postgres.pid))
    if (startInitialSync !== undefined)
      ours.push(await measureSync(startInitialSync, place, postgres.pid))
  }
  const results: Result[] = [{ name: 'bare-loop', ratio: 1, ...measured(bare) }]
  if (startInitialSync !== undefined) {
    const ratio = median(ours.map(({ ms }, round) => (bare[round]?.ms ?? Number.NaN) / ms))
    const figures = measured(ours)
    const flat = figures.rssMb.lastQuarter <= FLAT * figures.rssMb.firstQuarter
    const holds = ratio >= FLOOR && flat
    results.push({ name: 'sync', ratio, floor: `≥ ${FLOOR}, memory flat`, holds, ...figures })
  }
  return results
}

const measureSync = async (
  start: (place: SyncPlace) => Promise<InitialSync>,
  place: SyncPlace,
  postgresPid: number,
): Promise<Run> => {
  await withClient(place.databaseUrl, (client) => client.query('TRUNCATE crm_accounts'))
  await using stack = new AsyncDisposableStack()
  const sync = await start(place)
  stack.defer(sync.stop)
  const rssMb: number[] = []
  const sampler = setInterval(() => rssMb.push(rssMbOf(sync.pid) ?? Number.NaN), SAMPLE_MS)
  stack.defer(() => clearInterval(sampler))
  const cpu = { sync: cpuMsOf(sync.pid), postgres: cpuMsOf(postgresPid) }
  const startedAt = performance.now()
  await sync.run()
  const ms = performance.now() - startedAt
  const used = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : to - from
  const cpuMs = used(cpu.sync, cpuMsOf(sync.pid))
  const postgresCpuMs = used(cpu.postgres, cpuMsOf(postgresPid))
  await checkCount(place.databaseUrl)
  return { ms, cpuMs, postgresCpuMs, rssMb }
}

const checkCount = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM crm_accounts',
    )
    if (rows[0]?.count !== RECORDS)
      throw new Error(`The table has ${rows[0]?.count} records, expected ${RECORDS}.`)
  })

const startBareLoop = async ({ databaseUrl, appOrigin }: SyncPlace): Promise<InitialSync> => {
  const { child, printed } = startProcess({
    name: 'sync-bare',
    script: script('sync-bare.ts'),
    env: { DATABASE_URL: databaseUrl, APP_ORIGIN: appOrigin, CREDENTIAL_ID: credentialId(1) },
  })
  const told = async (): Promise<void> => {
    const ended = once(child, 'exit').then(() => {
      throw new Error(`The bare loop ended early:\n${printed()}`)
    })
    await Promise.race([once(child, 'message'), ended])
  }
  await told()
  return {
    pid: child.pid ?? Number.NaN,
    run: async () => {
      child.send('go')
      await told()
    },
    stop: () => stopProcess(child),
  }
}

/** A page of the app counts as a request. */
const measured = (runs: readonly Run[]) => {
  const perPage = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : median(values.map(Number)) / PAGES
  const quarter = (from: number) =>
    Math.max(
      ...runs.map(({ rssMb }) => {
        const length = Math.ceil(rssMb.length / 4)
        const first = from === 0 ? 0 : rssMb.length - length
        return quantile(rssMb.slice(first, first + length), 1)
      }),
    )
  return {
    requestsPerSecond: median(runs.map(({ ms }) => (PAGES * 1000) / ms)),
    p50Ms: null,
    p99Ms: null,
    cpuMsPerRequest: perPage(runs.map(({ cpuMs }) => cpuMs)),
    postgresCpuMsPerRequest: perPage(runs.map(({ postgresCpuMs }) => postgresCpuMs)),
    rssMb: { firstQuarter: quarter(0), lastQuarter: quarter(3) },
  }
}
