/** CPU time and memory of a process, read from /proc (Linux); null elsewhere. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface ProcessTimes {
  readonly pid: number
  readonly parent: number
  /** CPU time in clock ticks, including that of child processes that have exited and been awaited. */
  readonly ticks: number
}

let tickMs: number | undefined
const msPerTick = (): number => {
  tickMs ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return tickMs
}

const readTimes = (pid: number): ProcessTimes | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may contain spaces; the rest does not: proc_pid_stat(5), fields 3 on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { pid, parent: Number(fields[1]), ticks }
  } catch {
    // The process exited between the listing and the reading; its parent has its time now.
    return undefined
  }
}

/** CPU time in ms of a process and its descendants so far; in steps of a tick, 10 ms. */
export const cpuMsOf = (root: number): number | null => {
  if (process.platform !== 'linux') return null
  const times = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => readTimes(Number(entry)))
    .filter((entry) => entry !== undefined)
  const family = new Set([root])
  for (let before = 0; before !== family.size; ) {
    before = family.size
    for (const { pid, parent } of times) if (family.has(parent)) family.add(pid)
  }
  const ticks = times.reduce((sum, entry) => sum + (family.has(entry.pid) ? entry.ticks : 0), 0)
  return ticks * msPerTick()
}

/** The difference of two readings. */
export const difference = (from: number | null, to: number | null): number | null =>
  from === null || to === null ? null : to - from

/** Resident memory of one process, in MB. */
export const rssMbOf = (pid: number): number | null => {
  try {
    const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kb === undefined ? null : Number(kb) / 1024
  } catch {
    // Without /proc, or after the process has exited.
    return null
  }
}
