/** Last use of API keys: collected in memory and written once a minute, outside of requests. */
import { createRepeater } from '../../repeater.ts'
import type { Database } from '../database/database.ts'

export interface KeyUses {
  note(keyId: string): void
  start(): void
  /** Writes the remaining uses. */
  stop(): Promise<void>
}

export interface KeyUsesOptions {
  readonly database: Database
  /** Receives the error of a failed write, which is retried after a minute. */
  readonly onFailure: (error: unknown) => void
  readonly intervalMs?: number
}

const INTERVAL_MS = 60_000

export const createKeyUses = ({
  database: { prisma },
  onFailure,
  intervalMs = INTERVAL_MS,
}: KeyUsesOptions): KeyUses => {
  /** Time of the last use by key id, from `performance.now()`. */
  let uses = new Map<string, number>()

  const write = async (): Promise<void> => {
    if (uses.size === 0) return
    const written = uses
    uses = new Map()
    try {
      const nowMs = performance.now()
      const agesMs = [...written.values()].map((usedMs) => nowMs - usedMs)
      // Another process may have written a later use.
      await prisma.$executeRaw`
        UPDATE api_keys k SET last_used_at = greatest(k.last_used_at,
          clock_timestamp() - u.age_ms * interval '1 millisecond')
        FROM unnest(${[...written.keys()]}::uuid[], ${agesMs}::double precision[]) AS u(id, age_ms)
        WHERE k.id = u.id`
    } catch (error) {
      uses = new Map([...written, ...uses])
      throw error
    }
  }
  const repeater = createRepeater({ step: write, everyMs: intervalMs, onFailure })

  return {
    note: (keyId) => void uses.set(keyId, performance.now()),
    start: repeater.start,
    stop: async () => {
      await repeater.stop()
      await write().catch(onFailure)
    },
  }
}
