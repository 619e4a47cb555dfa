/** A list of the hashes of all live API keys, which rejects guessed keys without one statement per key. */
import type { Database } from '../database/database.ts'

export interface ListedKeys {
  /** Whether a live key has this hash, or had it at most a second ago. */
  has(hash: string): Promise<boolean>
}

/** Maximum age of the list, which limits reads to one per second. */
const MAX_AGE_MS = 1000
const MAX_LISTED = 50_000

export const createListedKeys = (database: Database): ListedKeys => {
  let hashes: ReadonlySet<string> = new Set()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  const read = async (): Promise<void> => {
    const startedMs = performance.now()
    const rows = await database.prisma.apiKey.findMany({
      where: { revokedAt: null },
      select: { hash: true },
      orderBy: { createdAt: 'desc' },
      take: MAX_LISTED,
    })
    hashes = new Set(rows.map(({ hash }) => hash))
    readAtMs = startedMs
  }

  return {
    has: async (hash) => {
      if (performance.now() - readAtMs > MAX_AGE_MS) {
        reading ??= read().finally(() => {
          reading = undefined
        })
        await reading
      }
      return hashes.has(hash)
    },
  }
}
