/** The CPU time of a poll that finds no change, of the process and PostgreSQL together, with the sandbox app inside. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { cpuMsOf, difference } from './cpu.ts'
import { startProcess, stopProcess } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'

const CEILING_MS = 3
const WARM_UP_ROUNDS = 10

/** CPU time per poll; a round polls each resource of ten credentials once. */
export const benchmarkIdlePoll = async ({
  postgres,
  rounds,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('idle_poll')
  await applyMigrations(url)
  await using stack = new AsyncDisposableStack()
  const { child, printed } = startProcess({
    name: 'idle-poll',
    script: fileURLToPath(new URL('idle-poll-ours.ts', import.meta.url)),
    env: { DATABASE_URL: url },
  })
  stack.defer(() => stopProcess(child))
  const { pid = Number.NaN } = child
  const ended = once(child, 'exit').then(() => {
    throw new Error(`idle-poll-ours.ts ended early:\n${printed()}`)
  })
  const receiveMessage = (): Promise<number[]> => Promise.race([once(child, 'message'), ended])
  await receiveMessage() // the process is ready

  const poll = async (count: number): Promise<number> => {
    let polls = 0
    for (let round = 0; round < count; round++) {
      child.send('poll')
      const [due = 0] = await receiveMessage()
      polls += due
    }
    return polls
  }
  await poll(WARM_UP_ROUNDS)
  log(`Polling idle resources, ${rounds} rounds.`)
  const readCpu = () => ({ own: cpuMsOf(pid), postgres: cpuMsOf(postgres.pid) })
  const before = readCpu()
  const startedMs = performance.now()
  const polls = await poll(rounds)
  const seconds = (performance.now() - startedMs) / 1000
  const after = readCpu()
  const perPoll = (from: number | null, to: number | null): number =>
    (difference(from, to) ?? Number.NaN) / polls
  const ownCpuMs = perPoll(before.own, after.own)
  const ofPostgres = perPoll(before.postgres, after.postgres)
  const totalMs = ownCpuMs + ofPostgres
  return [
    {
      name: 'idle-poll',
      ratio: totalMs,
      floor: `≤ ${CEILING_MS} ms of CPU`,
      holds: totalMs <= CEILING_MS,
      requestsPerSecond: polls / seconds,
      p50Ms: null,
      p99Ms: null,
      cpuMsPerRequest: ownCpuMs,
      postgresCpuMsPerRequest: ofPostgres,
    },
  ]
}
