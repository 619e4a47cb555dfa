/**
 * The database's clock, read without a query each time. Times that are stored, or compared with stored times,
 * use it, because the clocks of hosts differ and may be adjusted while a process runs.
 */

import type pg from 'pg'
import type { Log } from '../../log.ts'

/** A source of the current time by the database's clock. */
export interface Clock {
  /** Whole milliseconds since 1970. @throws Error before the first measurement */
  nowMs(): number
}

/** A clock that is synchronized with a database. */
export interface DatabaseClock extends Clock {
  /** Measures the offset to the database's clock over a connection. */
  measure(client: Pick<pg.Client, 'query'>): Promise<void>
}

/** The database's clock minus `performance.now()`, which is monotonic. */
interface Offset {
  readonly ms: number
  /** Maximum error: the database read its clock at some point of the round trip. */
  readonly errorMs: number
}

// One measurement a second: in 16 s the monotonic clocks of two hosts drift apart by less than a millisecond.
const MAX_OFFSETS = 16
// User tokens tolerate a difference of 10 s, signed messages one of 5 minutes.
const WARN_MS = 2000
// Below the warning limit, so that a difference near the limit is not reported every second.
const AGREES_MS = 1000

/** Whether two measurements are consistent. If not, a clock was set or the process was suspended. */
const agree = (a: Offset, b: Offset): boolean => Math.abs(a.ms - b.ms) <= a.errorMs + b.errorMs + 1

const measureOffset = async (client: Pick<pg.Client, 'query'>): Promise<Offset> => {
  const sentMs = performance.now()
  const { rows } = await client.query<{ nowMs: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS "nowMs"',
  )
  const receivedMs = performance.now()
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no time.')
  return { ms: row.nowMs - (sentMs + receivedMs) / 2, errorMs: (receivedMs - sentMs) / 2 }
}

/** How far the host's clock is ahead of the database's, in ms. */
export const measureHostAhead = async (client: Pick<pg.Client, 'query'>): Promise<number> => {
  const { ms } = await measureOffset(client)
  return Math.round(Date.now() - performance.now() - ms)
}

/** Creates a clock. It is usable after its first measurement, and warns if the host's clock differs. */
export const createClock = (log?: Log): DatabaseClock => {
  let offsets: readonly Offset[] = []
  let best: Offset | undefined
  let isWarned = false

  const nowMs = (): number => {
    if (best === undefined)
      throw new Error('The clock was read before it was set: start the PostgreSQL listener first.')
    return Math.floor(performance.now() + best.ms)
  }

  const compareWithHost = (): void => {
    const hostAheadMs = Math.round(Date.now() - nowMs())
    const differenceMs = Math.abs(hostAheadMs)
    if (differenceMs > WARN_MS && !isWarned) {
      isWarned = true
      log?.warn(
        { hostAheadMs },
        "the host's clock differs from the database's, which is used instead: check NTP on both",
      )
    } else if (differenceMs < AGREES_MS && isWarned) {
      isWarned = false
      log?.info({ hostAheadMs }, "the host's clock agrees with the database's again")
    }
  }

  return {
    nowMs,
    measure: async (client) => {
      const latest = await measureOffset(client)
      const consistent = offsets.filter((offset) => agree(offset, latest))
      offsets = [...consistent, latest].slice(-MAX_OFFSETS)
      best = offsets.reduce((a, b) => (b.errorMs < a.errorMs ? b : a))
      compareWithHost()
    },
  }
}
