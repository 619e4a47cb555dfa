/**
 * Changes from their transaction to many subscribers: how many deliveries a second, beside a bare broadcast
 * of the same bytes to as many sockets; and how long a change is on its way, beside a bare NOTIFY.
 */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { encodeChangeCursor } from '../../src/query/change-cursor.ts'
import { account } from '../../src/resources/crm/account.ts'
import { applyChanges } from '../../src/store/apply-changes.ts'
import { endOfLog } from '../../src/store/changes.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { applyMigrations } from '../../src/store/migrate.ts'
import { createLineWriter } from '../../src/store/record-lines.ts'
import { sampleRecord } from '../support/sample.ts'
import { monotonicMs } from './clock.ts'
import { cpuMsOf, difference } from './cpu.ts'
import type { Broadcast } from './fanout-bare.ts'
import type { Heard, Join, Listen } from './fanout-crowd.ts'
import { startProcess, startServer, stopProcess } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { credentialId } from './seed.ts'
import { median, quantile } from './statistics.ts'
import { authorization, SUBSCRIPTION, startTrunkline } from './trunkline.ts'

const SOCKETS = 1000
const CREDENTIALS = 4
const CHANGES = 100
/** Changes of one transaction, while deliveries are counted. */
const BATCH = 10
const DELIVERIES = SOCKETS * CHANGES
/** Those that listen while the time of each change is taken, and a change each so often: no queue builds up. */
const PACED_SOCKETS = 50
const PACE_MS = 20
const PACED = 200
const FLOOR = 0.5
const P99_FLOOR = 5
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

/** Records of the server's environment that change. */
const createWriter = async (database: Database) => {
  const { environmentId } = await database.prisma.credential.findUniqueOrThrow({
    where: { id: credentialId(1) },
  })
  const toLine = createLineWriter(account)
  let written = 0
  /** @returns when the transaction was about to be committed */
  return async (count: number): Promise<number> => {
    const id = credentialId(1 + (written % CREDENTIALS))
    // Every third has no optional values: of the others all are alike, and their numbers of one length.
    const lines = Array.from({ length: count }, () =>
      toLine(sampleRecord(id, account, 100_001 + 3 * written++)),
    )
    return database.prisma.$transaction(async (transaction) => {
      const owner = { credentialId: id, environmentId }
      await applyChanges(transaction, owner, account, lines, { accept: 'all' })
      return monotonicMs()
    })
  }
}

const startCrowd = () => {
  const { child, printed } = startProcess({
    ...{ name: 'fanout-crowd', script: pathOf('crowd'), env: {} },
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`fanout-crowd.ts ended early:\n${printed()}`)
  })
  ended.catch(() => {})
  // It answers each order once, and `Listen` once more in the end, before it is asked again.
  const hear = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  const say = async (order: Join | Listen): Promise<void> => {
    const heard = hear()
    child.send(order)
    await heard
  }
  return { child, hear: hear as () => Promise<Heard>, say }
}

/** Deliveries a second, and how long a change is on its way. */
export const benchmarkFanout = async ({
  postgres,
  rounds,
  say,
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
    const after = encodeChangeCursor(await endOfLog(database.prisma))
    const order = { kind: 'join', sockets, authorization, query: SUBSCRIPTION } as const
    await crowd.say({ ...order, group: 'ours', origin: server.origin, variables: { after } })
    await crowd.say({ ...order, group: 'bare', origin: bare.origin, variables: { after } })
  }

  /** What the group hears of a work, which has to be as many messages at every socket. */
  const listen = async <Done>(
    { group, messages, isTimed }: Omit<Listen, 'kind' | 'group'> & { group: Who },
    work: () => Promise<Done>,
  ): Promise<{ heard: Heard; done: Done }> => {
    await crowd.say({ kind: 'listen', group, messages, isTimed })
    const hearing = crowd.hear()
    const done = await work()
    const heard = await hearing
    if (heard.least !== messages || heard.most !== messages)
      throw new Error(`${group}: ${heard.least} to ${heard.most} messages, not ${messages}.`)
    return { heard, done }
  }

  /** Until every subscriber follows the log: what they heard of one change. */
  const settle = async (): Promise<string> =>
    (await listen({ group: 'ours', messages: 1, isTimed: false }, () => change(1))).heard.sample

  const measure = async (group: Who, work: () => Promise<unknown>): Promise<Run> => {
    const { pid } = group === 'ours' ? server : bare
    const cpu = { server: cpuMsOf(pid), postgres: cpuMsOf(postgres.pid) }
    const startedAt = monotonicMs()
    const { heard } = await listen({ group, messages: CHANGES, isTimed: false }, work)
    return {
      ms: heard.lastMs - startedAt,
      cpuMs: difference(cpu.server, cpuMsOf(pid)),
      postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgres.pid)),
      bytes: heard.bytes,
    }
  }

  const pace = async (group: Who, commit: () => Promise<number>): Promise<readonly number[]> => {
    const order = { group, messages: PACED, isTimed: true }
    const { heard, done: committed } = await listen(order, async () => {
      const times: number[] = []
      for (let n = 0; n < PACED; n++) {
        times.push(await commit())
        await wait(PACE_MS)
      }
      return times
    })
    return heard.arrivals.map(([place, atMs]) => atMs - (committed[place] ?? Number.NaN))
  }

  await join(PACED_SOCKETS)
  await bare.announce(await settle())
  const notify = (): Promise<number> =>
    database.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT pg_notify(${CHANNEL}, '')`
      return monotonicMs()
    })
  const latencies: Record<Who, number[][]> = { ours: [], bare: [] }
  const runs: Record<Who, Run[]> = { ours: [], bare: [] }
  const turns = Math.min(rounds, MAX_ROUNDS)
  for (let round = 1; round <= turns; round++) {
    say(`Timing ${PACED} changes at ${PACED_SOCKETS} sockets, round ${round}.`)
    latencies.bare.push([...(await pace('bare', notify))])
    latencies.ours.push([...(await pace('ours', () => change(1)))])
  }
  await join(SOCKETS - PACED_SOCKETS)
  const text = await settle()
  for (let round = 1; round <= turns; round++) {
    say(`Telling ${SOCKETS} sockets of ${CHANGES} changes, round ${round}.`)
    runs.bare.push(await measure('bare', () => bare.broadcast({ text, times: CHANGES })))
    runs.ours.push(
      await measure('ours', async () => {
        for (let n = 0; n < CHANGES; n += BATCH) await change(BATCH)
      }),
    )
  }
  const bytes = ratiosOf(runs.ours, runs.bare, (run) => run.bytes)
  if (bytes.some((ratio) => Math.abs(ratio - 1) > 0.01))
    throw new Error(`The messages were not of one size: ${bytes.join(', ')}.`)
  const ratio = median(ratiosOf(runs.bare, runs.ours, ({ ms }) => ms))
  const p99Ratio = median(
    ratiosOf(latencies.ours, latencies.bare, (times) => quantile(times, 0.99)),
  )
  const noLatency = { p50Ms: null, p99Ms: null }
  return [
    { name: 'bare-broadcast', ratio: 1, ...measured(runs.bare), ...noLatency },
    { name: 'bare-notify', ratio: 1, ...UNCOUNTED, ...quantiles(latencies.bare) },
    {
      ...{ name: 'fanout', ratio, p99Ratio, floor: `≥ ${FLOOR}, p99 ≤ ${P99_FLOOR} × bare` },
      holds: ratio >= FLOOR && p99Ratio <= P99_FLOOR,
      ...measured(runs.ours),
      ...quantiles(latencies.ours),
    },
  ]
}

/** The yardstick, which is told what to send by messages. */
const startBare = async (url: string) => {
  const server = await startServer({
    name: 'fanout-bare',
    script: pathOf('bare'),
    env: { CHANNEL, DATABASE_URL: url },
  })
  const { child } = server
  const ask = async (order: Broadcast): Promise<void> => {
    const done = once(child, 'message')
    child.send(order)
    await done
  }
  return {
    ...server,
    broadcast: ask,
    /** At each notification from now on. */
    announce: (text: string) => ask({ text, times: 0 }),
  }
}

/** Within each round, so that what slows the machine slows both. */
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

/** A delivery to one socket counts as a request. */
const measured = (runs: readonly Run[]) => {
  const perDelivery = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : median(values.map(Number)) / DELIVERIES
  return {
    requestsPerSecond: median(runs.map(({ ms }) => (DELIVERIES * 1000) / ms)),
    cpuMsPerRequest: perDelivery(runs.map(({ cpuMs }) => cpuMs)),
    postgresCpuMsPerRequest: perDelivery(runs.map(({ postgresCpuMs }) => postgresCpuMs)),
  }
}
