/**
 * First syncs of 100,000 records from the simulators of apps, one app at a time and three at once, compared with a
 * bare loop over the same responses. A record counts as a request.
 */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { cpuMsOf, difference } from './cpu.ts'
import { withClient } from './postgres.ts'
import { startProcess, stopProcess } from './process.ts'
import type { AppName, BenchmarkName, BenchmarkOptions, Result } from './result.ts'
import { median } from './statistics.ts'
import type { AppRequests } from './sync-apps-bare.ts'
import { measureSync, type SyncRun, syncFigures } from './sync-process.ts'
import type { SimulatorAccount, SimulatorRequest } from './sync-simulator.ts'

const RECORDS = 100_000
const MAX_ROUNDS = 2

/** The apps of each benchmark, which share the records equally. */
export const SYNCED_APPS: ReadonlyMap<BenchmarkName, readonly AppName[]> = new Map([
  ['sync-quickbooks', ['quickbooks']],
  ['sync-hubspot', ['hubspot']],
  ['sync-shopify', ['shopify']],
  ['sync-three-apps', ['quickbooks', 'hubspot', 'shopify']],
])

const pathOf = (script: string): string => fileURLToPath(new URL(script, import.meta.url))

interface Simulator {
  readonly account: SimulatorAccount
  readonly pid: number
  /** The requests since the last call. */
  takeRequests(): Promise<readonly SimulatorRequest[]>
  stop(): Promise<void>
}

/** Starts the simulator of an app, which generates its records first. */
const startSimulator = async (app: AppName, records: number): Promise<Simulator> => {
  const { child, printed } = startProcess({
    name: `simulator-${app}`,
    script: pathOf('sync-simulator.ts'),
    env: { APP: app, RECORDS: String(records) },
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The simulator of ${app} ended early:\n${printed()}`)
  })
  // sync-simulator.ts sends its account, and then the requests for each message.
  const receive = async (): Promise<unknown> =>
    (await Promise.race([once(child, 'message'), ended]))[0]
  return {
    account: (await receive()) as SimulatorAccount,
    pid: child.pid ?? Number.NaN,
    takeRequests: () => {
      child.send('requests')
      return receive() as Promise<readonly SimulatorRequest[]>
    },
    stop: () => stopProcess(child),
  }
}

/** One round: our sync, and the bare loop over its responses. */
interface Round {
  readonly ours: SyncRun
  readonly bare: SyncRun
  /** How many records our sync has stored. */
  readonly records: number
}

/** Records per second as a ratio to the bare loop's. */
export const benchmarkSyncApps = async (
  name: BenchmarkName,
  apps: readonly AppName[],
  options: BenchmarkOptions,
): Promise<readonly Result[]> => {
  await using stack = new AsyncDisposableStack()
  const simulators: Simulator[] = []
  for (const app of apps) {
    const simulator = await startSimulator(app, RECORDS / apps.length)
    stack.defer(simulator.stop)
    simulators.push(simulator)
  }
  const rounds: Round[] = []
  for (let round = 1; round <= Math.min(options.rounds, MAX_ROUNDS); round++)
    rounds.push(await syncRound(`${name} ${round}`, simulators, options))
  const [first] = rounds
  const records = first?.records ?? Number.NaN
  if (rounds.some((round) => round.records !== records))
    throw new Error(`The rounds of ${name} stored different numbers of records.`)
  const syncFiguresOf = (side: 'ours' | 'bare') =>
    syncFigures(
      rounds.map((round) => round[side]),
      records,
    )
  return [
    { name: 'bare-loop', ratio: 1, ...syncFiguresOf('bare') },
    {
      name,
      ratio: median(rounds.map(({ bare, ours }) => bare.ms / ours.ms)),
      ...syncFiguresOf('ours'),
    },
  ]
}

const syncRound = async (
  name: string,
  simulators: readonly Simulator[],
  { postgres, log }: BenchmarkOptions,
): Promise<Round> => {
  log(`Syncing ${name}.`)
  const url = await postgres.createDatabase(name.replaceAll(/\W/g, '_'))
  await applyMigrations(url)
  await withClient(url, (client) =>
    client.query('CREATE TABLE bare_records (app text, record jsonb); CHECKPOINT'),
  )
  const accounts = simulators.map(({ account }) => account)
  const cpuOfSimulators = () => simulators.map(({ pid }) => cpuMsOf(pid))
  const before = cpuOfSimulators()
  const ours = await measureSync({
    name: 'sync-apps-ours',
    script: pathOf('sync-apps-ours.ts'),
    env: {
      ...{ DATABASE_URL: url, ACCOUNTS: JSON.stringify(accounts) },
      // The limit for short-lived objects of `npm start`. Without it, the measured memory depends on V8's default.
      NODE_OPTIONS: '--max-semi-space-size=4',
    },
    postgresPid: postgres.pid,
  })
  const spent = cpuOfSimulators().map((after, index) => difference(before[index] ?? null, after))
  log(`${name}: ${ours.ms.toFixed(0)} ms; CPU of the simulators: ${spent.join(' + ')} ms.`)
  const requests: AppRequests[] = []
  for (const { account, takeRequests } of simulators)
    requests.push({ ...account, requests: await takeRequests() })
  const bare = await measureSync({
    name: 'sync-apps-bare',
    script: pathOf('sync-apps-bare.ts'),
    env: { DATABASE_URL: url },
    postgresPid: postgres.pid,
    input: requests,
  })
  for (const { takeRequests } of simulators) await takeRequests()
  return { ours, bare, records: await countRecords(url) }
}

/**
 * How many records our sync has stored.
 * @throws if that is less than the apps have, or more than the bare loop has copied
 */
const countRecords = (url: string): Promise<number> =>
  withClient(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name = 'document'`,
    )
    const all = tables.map(({ name }) => `SELECT count(*) FROM ${name}`).join(' UNION ALL ')
    const { rows } = await client.query<{ ours: number; bare: number }>(
      `SELECT (SELECT sum(count)::integer FROM (${all}) counts) AS ours,
         (SELECT count(*)::integer FROM bare_records) AS bare`,
    )
    const { ours = 0, bare = 0 } = rows[0] ?? {}
    if (ours < RECORDS || bare < ours)
      throw new Error(
        `Our sync stored ${ours} records, the bare loop ${bare}; expected ${RECORDS}.`,
      )
    return ours
  })
