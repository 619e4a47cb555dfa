/** A database whose query results can be held back, so that they are stale on arrival. */
import type { PrismaClient } from '@prisma/client'
import type { Database } from '../../src/store/database/database.ts'

export interface HeldResult {
  /** Resolves when the result has been read and is being held. */
  readonly read: Promise<void>
  release(): void
}

/** The query to hold: due messages or pending replays. */
export type HeldQuery = 'due' | 'replays'

const heldQueryOf = (operation: string, args: unknown): HeldQuery | undefined => {
  if (operation !== '$queryRaw') return
  // The arguments of a raw statement are Prisma's `Sql`.
  const { sql } = args as { readonly sql: string }
  if (sql.includes('r.due_at <=')) return 'due'
  return /^\s*SELECT .* FROM webhook_replays\b/s.test(sql) ? 'replays' : undefined
}

export const createLateDatabase = (database: Database) => {
  const holds = new Map<HeldQuery, { read: () => void; released: Promise<void> }>()
  // Safe: `Database` has a narrower type for the same client.
  const client = database.prisma as PrismaClient
  const prisma = client.$extends({
    query: {
      $allOperations: async ({ operation, args, query }) => {
        const heldQuery = heldQueryOf(operation, args)
        const hold = heldQuery && holds.get(heldQuery)
        const response: unknown = await query(args)
        if (!heldQuery || !hold || !Array.isArray(response) || response.length === 0)
          return response
        holds.delete(heldQuery)
        hold.read()
        await hold.released
        return response
      },
    },
  })
  return {
    // Safe: the extended client runs the same statements.
    database: { ...database, prisma: prisma as unknown as Database['prisma'] },
    /** Holds the next non-empty result of this query. */
    hold: (heldQuery: HeldQuery): HeldResult => {
      const read = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.set(heldQuery, { read: read.resolve, released: released.promise })
      return { read: read.promise, release: released.resolve }
    },
  }
}
