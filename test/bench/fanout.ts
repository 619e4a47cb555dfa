/**
 * Delivery of changes to many subscribers: deliveries per second, compared with a bare broadcast of the same
 * bytes to as many sockets, and latency, compared with a bare NOTIFY.
 */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { encodeChangeCursor } from '../../src/query/change-cursor.ts'
import { account } from '../../src/resources/crm/account.ts'
import { endOfLog } from '../../src/store/changes/changes.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { sampleRecord } from '../support/sample.ts'
import { monotonicMs } from './clock.ts'
import { cpuMsOf, difference } from './cpu.ts'
import type { Broadcast } from './fanout-bare.ts'
import type { Join, Listen, Tally } from './fanout-crowd.ts'
import { startProcess, startServer, stopProcess } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { credentialId } from './seed.ts'
import { median, quantile } from './statistics.ts'
import { authorization, SUBSCRIPTION, startTrunkline } from './trunkline.ts'

const SOCKETS = 1000
const CREDENTIALS = 4
const CHANGES = 100
/** Changes per transaction while deliveries are counted. */
const CHANGES_PER_TRANSACTION = 10
const DELIVERIES = SOCKETS * CHANGES
/** Subscribers during the latency measurement, and the interval between changes, which avoids a queue. */
const TIMED_SOCKETS = 50
const PACE_MS = 20
const TIMED_CHANGES = 200
const MIN_RATE_RATIO = 0.5
const MAX_P99_RATIO = 5
const MAX_ROUNDS = 5
const CHANNEL = 'bench_fanout'

type Who = 'ours' | 'bare'

interface Run {
  readonly ms: number
  readonly cpuMs: number | null
  readonly postgresCpuMs: number | null
  readonly bytes: number
}

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`fanout-${name}.ts`, import.meta.url))

/** Writes records in the server's environment. */
const createWriter = async (database: Database) => {
  const { environmentId } = await database.prisma.credential.findUniqueOrThrow({
    where: { id: credentialId(1) },
  })
  const toLine = createLineWriter(account)
  let written = 0
  /** @returns the time just before the commit */
  return async (count: number): Promise<number> => {
    const id = credentialId(1 + (written % CREDENTIALS))
    // Every third has no optional values; the others are alike, with numbers of the same length.
    const lines = Array.from({ length: count }, () =>
      toLine(sampleRecord(id, account, 100_001 + 3 * written++)),
    )
    return database.transaction(async (transaction) => {
      const owner = { credentialId: id, environmentId }
      await applyChanges(transaction, owner, account, lines, { accept: 'all' })
      return monotonicMs()
    })
  }
}

const startCrowd = () => {
  const { child, printed } = startProcess({
    name: 'fanout-crowd',
    script: pathOf('crowd'),
    env: {},
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`fanout-crowd.ts ended early:\n${printed()}`)
  })
  ended.catch(() => {})
  // The crowd answers each message once, and `Listen` a second time at the end.
  const receiveMessage = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  const send = async (order: Join | Listen): Promise<void> => {
    const received = receiveMessage()
    child.send(order)
    await received
  }
  return { child, receiveMessage: receiveMessage as () => Promise<Tally>, send }
}

/** Deliveries per second, and the latency of a change. */
export const benchmarkFanout = async ({
  postgres,
  rounds,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('fanout')
  await applyMigrations(url)
  await using stack = new AsyncDisposableStack()
  const database = openDatabase({ url })
  stack.defer(() => database.stop())
  const server = await startTrunkline(url, CREDENTIALS, 'api')
  stack.defer(server.stop)
  const bare = await startBare(url)
  stack.defer(bare.stop)
  const crowd = startCrowd()
  stack.defer(() => stopProcess(crowd.child))
  const change = await createWriter(database)

  const join = async (sockets: number): Promise<void> => {
    const after = encodeChangeCursor(await endOfLog(database))
    const order = { kind: 'join', sockets, authorization, query: SUBSCRIPTION } as const
    await crowd.send({ ...order, group: 'ours', origin: server.origin, variables: { after } })
    await crowd.send({ ...order, group: 'bare', origin: bare.origin, variables: { after } })
  }

  /**
   * Counts the messages that a group receives during `work`. @throws Error unless every socket receives this number
   * of `messages`
   */
  const listen = async <Done>(
    { group, messages, isTimed }: Omit<Listen, 'kind' | 'group'> & { group: Who },
    work: () => Promise<Done>,
  ): Promise<{ received: Tally; done: Done }> => {
    await crowd.send({ kind: 'listen', group, messages, isTimed })
    const tally = crowd.receiveMessage()
    const done = await work()
    const received = await tally
    if (received.least !== messages || received.most !== messages)
      throw new Error(`${group}: ${received.least} to ${received.most} messages, not ${messages}.`)
    return { received, done }
  }

  /** Waits until every subscriber follows the log. @returns a sample of what one change delivers */
  const settle = async (): Promise<string> =>
    (await listen({ group: 'ours', messages: 1, isTimed: false }, () => change(1))).received.sample

  const measure = async (group: Who, work: () => Promise<unknown>): Promise<Run> => {
    const { pid } = group === 'ours' ? server : bare
    const cpu = { server: cpuMsOf(pid), postgres: cpuMsOf(postgres.pid) }
    const startedAt = monotonicMs()
    const { received } = await listen({ group, messages: CHANGES, isTimed: false }, work)
    return {
      ms: received.lastMs - startedAt,
      cpuMs: difference(cpu.server, cpuMsOf(pid)),
      postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgres.pid)),
      bytes: received.bytes,
    }
  }

  const measureLatencies = async (
    group: Who,
    commit: () => Promise<number>,
  ): Promise<readonly number[]> => {
    const order = { group, messages: TIMED_CHANGES, isTimed: true }
    const { received, done: committed } = await listen(order, async () => {
      const times: number[] = []
      for (let n = 0; n < TIMED_CHANGES; n++) {
        times.push(await commit())
        await wait(PACE_MS)
      }
      return times
    })
    return received.arrivals.map(([place, atMs]) => atMs - (committed[place] ?? Number.NaN))
  }

  await join(TIMED_SOCKETS)
  await bare.announce(await settle())
  const notify = (): Promise<number> =>
    database.transaction(async (transaction) => {
      await transaction.prisma.$executeRaw`SELECT pg_notify(${CHANNEL}, '')`
      return monotonicMs()
    })
  const latencies: Record<Who, number[][]> = { ours: [], bare: [] }
  const runs: Record<Who, Run[]> = { ours: [], bare: [] }
  const turns = Math.min(rounds, MAX_ROUNDS)
  for (let round = 1; round <= turns; round++) {
    log(`Timing ${TIMED_CHANGES} changes at ${TIMED_SOCKETS} sockets, round ${round}.`)
    latencies.bare.push([...(await measureLatencies('bare', notify))])
    latencies.ours.push([...(await measureLatencies('ours', () => change(1)))])
  }
  await join(SOCKETS - TIMED_SOCKETS)
  const text = await settle()
  for (let round = 1; round <= turns; round++) {
    log(`Sending ${CHANGES} changes to ${SOCKETS} sockets, round ${round}.`)
    runs.bare.push(await measure('bare', () => bare.broadcast({ text, times: CHANGES })))
    runs.ours.push(
      await measure('ours', async () => {
        for (let n = 0; n < CHANGES; n += CHANGES_PER_TRANSACTION)
          await change(CHANGES_PER_TRANSACTION)
      }),
    )
  }
  const bytes = ratiosOf(runs.ours, runs.bare, (run) => run.bytes)
  if (bytes.some((ratio) => Math.abs(ratio - 1) > 0.01))
    throw new Error(`The messages differ in size: ${bytes.join(', ')}.`)
  const ratio = median(ratiosOf(runs.bare, runs.ours, ({ ms }) => ms))
  const p99Ratio = median(
    ratiosOf(latencies.ours, latencies.bare, (times) => quantile(times, 0.99)),
  )
  const noLatency = { p50Ms: null, p99Ms: null }
  return [
    { name: 'bare-broadcast', ratio: 1, ...summarizeRuns(runs.bare), ...noLatency },
    { name: 'bare-notify', ratio: 1, ...UNCOUNTED, ...quantiles(latencies.bare) },
    {
      name: 'fanout',
      ratio,
      p99Ratio,
      floor: `≥ ${MIN_RATE_RATIO}, p99 ≤ ${MAX_P99_RATIO} × bare`,
      holds: ratio >= MIN_RATE_RATIO && p99Ratio <= MAX_P99_RATIO,
      ...summarizeRuns(runs.ours),
      ...quantiles(latencies.ours),
    },
  ]
}

/** The yardstick, which sends what the messages of the benchmark say. */
const startBare = async (url: string) => {
  const server = await startServer({
    name: 'fanout-bare',
    script: pathOf('bare'),
    env: { CHANNEL, DATABASE_URL: url },
  })
  const { child } = server
  const send = async (order: Broadcast): Promise<void> => {
    const done = once(child, 'message')
    child.send(order)
    await done
  }
  return {
    ...server,
    broadcast: send,
    /** Sends at each notification from now on. */
    announce: (text: string) => send({ text, times: 0 }),
  }
}

/** The ratio is computed within each round, so that a slow machine slows both sides. */
const ratiosOf = <Turn>(
  turns: readonly Turn[],
  bases: readonly Turn[],
  value: (turn: Turn) => number,
): readonly number[] =>
  turns.map((turn, round) => {
    const base = bases[round]
    return base === undefined ? Number.NaN : value(turn) / value(base)
  })

const quantiles = (times: readonly (readonly number[])[]) => ({
  p50Ms: quantile(times.flat(), 0.5),
  p99Ms: quantile(times.flat(), 0.99),
})

const UNCOUNTED = {
  requestsPerSecond: Number.NaN,
  cpuMsPerRequest: null,
  postgresCpuMsPerRequest: null,
}

/** One delivery to one socket counts as a request. */
const summarizeRuns = (runs: readonly Run[]) => {
  const medianPerDelivery = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : median(values.map(Number)) / DELIVERIES
  return {
    requestsPerSecond: median(runs.map(({ ms }) => (DELIVERIES * 1000) / ms)),
    cpuMsPerRequest: medianPerDelivery(runs.map(({ cpuMs }) => cpuMs)),
    postgresCpuMsPerRequest: medianPerDelivery(runs.map(({ postgresCpuMs }) => postgresCpuMs)),
  }
}
