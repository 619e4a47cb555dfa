/** A sync in a process of its own: measured from the start of its work until everything is stored. */
import type { Serializable } from 'node:child_process'
import { once } from 'node:events'
import { cpuMsOf, difference, rssMbOf } from './cpu.ts'
import { type ServerCommand, startProcess, stopProcess } from './process.ts'
import type { Result } from './result.ts'
import { median, quantile } from './statistics.ts'

/**
 * Memory is flat if its peak in the last quarter is at most this multiple of the peak in the first. A young heap
 * grows to its working size (the bare loop's: 1.4 times); 100,000 retained records would be far beyond.
 */
const MAX_MEMORY_RATIO = 1.5
const SAMPLE_MS = 50

export interface SyncRun {
  readonly ms: number
  readonly cpuMs: number | null
  readonly postgresCpuMs: number | null
  /** Resident memory of the process, at regular intervals. */
  readonly rssMb: readonly number[]
}

export interface SyncCommand extends ServerCommand {
  readonly postgresPid: number
  /** The message that the process gets before it is ready. */
  readonly input?: Serializable
}

/** Runs a new process that sends a message when it is ready, waits for one, and sends one when it is done. */
export const measureSync = async ({
  postgresPid,
  input,
  ...command
}: SyncCommand): Promise<SyncRun> => {
  const { child, printed } = startProcess(command)
  await using stack = new AsyncDisposableStack()
  stack.defer(() => stopProcess(child))
  const pid = child.pid ?? Number.NaN
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${command.name} ended early:\n${printed()}`)
  })
  const receiveMessage = (): Promise<unknown> => Promise.race([once(child, 'message'), ended])

  if (input !== undefined) child.send(input)
  await receiveMessage() // the process is ready
  const rssMb: number[] = []
  const sampler = setInterval(() => rssMb.push(rssMbOf(pid) ?? Number.NaN), SAMPLE_MS)
  stack.defer(() => clearInterval(sampler))
  const cpu = { sync: cpuMsOf(pid), postgres: cpuMsOf(postgresPid) }
  const startedAt = performance.now()
  child.send('go')
  await receiveMessage() // everything is stored
  return {
    ms: performance.now() - startedAt,
    cpuMs: difference(cpu.sync, cpuMsOf(pid)),
    postgresCpuMs: difference(cpu.postgres, cpuMsOf(postgresPid)),
    rssMb,
  }
}

/** The figures of runs that each count as `requests` requests. */
export const syncFigures = (runs: readonly SyncRun[], requests: number) => {
  const medianPerRequest = (values: readonly (number | null)[]): number | null =>
    values.some((value) => value === null) ? null : median(values.map(Number)) / requests
  const peakOfQuarter = (from: number) =>
    Math.max(
      ...runs.map(({ rssMb }) => {
        const length = Math.ceil(rssMb.length / 4)
        const first = from === 0 ? 0 : rssMb.length - length
        return quantile(rssMb.slice(first, first + length), 1)
      }),
    )
  return {
    requestsPerSecond: median(runs.map(({ ms }) => (requests * 1000) / ms)),
    p50Ms: null,
    p99Ms: null,
    cpuMsPerRequest: medianPerRequest(runs.map(({ cpuMs }) => cpuMs)),
    postgresCpuMsPerRequest: medianPerRequest(runs.map(({ postgresCpuMs }) => postgresCpuMs)),
    rssMb: { firstQuarter: peakOfQuarter(0), lastQuarter: peakOfQuarter(3) },
  }
}

export const isFlat = ({ rssMb }: Required<Pick<Result, 'rssMb'>>): boolean =>
  rssMb.lastQuarter <= MAX_MEMORY_RATIO * rssMb.firstQuarter
