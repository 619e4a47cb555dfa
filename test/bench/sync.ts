/** An initial sync of 100,000 records, compared with a bare loop over the same pages into the same table. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { cpuMsOf, difference, rssMbOf } from './cpu.ts'
import { withClient } from './postgres.ts'
import { startProcess, startServer, stopProcess } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { credentialId } from './seed.ts'
import { median, quantile } from './statistics.ts'

const RECORDS = 100_000
const PAGE_SIZE = 250
const PAGES = RECORDS / PAGE_SIZE
const FLOOR = 0.4
/**
 * Memory is flat if its peak in the last quarter is at most this multiple of the peak in the first. A young heap
 * grows to its working size (the bare loop's: 1.4 times); 100,000 retained records would be far beyond.
 */
const FLAT = 1.5
const MAX_ROUNDS = 3
const SAMPLE_MS = 50

/** One full sync. */
interface Run {
  readonly ms: number
  readonly cpuMs: number | null
  readonly postgresCpuMs: number | null
  /** Resident memory of the process, at regular intervals. */
  readonly rssMb: readonly number[]
  readonly contents: string
}

const SCRIPTS = { bare: 'sync-bare.ts', ours: 'sync-ours.ts', app: 'sync-app.ts' } as const
const pathOf = (who: keyof typeof SCRIPTS): string =>
  fileURLToPath(new URL(SCRIPTS[who], import.meta.url))

interface SyncPlace {
  readonly databaseUrl: string
  readonly appOrigin: string
  readonly postgresPid: number
}

/** Records per second as a ratio to the bare loop's, and the memory of the sync. */
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
    script: pathOf('app'),
    env: { RECORDS: String(RECORDS), PAGE_SIZE: String(PAGE_SIZE) },
  })
  stack.defer(app.stop)
  const place = { databaseUrl: url, appOrigin: app.origin, postgresPid: postgres.pid }

  const bare: Run[] = []
  const ours: Run[] = []
  for (let round = 1; round <= Math.min(rounds, MAX_ROUNDS); round++) {
    say(`Syncing ${RECORDS} records, round ${round}.`)
    bare.push(await measureSync('bare', place))
    ours.push(await measureSync('ours', place))
  }
  const contents = new Set([...bare, ...ours].map((run) => run.contents))
  if (contents.size !== 1) throw new Error('Our sync and the bare loop stored different records.')
  const ratio = median(ours.map(({ ms }, round) => (bare[round]?.ms ?? Number.NaN) / ms))
  const figures = measured(ours)
  const flat = figures.rssMb.lastQuarter <= FLAT * figures.rssMb.firstQuarter
  const holds = ratio >= FLOOR && flat
  return [
    { name: 'bare-loop', ratio: 1, ...measured(bare) },
    { name: 'sync', ratio, floor: `≥ ${FLOOR}, memory flat`, holds, ...figures },
  ]
}

/** One sync into the emptied table, by a new process. */
const measureSync = async (
  who: 'bare' | 'ours',
  { databaseUrl, appOrigin, postgresPid }: SyncPlace,
): Promise<Run> => {
  await withClient(databaseUrl, (client) => client.query('TRUNCATE crm_accounts; CHECKPOINT'))
  const { child, printed } = startProcess({
    name: `sync-${who}`,
    script: pathOf(who),
    env: { DATABASE_URL: databaseUrl, APP_ORIGIN: appOrigin, CREDENTIAL_ID: credentialId(1) },
  })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => stopProcess(child))
  const pid = child.pid ?? Number.NaN
  const ended = once(child, 'exit').then(() => {
    throw new Error(`sync-${who}.ts ended early:\n${printed()}`)
  })
  const message = (): Promise<unknown> => Promise.race([once(child, 'message'), ended])

  await message() // the process is ready
  const rssMb: number[] = []
  const sampler = setInterval(() => rssMb.push(rssMbOf(pid) ?? Number.NaN), SAMPLE_MS)
  stack.defer(() => clearInterval(sampler))
  const cpu = { sync: cpuMsOf(pid), postgres: cpuMsOf(postgresPid) }
  const startedAt = performance.now()
  child.send('go')
  await message() // everything is stored
  return {
    ms: performance.now() - startedAt,
    cpuMs: difference(cpu.sync, cpuMsOf(pid)),
    postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgresPid)),
    rssMb,
    contents: await readContents(databaseUrl),
  }
}

/** A digest of the synced rows and their documents, without ids and timestamps. */
const readContents = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ count: number; contents: string }>(
      `SELECT count(*)::integer AS count, md5(string_agg(md5(ROW(remote_id, account_name, account_owner,
         description, industry, website, number_of_employees, last_activity_at, addresses, phone_numbers,
         remote_fields, remote_created_at, remote_updated_at, remote_deleted,
         document::jsonb - '{id,createdAt,updatedAt}'::text[])::text), '' ORDER BY remote_id))
         AS contents
       FROM crm_accounts`,
    )
    if (rows[0]?.count !== RECORDS)
      throw new Error(`The table has ${rows[0]?.count} records, expected ${RECORDS}.`)
    return rows[0].contents
  })

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
