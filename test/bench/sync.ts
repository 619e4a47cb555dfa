/** An initial sync of 100,000 records, compared with a bare loop over the same pages into the same table. */
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { withClient } from './postgres.ts'
import { startServer } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { credentialId } from './seed.ts'
import { median } from './statistics.ts'
import { isFlat, measureSync, type SyncRun, syncFigures } from './sync-process.ts'

const RECORDS = 100_000
const PAGE_SIZE = 250
const PAGES = RECORDS / PAGE_SIZE
const MIN_RATE_RATIO = 0.4
const MAX_ROUNDS = 3

/** One full sync. */
type Run = SyncRun & { readonly contents: string }

const SCRIPTS = { bare: 'sync-bare.ts', ours: 'sync-ours.ts', app: 'sync-app.ts' } as const
const pathOf = (side: keyof typeof SCRIPTS): string =>
  fileURLToPath(new URL(SCRIPTS[side], import.meta.url))

interface SyncPlace {
  readonly databaseUrl: string
  readonly appOrigin: string
  readonly postgresPid: number
}

/** Records per second as a ratio to the bare loop's, and the memory of the sync. */
export const benchmarkSync = async ({
  postgres,
  rounds,
  log,
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
    log(`Syncing ${RECORDS} records, round ${round}.`)
    bare.push(await syncOnce('bare', place))
    ours.push(await syncOnce('ours', place))
  }
  const contents = new Set([...bare, ...ours].map((run) => run.contents))
  if (contents.size !== 1) throw new Error('Our sync and the bare loop stored different records.')
  const ratio = median(ours.map(({ ms }, round) => (bare[round]?.ms ?? Number.NaN) / ms))
  // A page of the app counts as a request.
  const figures = syncFigures(ours, PAGES)
  const holds = ratio >= MIN_RATE_RATIO && isFlat(figures)
  return [
    { name: 'bare-loop', ratio: 1, ...syncFigures(bare, PAGES) },
    { name: 'sync', ratio, floor: `≥ ${MIN_RATE_RATIO}, memory flat`, holds, ...figures },
  ]
}

/** One sync into the emptied table, by a new process. */
const syncOnce = async (
  side: 'bare' | 'ours',
  { databaseUrl, appOrigin, postgresPid }: SyncPlace,
): Promise<Run> => {
  await withClient(databaseUrl, (client) => client.query('TRUNCATE crm_accounts; CHECKPOINT'))
  const run = await measureSync({
    name: `sync-${side}`,
    script: pathOf(side),
    env: { DATABASE_URL: databaseUrl, APP_ORIGIN: appOrigin, CREDENTIAL_ID: credentialId(1) },
    postgresPid,
  })
  return { ...run, contents: await readContents(databaseUrl) }
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
