/** API keys of an environment: stored as hashes, shown once, revoked immediately. */

import { isUuid } from '../../definition/identity.ts'
import { ApiError } from '../../errors.ts'
import type { Database, Transaction } from '../database/database.ts'
import { type EnvironmentKind, generateApiKey, hashApiKey } from './api-key.ts'

const PREFIX_LENGTH = 16

/** A key without its secret. */
export interface ApiKeyFacts {
  readonly id: string
  /** First characters of the key. */
  readonly prefix: string
  readonly kind: EnvironmentKind
  readonly createdAt: Date
  /** Accurate to about a minute; null: never. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** A newly created key. */
export interface CreatedApiKey {
  readonly id: string
  /** Only available now: the store keeps its hash. */
  readonly key: string
}

const toRow = (environmentId: string, key: string) => ({
  environmentId,
  hash: hashApiKey(key),
  prefix: key.slice(0, PREFIX_LENGTH),
})

/** Stores the hash of a key. An existing key is not changed. */
export const saveApiKey = async (
  { prisma }: Database,
  environmentId: string,
  key: string,
): Promise<void> => {
  const row = toRow(environmentId, key)
  await prisma.apiKey.upsert({ where: { hash: row.hash }, create: row, update: {} })
}

/** Locks an environment, so that of two concurrent regenerations the later revokes the earlier's key. */
const lockEnvironment = async (
  transaction: Transaction,
  environmentId: string,
): Promise<EnvironmentKind> => {
  const [environment] = await transaction.prisma.$queryRaw<{ kind: EnvironmentKind }[]>`
    SELECT kind FROM environments WHERE id = ${environmentId}::uuid FOR UPDATE`
  if (environment === undefined)
    throw new RangeError(`The environment ${environmentId} does not exist.`)
  return environment.kind
}

const makeKey = async (transaction: Transaction, environmentId: string): Promise<CreatedApiKey> => {
  const key = generateApiKey(await lockEnvironment(transaction, environmentId))
  const { id } = await transaction.prisma.apiKey.create({ data: toRow(environmentId, key) })
  return { id, key }
}

/** A request for a new key of an environment. */
export interface KeyRequest {
  readonly environmentId: string
  /** Id of the key that authenticates the request; undefined: the operator. */
  readonly askedBy?: string
}

/** Checks the key of a request again. @throws UNAUTHENTICATED if it was revoked after authentication */
const checkRequester = async (
  transaction: Transaction,
  { environmentId, askedBy }: KeyRequest,
): Promise<void> => {
  // Revocations wait for the same lock.
  await lockEnvironment(transaction, environmentId)
  if (askedBy === undefined) return
  const count = await transaction.prisma.apiKey.count({ where: { id: askedBy, revokedAt: null } })
  if (count === 0) throw new ApiError('UNAUTHENTICATED', 'The API key is not valid.')
}

/** Creates the first key of an environment; undefined if it has or had one. */
export const generateFirstKey = (
  database: Database,
  environmentId: string,
): Promise<CreatedApiKey | undefined> =>
  database.transaction(async (transaction) => {
    await lockEnvironment(transaction, environmentId)
    const count = await transaction.prisma.apiKey.count({ where: { environmentId } })
    return count > 0 ? undefined : makeKey(transaction, environmentId)
  })

/** Creates another key of an environment. Existing keys stay valid. @throws UNAUTHENTICATED */
export const generateKey = (database: Database, request: KeyRequest): Promise<CreatedApiKey> =>
  database.transaction(async (transaction) => {
    await checkRequester(transaction, request)
    return makeKey(transaction, request.environmentId)
  })

/**
 * Creates a key and revokes all other keys of the environment atomically.
 * @throws UNAUTHENTICATED
 */
export const regenerateKey = (
  database: Database,
  request: KeyRequest,
): Promise<CreatedApiKey & { readonly revoked: number }> =>
  database.transaction(async (transaction) => {
    await checkRequester(transaction, request)
    const { environmentId } = request
    const made = await makeKey(transaction, environmentId)
    const revoked = await transaction.prisma.$executeRaw`
      UPDATE api_keys SET revoked_at = clock_timestamp()
      WHERE environment_id = ${environmentId}::uuid AND revoked_at IS NULL AND id <> ${made.id}::uuid`
    return { ...made, revoked }
  })

/** Lists all keys of an environment, including revoked ones, oldest first. */
export const listKeys = async (
  { prisma }: Database,
  environmentId: string,
): Promise<readonly ApiKeyFacts[]> => {
  const rows = await prisma.apiKey.findMany({
    where: { environmentId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    include: { environment: { select: { kind: true } } },
  })
  return rows.map(({ id, prefix, createdAt, lastUsedAt, revokedAt, environment }) => ({
    id,
    prefix,
    createdAt,
    lastUsedAt,
    revokedAt,
    // Only ensureEnvironment writes this column.
    kind: environment.kind as EnvironmentKind,
  }))
}

/** Revokes a key of an environment, immediately and in every process. @returns whether a live key existed */
export const revokeKeyById = async (
  database: Database,
  environmentId: string,
  keyId: string,
): Promise<boolean> => {
  const id = keyId.toLowerCase()
  if (!isUuid(id)) return false
  return database.transaction(async (transaction) => {
    await lockEnvironment(transaction, environmentId)
    const revoked = await transaction.prisma.$executeRaw`
      UPDATE api_keys SET revoked_at = clock_timestamp()
      WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid AND revoked_at IS NULL`
    return revoked > 0
  })
}
