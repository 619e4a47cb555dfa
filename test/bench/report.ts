/** Output of the results: a table, or one JSON object per line. */
import { BENCHMARKS, type Result } from './result.ts'

const formatNumber = (value: number | null, digits: number): string =>
  value === null || Number.isNaN(value) ? '–' : value.toFixed(digits)

const columns: readonly (readonly [string, (result: Result) => string])[] = [
  ['', ({ name }) => name],
  ['ratio', ({ ratio }) => formatNumber(ratio, 2)],
  ['required', ({ floor }) => floor ?? ''],
  ['', ({ holds }) => (holds === undefined ? '' : holds ? 'holds' : 'MISSED')],
  ['requests/s', ({ requestsPerSecond }) => formatNumber(requestsPerSecond, 0)],
  ['p50 ms', ({ p50Ms }) => formatNumber(p50Ms, 1)],
  ['p99 ms', ({ p99Ms }) => formatNumber(p99Ms, 1)],
  ['× bare', ({ p99Ratio }) => (p99Ratio === undefined ? '' : formatNumber(p99Ratio, 1))],
  ['CPU ms/request', ({ cpuMsPerRequest }) => formatNumber(cpuMsPerRequest, 3)],
  ['+ PostgreSQL', (result) => formatNumber(result.postgresCpuMsPerRequest, 3)],
  [
    'memory MB, first and last quarter',
    ({ rssMb }) =>
      rssMb ? `${formatNumber(rssMb.firstQuarter, 0)} → ${formatNumber(rssMb.lastQuarter, 0)}` : '',
  ],
]

/** The results in columns. */
export const formatTable = (results: readonly Result[]): string => {
  const rows = [
    columns.map(([title]) => title),
    ...results.map((result) => columns.map(([, cell]) => cell(result))),
  ]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const roundNumber = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value

/** One JSON object per line for each benchmark, without the baselines. */
export const formatJson = (results: readonly Result[]): string =>
  results
    .filter(({ name }) => BENCHMARKS.some((benchmark) => benchmark === name))
    .map(({ name, ratio, cpuMsPerRequest, ...rest }) =>
      JSON.stringify({ name, ratio, cpuMsPerRequest, ...rest }, roundNumber),
    )
    .join('\n')
