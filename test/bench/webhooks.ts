/** Delivery of changes from the log to an endpoint, compared with a bare loop that posts as many bodies of the same size. */
import { setTimeout as wait } from 'node:timers/promises'
import { encodeChangeCursor } from '../../src/query/change-cursor.ts'
import { account } from '../../src/resources/crm/account.ts'
import { endOfLog } from '../../src/store/changes/changes.ts'
import { cpuMsOf, difference } from './cpu.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { median, quantile } from './statistics.ts'
import { openStage } from './webhooks-stage.ts'

const MESSAGES = 10_000
const CHANGES_PER_TRANSACTION = 500
const CONCURRENCY = 16
const MIN_RATE_RATIO = 0.55
const MAX_ROUNDS = 3
/** Interval between changes while latency is measured, which avoids a queue. */
const PACE_MS = 5
const TIMED_CHANGES = 400

interface Run {
  readonly ms: number
  readonly cpuMs: number | null
  readonly postgresCpuMs: number | null
}

/** Changes per second, and the latency of a change. */
export const benchmarkWebhooks = async ({
  postgres,
  rounds,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  await using stage = await openStage(postgres, 'webhooks')
  const { database, writer, receiver } = stage
  const start = await endOfLog(database)
  for (let n = 0; n < MESSAGES; n += CHANGES_PER_TRANSACTION)
    await writer.change(1 + n, CHANGES_PER_TRANSACTION)
  // As autovacuum leaves the table within a minute.
  await database.prisma.$executeRaw`ANALYZE change_log.changes`
  const subscriptionId = await stage.subscribe(`${receiver}/hook`)
  const [sample] = await database.prisma.$queryRaw<{ record: string }[]>`
    SELECT record::text AS record FROM change_log.changes LIMIT 1`
  const timestamp = new Date().toISOString()
  const body = `{"type":"${account.topic}","timestamp":"${timestamp}","data":{"record":${sample?.record}}}`

  const measure = async (name: 'bare' | 'ours', work: () => Promise<void>): Promise<Run> => {
    await stage.reset()
    await using sender = await stage.startSender(name, {
      ADDRESS: `${receiver}/hook`,
      BODY: body,
      COUNT: String(MESSAGES),
      CONCURRENCY: String(CONCURRENCY),
    })
    const cpu = { sender: cpuMsOf(sender.pid), postgres: cpuMsOf(postgres.pid) }
    const startedAt = performance.now()
    sender.go()
    await sender.during(stage.arrived(MESSAGES))
    const run = {
      ms: performance.now() - startedAt,
      cpuMs: difference(cpu.sender, cpuMsOf(sender.pid)),
      postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgres.pid)),
    }
    await sender.during(work())
    return run
  }

  const latencies: number[] = []
  /** One change at a time while the delivery runs. */
  const measureLatencies = async (): Promise<void> => {
    await stage.reset()
    for (let n = 0; n < TIMED_CHANGES; n++) {
      await writer.change(MESSAGES * 10 + latencies.length + n, 1)
      await wait(PACE_MS)
    }
    latencies.push(...(await stage.arrived(TIMED_CHANGES)))
  }

  const bare: Run[] = []
  const ours: Run[] = []
  for (let round = 1; round <= Math.min(rounds, MAX_ROUNDS); round++) {
    log(`Sending ${MESSAGES} messages, round ${round}.`)
    bare.push(await measure('bare', async () => {}))
    await database.prisma.webhookDelivery.update({
      where: { subscriptionId },
      data: { position: encodeChangeCursor(start), holder: null },
    })
    ours.push(await measure('ours', measureLatencies))
    await database.prisma.$executeRaw`
      DELETE FROM change_log.changes WHERE record->>'remoteId' >= ${String(MESSAGES * 10)}
        AND length(record->>'remoteId') >= ${String(MESSAGES * 10).length}`
  }
  const ratio = median(ours.map(({ ms }, round) => (bare[round]?.ms ?? Number.NaN) / ms))
  return [
    { name: 'bare-posts', ratio: 1, ...summarizeRuns(bare), p50Ms: null, p99Ms: null },
    {
      name: 'webhooks',
      ratio,
      floor: `≥ ${MIN_RATE_RATIO}`,
      holds: ratio >= MIN_RATE_RATIO,
      ...summarizeRuns(ours),
      p50Ms: quantile(latencies, 0.5),
      p99Ms: quantile(latencies, 0.99),
    },
  ]
}

const summarizeRuns = (runs: readonly Run[]) => {
  const medianPerMessage = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : median(values.map(Number)) / MESSAGES
  return {
    requestsPerSecond: median(runs.map(({ ms }) => (MESSAGES * 1000) / ms)),
    cpuMsPerRequest: medianPerMessage(runs.map(({ cpuMs }) => cpuMs)),
    postgresCpuMsPerRequest: medianPerMessage(runs.map(({ postgresCpuMs }) => postgresCpuMs)),
  }
}
