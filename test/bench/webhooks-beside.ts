/** Latency of changes to healthy endpoints: alone, and next to four misbehaving ones. */
import { setTimeout as wait } from 'node:timers/promises'
import { cpuMsOf, difference } from './cpu.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { median, quantile } from './statistics.ts'
import { openStage, type Stage } from './webhooks-stage.ts'

const HEALTHY = ['/healthy-1', '/healthy-2']
const MISBEHAVING = ['/hangs', '/drips', '/endless', '/redirects']
const MAX_P99_RATIO = 2
const MAX_ROUNDS = 5
const PACE_MS = 5
const CHANGES = 600
/** Shorter than in production, so that hanging endpoints are cut off during the measurement. */
const DEADLINE_MS = 500

interface Phase {
  readonly latenciesMs: readonly number[]
  readonly seconds: number
  readonly cpuMs: number | null
  readonly postgresCpuMs: number | null
}

const p99 = ({ latenciesMs }: Phase): number => quantile(latenciesMs, 0.99)

/** Measures healthy endpoints alone and next to misbehaving ones. The ratio is that of the 99th percentiles. */
export const benchmarkWebhooksBeside = async ({
  postgres,
  rounds,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  await using stage = await openStage(postgres, 'webhooks_beside')
  const misbehaving = await stage.startEndpoint('misbehaving')
  for (const path of HEALTHY) await stage.subscribe(stage.receiver + path)
  const bad: string[] = []
  for (const path of MISBEHAVING) bad.push(await stage.subscribe(misbehaving + path))

  let written = 0
  const measure = async (): Promise<Phase> => {
    await using sender = await stage.startSender('ours', { DEADLINE_MS: String(DEADLINE_MS) })
    sender.go()
    // Warm-up: the first messages are slower on both sides.
    await deliver(stage, sender.during, written, 100)
    const cpu = { sender: cpuMsOf(sender.pid), postgres: cpuMsOf(postgres.pid) }
    const startedAt = performance.now()
    const latenciesMs = await deliver(stage, sender.during, written + 100, CHANGES)
    written += 100 + CHANGES
    return {
      latenciesMs,
      seconds: (performance.now() - startedAt) / 1000,
      cpuMs: difference(cpu.sender, cpuMsOf(sender.pid)),
      postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgres.pid)),
    }
  }
  const enable = (isEnabled: boolean) =>
    stage.database.prisma.webhookSubscription.updateMany({
      where: { id: { in: bad } },
      data: { isEnabled },
    })

  const alone: Phase[] = []
  const together: Phase[] = []
  for (let round = 1; round <= Math.min(rounds, MAX_ROUNDS); round++) {
    log(`Sending ${CHANGES} changes alone and next to bad endpoints, round ${round}.`)
    await enable(false)
    alone.push(await measure())
    await enable(true)
    together.push(await measure())
  }
  const ratio = median(together.map((phase, round) => p99(phase) / p99(alone[round] ?? phase)))
  return [
    { name: 'webhooks-alone', ratio: 1, ...summarizePhases(alone) },
    {
      name: 'webhooks-beside',
      ratio,
      floor: `≤ ${MAX_P99_RATIO}`,
      holds: ratio <= MAX_P99_RATIO,
      ...summarizePhases(together),
    },
  ]
}

/** Changes records one at a time. @returns the latency of each message to a healthy endpoint */
const deliver = async (
  { reset, writer, arrived }: Stage,
  during: <T>(work: Promise<T>) => Promise<T>,
  from: number,
  count: number,
): Promise<readonly number[]> => {
  await reset()
  for (let n = 1; n <= count; n++) {
    await writer.change(from + n, 1)
    await wait(PACE_MS)
  }
  return during(arrived(count * HEALTHY.length))
}

const summarizePhases = (phases: readonly Phase[]) => {
  const latencies = phases.flatMap(({ latenciesMs }) => latenciesMs)
  const messages = CHANGES * HEALTHY.length
  const medianPerMessage = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : median(values.map(Number)) / messages
  return {
    requestsPerSecond: median(phases.map(({ seconds }) => messages / seconds)),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMsPerRequest: medianPerMessage(phases.map(({ cpuMs }) => cpuMs)),
    postgresCpuMsPerRequest: medianPerMessage(phases.map(({ postgresCpuMs }) => postgresCpuMs)),
  }
}
