/** A database that answers late on demand: what it says then was so when it was asked. */
import type { PrismaClient } from '@prisma/client'
import type { Database } from '../../src/store/database.ts'

export interface HeldAnswer {
  /** The answer is there, and waits. */
  readonly read: Promise<void>
  release(): void
}

/** What is asked: which messages are due, or which replays there are. */
export type Question = 'due' | 'replays'

const questionOf = (operation: string, args: unknown): Question | undefined => {
  if (operation !== '$queryRaw') return
  // The arguments of a raw statement are Prisma's `Sql`.
  const { sql } = args as { readonly sql: string }
  if (sql.includes('r.due_at <=')) return 'due'
  return /^\s*SELECT .* FROM webhook_replays\b/s.test(sql) ? 'replays' : undefined
}

export const createLateDatabase = (database: Database) => {
  const holds = new Map<Question, { read: () => void; released: Promise<void> }>()
  const prisma = database.prisma.$extends({
    query: {
      $allOperations: async ({ operation, args, query }) => {
        const question = questionOf(operation, args)
        const hold = question && holds.get(question)
        const answer: unknown = await query(args)
        if (!question || !hold || !Array.isArray(answer) || answer.length === 0) return answer
        holds.delete(question)
        hold.read()
        await hold.released
        return answer
      },
    },
  })
  return {
    // It lacks `$on` alone, which is called where a client is made.
    database: { ...database, prisma: prisma as unknown as PrismaClient },
    /** Holds the answer to the next such question that finds anything. */
    hold: (question: Question): HeldAnswer => {
      const read = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      holds.set(question, { read: read.resolve, released: released.promise })
      return { read: read.promise, release: released.resolve }
    },
  }
}
