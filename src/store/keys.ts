/** The keys of an environment: stored as hashes, revoked at once. */
import { hashApiKey } from '../api-key.ts'
import type { Database } from './database.ts'

const PREFIX_LENGTH = 16

/** Stores the hash of a key; a known key stays as it is. */
export const saveApiKey = async (
  { prisma }: Database,
  environmentId: string,
  key: string,
): Promise<void> => {
  const row = { environmentId, hash: hashApiKey(key), prefix: key.slice(0, PREFIX_LENGTH) }
  await prisma.apiKey.upsert({ where: { hash: row.hash }, create: row, update: {} })
}

/** Ends a key, at once and everywhere. @returns whether a live key was there */
export const revokeApiKey = async ({ prisma }: Database, key: string): Promise<boolean> => {
  const { count } = await prisma.apiKey.updateMany({
    where: { hash: hashApiKey(key), revokedAt: null },
    data: { revokedAt: new Date() },
  })
  return count > 0
}
