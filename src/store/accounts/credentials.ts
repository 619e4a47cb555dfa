/** Credentials of end users: create, read and delete. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import { firstMethodName, methodOf } from '../../definition/authenticate.ts'
import type { Connector, CredentialValues } from '../../definition/connector.ts'
import { syncKeysOf } from '../../definition/feed.ts'
import { credentialRoute, isUuid } from '../../definition/identity.ts'
import type { StoredTokens, TokenSet } from '../../definition/token-set.ts'
import { appendEvent } from '../changes/events.ts'
import {
  type Database,
  isUniqueViolation,
  type Queryable,
  type Transaction,
} from '../database/database.ts'
import { deleteEndpoints } from '../inbound/endpoints.ts'
import type { Vault } from '../secrets/vault.ts'
import { deleteStates } from '../sync/state-rows.ts'
import {
  CONTEXT_COLUMNS,
  type ContextRow,
  type StoredContext,
  storedContext,
} from './credential-context.ts'
import { openTokens, putTokens, TOKEN_COLUMNS, type TokenRow } from './credential-tokens.ts'
import { openValues, sealValues } from './credential-values.ts'
import {
  CUSTOM_FIELDS_OF_CREDENTIAL,
  type CustomFieldsByTopic,
  customFieldsByTopic,
} from './custom-fields.ts'
import { lockUser } from './lock-user.ts'

const { sql } = Prisma

export interface NewCredential {
  readonly environmentId: string
  readonly userId: string
  readonly connector: Connector
  /** The name of the method that connected the app. Default: the first one. */
  readonly method?: string
  readonly values: CredentialValues
  /** The tokens that the app issued; undefined: the method has none, or the first request obtains them. */
  readonly tokens?: TokenSet | undefined
  /** The account's own name in the app. */
  readonly label?: string | undefined
  /** Why the app did not respond to the check; undefined: it did. */
  readonly checkFailure?: string | undefined
}

/** The end user has reached the maximum number of credentials. */
export class TooManyCredentialsError extends Error {
  override readonly name = 'TooManyCredentialsError'
}

/** Counts the credentials of an end user. */
export const countCredentials = ({ prisma }: Queryable, userId: string): Promise<number> =>
  prisma.credential.count({ where: { userId } })

/** Whether requests with this method of an app need an access token. */
export const hasTokens = ({ auth }: Connector, method: string): boolean =>
  methodOf(auth, method)?.type !== 'apiKey'

/**
 * Stores a credential and its event in the change log. Every resource of its app becomes due for its first
 * listing. `maxPerUser` defaults to no limit.
 * @returns its id
 * @throws TooManyCredentialsError
 */
export const createCredential = async (
  database: Database,
  vault: Vault,
  credential: NewCredential,
  maxPerUser: number = Number.POSITIVE_INFINITY,
): Promise<string> => {
  const { environmentId, userId, connector, values, tokens, label, checkFailure } = credential
  const method = credential.method ?? firstMethodName(connector.auth)
  for (;;) {
    const id = randomUUID()
    try {
      await database.transaction(async (transaction) => {
        if (maxPerUser !== Number.POSITIVE_INFINITY) {
          // The lock makes concurrent requests count one after the other.
          await lockUser(transaction, environmentId, userId)
          if ((await countCredentials(transaction, userId)) >= maxPerUser)
            throw new TooManyCredentialsError()
        }
        await transaction.prisma.credential.create({
          data: {
            id,
            route: credentialRoute(id),
            environmentId,
            userId,
            app: connector.app,
            method,
            sealedValues: sealValues(vault, { id, environmentId }, values),
            label: label ?? null,
            checkFailure: checkFailure ?? null,
            syncStates: { create: syncKeysOf(connector).map((topic) => ({ topic })) },
            ...(connector.webhooks && {
              inboundSubscription: { create: { environmentId, app: connector.app } },
            }),
          },
        })
        const owner = { credentialId: id, environmentId }
        if (hasTokens(connector, method)) await putTokens(transaction, vault, owner, tokens)
        const facts = { userId, app: connector.app }
        await appendEvent(transaction, owner, 'connection/created', facts)
      })
      return id
    } catch (error) {
      // Credentials must not share the first group of their ids: generate another id.
      if (!isUniqueViolation(error)) throw error
    }
  }
}

/** A credential with its decrypted values. */
export interface OpenCredential {
  readonly id: string
  readonly environmentId: string
  readonly app: string
  /** The account's own name in the app; null: unknown. */
  readonly label: string | null
  /** The name of the method that connected the app; null: the first one. */
  readonly method: string | null
  readonly values: CredentialValues
  /** Undefined: its method has no tokens. */
  readonly tokens: StoredTokens | undefined
  /** Absent: it has none. */
  readonly customFields?: CustomFieldsByTopic
  /** The context of the account; absent: it was never read. */
  readonly context?: StoredContext
}

/** The columns of a credential and its tokens; those of the tokens are null if it has none. */
type CredentialRow = Omit<OpenCredential, 'values' | 'tokens' | 'customFields' | 'context'> & {
  readonly customFields: Parameters<typeof customFieldsByTopic>[0] | null
  readonly sealedValues: Uint8Array | null
  readonly values: unknown
} & ContextRow &
  (TokenRow | { readonly version: null })

/** Reads a credential with its decrypted values; undefined if it was deleted. @throws VaultError */
export const readCredential = async (
  { prisma }: Database,
  vault: Vault,
  id: string,
): Promise<OpenCredential | undefined> => {
  const [row] = await prisma.$queryRaw<CredentialRow[]>(sql`
    SELECT c.id::text, c.environment_id::text AS "environmentId", c.app, c.label, c.method,
      c.sealed_values AS "sealedValues", c.values,
      ${CUSTOM_FIELDS_OF_CREDENTIAL} AS "customFields", ${CONTEXT_COLUMNS}, ${TOKEN_COLUMNS}
    FROM credentials c LEFT JOIN credential_tokens t ON t.credential_id = c.id
    WHERE c.id = ${id}::uuid`)
  if (!row) return undefined
  const { environmentId, app, label, method, customFields } = row
  const place = { credentialId: row.id, environmentId }
  const tokens = row.version === null ? undefined : openTokens(vault, place, row)
  const values = openValues(vault, row)
  const context = storedContext(row)
  return {
    id: row.id,
    environmentId,
    app,
    label,
    method,
    values,
    tokens,
    ...(customFields && { customFields: customFieldsByTopic(customFields) }),
    ...(context && { context }),
  }
}

/**
 * Deletes credentials with their sync states and references in installations. Writes an event for each, and
 * schedules the purge of their records. The caller has locked the end user. @returns how many were deleted
 */
export const removeCredentials = async (
  transaction: Transaction,
  environmentId: string,
  where: { readonly userId: string; readonly id?: string },
): Promise<number> => {
  const credentials = await transaction.prisma.credential.findMany({
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
  await transaction.prisma.purge.createMany({ data: ids.map((credentialId) => ({ credentialId })) })
  await transaction.prisma.$executeRaw(sql`
    UPDATE installations SET credential_ids = ARRAY(
      SELECT id FROM unnest(credential_ids) AS kept(id) WHERE id <> ALL (${ids}::uuid[]))
    WHERE user_id = ${userId}::uuid AND credential_ids && ${ids}::uuid[]`)
  // The foreign key would delete them too, but in no defined order.
  await deleteStates(transaction, ids)
  await deleteEndpoints(transaction, ids)
  await transaction.prisma.credential.deleteMany({ where: { id: { in: ids } } })
  return ids.length
}

/** Locks a credential against deletion until the transaction ends. @returns whether it exists */
export const lockCredential = async (
  transaction: Transaction,
  credentialId: string,
): Promise<boolean> => {
  const locked = await transaction.prisma.$queryRaw<unknown[]>(sql`
    SELECT FROM credentials WHERE id = ${credentialId}::uuid FOR KEY SHARE`)
  return locked.length > 0
}

/** Deletes a credential. @returns whether it was deleted, or which of the two does not exist */
export const deleteCredential = async (
  database: Database,
  environmentId: string,
  userId: string,
  credentialId: string,
): Promise<'deleted' | 'no user' | 'no credential'> => {
  const user = userId.toLowerCase()
  const id = credentialId.toLowerCase()
  if (!isUuid(user)) return 'no user'
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, environmentId, user))) return 'no user'
    if (!isUuid(id)) return 'no credential'
    const removed = await removeCredentials(transaction, environmentId, { userId: user, id })
    return removed > 0 ? 'deleted' : 'no credential'
  })
}
