/** The keys of an environment: stored as hashes, shown once, revoked at once. */
import { type EnvironmentKind, generateApiKey, hashApiKey } from '../api-key.ts'
import { isUuid } from '../definition/identity.ts'
import { ApiError } from '../errors.ts'
import type { Database, Transaction } from './database.ts'

const PREFIX_LENGTH = 16

/** A key as it can be shown again and again. */
export interface ApiKeyFacts {
  readonly id: string
  /** Its first characters. */
  readonly prefix: string
  readonly kind: EnvironmentKind
  readonly createdAt: Date
  /** To a minute or so; null: never. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** A key that was just made. */
export interface NewApiKey {
  readonly id: string
  /** Known only now: what is stored is its hash. */
  readonly key: string
}

const toRow = (environmentId: string, key: string) => ({
  environmentId,
  hash: hashApiKey(key),
  prefix: key.slice(0, PREFIX_LENGTH),
})

/** Stores the hash of a key; a known key stays as it is. */
export const saveApiKey = async (
  { prisma }: Database,
  environmentId: string,
  key: string,
): Promise<void> => {
  const row = toRow(environmentId, key)
  await prisma.apiKey.upsert({ where: { hash: row.hash }, create: row, update: {} })
}

/** Locked: of two that regenerate at once, the later revokes the key of the earlier. */
const lockEnvironment = async (
  transaction: Transaction,
  environmentId: string,
): Promise<EnvironmentKind> => {
  const [environment] = await transaction.$queryRaw<{ kind: EnvironmentKind }[]>`
    SELECT kind FROM environments WHERE id = ${environmentId}::uuid FOR UPDATE`
  if (environment === undefined) throw new RangeError(`There is no environment ${environmentId}.`)
  return environment.kind
}

const makeKey = async (transaction: Transaction, environmentId: string): Promise<NewApiKey> => {
  const key = generateApiKey(await lockEnvironment(transaction, environmentId))
  const { id } = await transaction.apiKey.create({ data: toRow(environmentId, key) })
  return { id, key }
}

/** Who wants another key of an environment. */
export interface KeyRequest {
  readonly environmentId: string
  /** The id of the key that asks; undefined: the operator does. */
  readonly askedBy?: string
}

/** @throws UNAUTHENTICATED if the key that asks has been revoked since it was let in */
const checkAsker = async (
  transaction: Transaction,
  { environmentId, askedBy }: KeyRequest,
): Promise<void> => {
  // Whoever revokes it waits for the same lock.
  await lockEnvironment(transaction, environmentId)
  if (askedBy === undefined) return
  const count = await transaction.apiKey.count({ where: { id: askedBy, revokedAt: null } })
  if (count === 0) throw new ApiError('UNAUTHENTICATED', 'The API key is not valid.')
}

/** Makes the first key of an environment; undefined if it has, or had, one. */
export const generateFirstKey = (
  { prisma }: Database,
  environmentId: string,
): Promise<NewApiKey | undefined> =>
  prisma.$transaction(async (transaction) => {
    await lockEnvironment(transaction, environmentId)
    const count = await transaction.apiKey.count({ where: { environmentId } })
    return count > 0 ? undefined : makeKey(transaction, environmentId)
  })

/** Makes a further key of an environment; those that are there go on. @throws UNAUTHENTICATED */
export const generateKey = ({ prisma }: Database, request: KeyRequest): Promise<NewApiKey> =>
  prisma.$transaction(async (transaction) => {
    await checkAsker(transaction, request)
    return makeKey(transaction, request.environmentId)
  })

/**
 * Makes a key and revokes all others of the environment: there is no instant with both, or with none.
 * @throws UNAUTHENTICATED
 */
export const regenerateKey = (
  { prisma }: Database,
  request: KeyRequest,
): Promise<NewApiKey & { readonly revoked: number }> =>
  prisma.$transaction(async (transaction) => {
    await checkAsker(transaction, request)
    const { environmentId } = request
    const made = await makeKey(transaction, environmentId)
    const { count } = await transaction.apiKey.updateMany({
      where: { environmentId, revokedAt: null, id: { not: made.id } },
      data: { revokedAt: new Date() },
    })
    return { ...made, revoked: count }
  })

/** All keys that an environment ever had, oldest first. */
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
    ...{ id, prefix, createdAt, lastUsedAt, revokedAt },
    // Written by ensureEnvironment alone.
    kind: environment.kind as EnvironmentKind,
  }))
}

/** Ends a key of an environment, at once and everywhere. @returns whether a live key was there */
export const revokeKeyById = async (
  { prisma }: Database,
  environmentId: string,
  keyId: string,
): Promise<boolean> => {
  const id = keyId.toLowerCase()
  if (!isUuid(id)) return false
  return prisma.$transaction(async (transaction) => {
    await lockEnvironment(transaction, environmentId)
    const { count } = await transaction.apiKey.updateMany({
      where: { id, environmentId, revokedAt: null },
      data: { revokedAt: new Date() },
    })
    return count > 0
  })
}
