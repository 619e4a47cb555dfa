/** The result of a benchmark and its required floor. */
import type { Turn } from './load-plan.ts'
import type { Postgres } from './postgres.ts'
import { median, quantile, sumKnown } from './statistics.ts'

export const BENCHMARKS = [
  'rest-list',
  'graphql-list',
  'graphql-few-fields',
  'postgraphile-list',
  'graphql-nested',
  'postgraphile-nested',
  'deep-page',
  'sync',
  'sync-quickbooks',
  'sync-hubspot',
  'sync-shopify',
  'sync-three-apps',
  'idle-poll',
  'webhooks',
  'webhooks-beside',
  'fanout',
  'soak',
] as const
export type BenchmarkName = (typeof BENCHMARKS)[number]

/** The apps that have a simulator. */
export type AppName = 'quickbooks' | 'hubspot' | 'shopify'

/** The baseline of a benchmark. */
type BareName = 'bare-loop' | 'bare-posts' | 'bare-broadcast' | 'bare-notify' | 'webhooks-alone'

export interface Result {
  /** Name of a benchmark or of a baseline. */
  readonly name: BenchmarkName | 'yardstick' | 'first-page' | BareName
  /** Ratio to the baseline, which has 1. */
  readonly ratio: number
  /** The requirement in words; undefined: none. */
  readonly floor?: string
  readonly holds?: boolean
  readonly requestsPerSecond: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  /** The p99 as a multiple of the baseline's; undefined: not compared. */
  readonly p99Ratio?: number
  /** CPU time of the server's process; null where the system does not report it. */
  readonly cpuMsPerRequest: number | null
  /** CPU time of PostgreSQL's processes. */
  readonly postgresCpuMsPerRequest: number | null
  /** The largest resident memory in the first and in the last quarter of the time. */
  readonly rssMb?: { readonly firstQuarter: number; readonly lastQuarter: number }
}

export interface BenchmarkOptions {
  readonly postgres: Postgres
  readonly rounds: number
  /** Reports progress. */
  log(line: string): void
}

type Measured = Omit<Result, 'name' | 'ratio' | 'floor' | 'holds' | 'rssMb'>

const divide = (value: number | null, divisor: number): number | null =>
  value === null ? null : value / divisor

/** One target's figures over all rounds. */
export const measureTurns = (turns: readonly Turn[]): Measured => {
  const requests = turns.reduce((sum, turn) => sum + turn.requests, 0)
  const latencies = turns.flatMap((turn) => turn.latenciesMs)
  return {
    requestsPerSecond: median(turns.map(rateOf)),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMsPerRequest: divide(sumKnown(turns.map((turn) => turn.serverCpuMs)), requests),
    postgresCpuMsPerRequest: divide(sumKnown(turns.map((turn) => turn.postgresCpuMs)), requests),
  }
}

/** Requests per second of a turn. */
export const rateOf = ({ requests, seconds }: Turn): number => requests / seconds

/**
 * The ratio of a target's value to the `base` target's: computed within each round, so that a slow
 * machine slows both; the result is the median of the rounds.
 */
export const ratioByRound = (
  turns: readonly Turn[],
  { target, base }: { target: string; base: string },
  value: (turn: Turn) => number,
): number => {
  const ratios = turns
    .filter((turn) => turn.target === target)
    .map((turn) => {
      const other = turns.find(({ target: name, round }) => name === base && round === turn.round)
      return other === undefined ? Number.NaN : value(turn) / value(other)
    })
  return median(ratios)
}
