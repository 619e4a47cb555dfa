/** The credentials of end users: how they come, what they hold, what is shown of them, and how they go. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { credentialRoute, isUuid } from '../definition/identity.ts'
import { openValues, sealValues } from './credential-values.ts'
import { type Database, isTaken, type Transaction } from './database.ts'
import { holdUser } from './hold-user.ts'
import { appendEvent } from './sync-events.ts'
import { deleteStates } from './sync-state.ts'
import type { Vault } from './vault.ts'

const { sql } = Prisma

export interface NewCredential {
  readonly environmentId: string
  readonly userId: string
  readonly connector: Connector
  readonly values: CredentialValues
}

/**
 * Stores a credential and tells of it in the change log; every resource of its app is due for its first
 * listing. @returns its id
 */
export const createCredential = async (
  { prisma }: Database,
  vault: Vault,
  { environmentId, userId, connector, values }: NewCredential,
): Promise<string> => {
  for (;;) {
    const id = randomUUID()
    try {
      await prisma.$transaction(async (transaction) => {
        await transaction.credential.create({
          data: {
            id,
            route: credentialRoute(id),
            environmentId,
            userId,
            app: connector.app,
            sealedValues: sealValues(vault, { id, environmentId }, values),
            syncStates: { create: Object.keys(connector.resources).map((topic) => ({ topic })) },
          },
        })
        const owner = { credentialId: id, environmentId }
        const facts = { userId, app: connector.app }
        await appendEvent(transaction, owner, 'connection/created', facts)
      })
      return id
    } catch (error) {
      // Two credentials may not share the first group of their ids: draw again.
      if (!isTaken(error)) throw error
    }
  }
}

/** A credential with what it holds. */
export interface OpenCredential {
  readonly id: string
  readonly environmentId: string
  readonly app: string
  readonly values: CredentialValues
}

/** A credential, its values opened; undefined if it was deleted. @throws VaultError */
export const readCredential = async (
  { prisma }: Database,
  vault: Vault,
  id: string,
): Promise<OpenCredential | undefined> => {
  const row = await prisma.credential.findUnique({
    where: { id },
    select: { id: true, environmentId: true, app: true, sealedValues: true, values: true },
  })
  if (row === null) return undefined
  const { environmentId, app } = row
  return { id: row.id, environmentId, app, values: openValues(vault, row) }
}

/** What a credential holds is not among it. Times are ISO 8601. */
export interface CredentialSummary {
  readonly credentialId: string
  readonly app: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Oldest first; undefined if the environment has no such end user. Two statements. */
export const listCredentials = async (
  { prisma }: Database,
  environmentId: string,
  userId: string,
): Promise<CredentialSummary[] | undefined> => {
  const id = userId.toLowerCase()
  if (!isUuid(id)) return
  const user = await prisma.endUser.findFirst({
    where: { id, environmentId },
    select: {
      credentials: {
        select: { id: true, app: true, createdAt: true, updatedAt: true },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      },
    },
  })
  return user?.credentials.map((credential) => ({
    credentialId: credential.id,
    app: credential.app,
    createdAt: credential.createdAt.toISOString(),
    updatedAt: credential.updatedAt.toISOString(),
  }))
}

/**
 * Takes credentials away, with what stands by them; the change log tells of each, and their records are
 * left to be purged. The caller holds the end user. @returns how many there were
 */
export const removeCredentials = async (
  transaction: Transaction,
  environmentId: string,
  where: { readonly userId: string; readonly id?: string },
): Promise<number> => {
  const credentials = await transaction.credential.findMany({
    where,
    select: { id: true, app: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  if (credentials.length === 0) return 0
  const { userId } = where
  for (const { id: credentialId, app } of credentials)
    await appendEvent(transaction, { credentialId, environmentId }, 'connection/deleted', {
      userId,
      app,
    })
  const ids = credentials.map(({ id }) => id)
  await transaction.purge.createMany({ data: ids.map((credentialId) => ({ credentialId })) })
  await transaction.$executeRaw(sql`
    UPDATE installations SET credential_ids = ARRAY(
      SELECT id FROM unnest(credential_ids) AS kept(id) WHERE id <> ALL (${ids}::uuid[]))
    WHERE user_id = ${userId}::uuid AND credential_ids && ${ids}::uuid[]`)
  // They would go by their foreign key, but in no order.
  await deleteStates(transaction, ids)
  await transaction.credential.deleteMany({ where: { id: { in: ids } } })
  return ids.length
}

/** Holds a credential until the transaction ends: what is stored for it goes with it. @returns whether it is there */
export const holdCredential = async (
  transaction: Transaction,
  credentialId: string,
): Promise<boolean> => {
  const held = await transaction.$queryRaw<unknown[]>(sql`
    SELECT FROM credentials WHERE id = ${credentialId}::uuid FOR KEY SHARE`)
  return held.length > 0
}

/** @returns what was there: the credential, not even the end user, or no credential of that id */
export const deleteCredential = async (
  { prisma }: Database,
  environmentId: string,
  userId: string,
  credentialId: string,
): Promise<'deleted' | 'no user' | 'no credential'> => {
  const user = userId.toLowerCase()
  const id = credentialId.toLowerCase()
  if (!isUuid(user)) return 'no user'
  return prisma.$transaction(async (transaction) => {
    if (!(await holdUser(transaction, environmentId, user))) return 'no user'
    if (!isUuid(id)) return 'no credential'
    const removed = await removeCredentials(transaction, environmentId, { userId: user, id })
    return removed > 0 ? 'deleted' : 'no credential'
  })
}
