/** When keys were last used: gathered in memory and written once a minute, apart from every request. */
import { createRepeater } from '../repeater.ts'
import type { Database } from './database.ts'

export interface KeyUses {
  note(keyId: string): void
  start(): void
  /** Writes what was gathered last. */
  stop(): Promise<void>
}

export interface KeyUsesOptions {
  readonly database: Database
  /** Told of what could not be written; the next minute tries again. */
  readonly onFailure: (error: unknown) => void
  readonly intervalMs?: number
}

const INTERVAL_MS = 60_000

export const createKeyUses = ({
  database: { prisma },
  onFailure,
  intervalMs = INTERVAL_MS,
}: KeyUsesOptions): KeyUses => {
  let uses = new Map<string, number>()

  const write = async (): Promise<void> => {
    if (uses.size === 0) return
    const written = uses
    uses = new Map()
    try {
      // Another process may have written a later use.
      await prisma.$executeRaw`
        UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, to_timestamp(u.at / 1000))
        FROM unnest(${[...written.keys()]}::uuid[], ${[...written.values()]}::double precision[])
          AS u(id, at)
        WHERE k.id = u.id`
    } catch (error) {
      uses = new Map([...written, ...uses])
      throw error
    }
  }
  const writes = createRepeater({ step: write, everyMs: intervalMs, onFailure })

  return {
    note: (keyId) => void uses.set(keyId, Date.now()),
    start: writes.start,
    stop: async () => {
      await writes.stop()
      await write().catch(onFailure)
    },
  }
}
