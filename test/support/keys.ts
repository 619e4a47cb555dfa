import { generateApiKey, hashApiKey } from '../../src/store/accounts/api-key.ts'
import { revokeKeyById, saveApiKey } from '../../src/store/accounts/keys.ts'
import type { Database } from '../../src/store/database/database.ts'
import type { TestService } from './service.ts'

/** Creates an API key of an environment. @returns the key */
export const createKey = async (database: Database, environmentId: string): Promise<string> => {
  const key = generateApiKey('development')
  await saveApiKey(database, environmentId, key)
  return key
}

/** Revokes a key as the API does: this process rejects it from now on. @returns whether it was valid */
export const revokeKey = async (
  { database, access }: Pick<TestService, 'database' | 'access'>,
  key: string,
): Promise<boolean> => {
  const { id, environmentId } = await database.prisma.apiKey.findUniqueOrThrow({
    where: { hash: hashApiKey(key) },
  })
  const wasValid = await revokeKeyById(database, environmentId, id)
  access.forgetKeys(({ keyId }) => keyId === id)
  return wasValid
}
