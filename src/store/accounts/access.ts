/**
 * Cached lookups of API keys, end users and credentials. A trigger notifies every process of each changed row,
 * so a revoked key is rejected immediately. While the notification connection is down, nothing is cached.
 */

import { isUuid } from '../../definition/identity.ts'
import type { Database } from '../database/database.ts'
import type { PgListener } from '../database/pg-listener.ts'
import { type EnvironmentKind, hashApiKey, isApiKey, kindOfKey } from './api-key.ts'
import { createListedKeys } from './listed-keys.ts'

/** The owner of a valid key. */
export interface KeyOwner {
  readonly keyId: string
  readonly environmentId: string
  readonly environment: EnvironmentKind
}

/** The immutable facts of a credential that the read path needs. */
export interface CredentialFacts {
  readonly id: string
  readonly environmentId: string
  readonly userId: string
  readonly app: string
}

/** The facts of an end user that a token check needs. */
export interface UserFacts {
  readonly id: string
  readonly environmentId: string
}

export interface Access {
  /** The owner of a key; undefined if the key is unknown, revoked or malformed. */
  keyOwner(key: string): Promise<KeyOwner | undefined>
  /** Whether the key was valid at most a second ago. Runs at most one statement per second. */
  isListedKey(key: string): Promise<boolean>
  /** Removes revoked keys from the cache, before the notification arrives. */
  forgetKeys(isEnded: (owner: KeyOwner) => boolean): void
  /** Removes a deleted end user and the user's credentials from the cache. */
  forgetUser(userId: string): void
  /** Removes a deleted credential from the cache. */
  forgetCredential(credentialId: string): void
  /** Whether a key has not been revoked. Cached. */
  isKeyLive(keyId: string): Promise<boolean>
  /** Undefined if the end user does not exist. */
  user(id: string): Promise<UserFacts | undefined>
  /** Undefined if the credential does not exist. */
  credential(id: string): Promise<CredentialFacts | undefined>
  /** The credential whose record ids start with this route. */
  credentialByRoute(route: string): Promise<CredentialFacts | undefined>
  /** All credentials of an end user, oldest first; undefined if the environment does not have the user. */
  credentialsOfUser(
    environmentId: string,
    userId: string,
  ): Promise<readonly CredentialFacts[] | undefined>
}

const CHANNEL = 'trunkline_access' // notified by the triggers of the first migration
const MAX_CACHED = 50_000

interface Cache<Value> {
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>
  deleteWhere(isStale: (value: Value) => boolean): void
}

/** Creates a cache of the results of `load`, by key, until the row with that id changes. Misses are not cached. */
const createCache = <Value>(
  pgListener: PgListener,
  table: string,
  idOf: (value: Value) => string,
): Cache<Value> => {
  const byKey = new Map<string, Value>()
  let changes = 0
  const clear = (): void => {
    changes += 1
    byKey.clear()
  }
  const deleteWhere = (isStale: (value: Value) => boolean): void => {
    changes += 1
    for (const [key, value] of byKey) if (isStale(value)) byKey.delete(key)
  }
  const onNotify = (payload: string): void => {
    const [changed, id] = payload.split(':')
    if (changed === table) deleteWhere((value) => idOf(value) === id)
  }
  pgListener.on(CHANNEL, onNotify, clear)
  return {
    get: async (key, load) => {
      const cached = byKey.get(key)
      if (cached !== undefined) return cached
      const changesBefore = changes
      const value = await load()
      // A value read while a row changed may be the state before the change.
      if (value !== undefined && pgListener.isConnected && changes === changesBefore) {
        if (byKey.size >= MAX_CACHED) byKey.clear()
        byKey.set(key, value)
      }
      return value
    },
    deleteWhere,
  }
}

const credentialColumns = { id: true, environmentId: true, userId: true, app: true } as const

export const createAccess = (
  database: Database,
  pgListener: PgListener,
  /** Receives the id of a live key at each use. */
  noteKeyUse: (keyId: string) => void = () => {},
): Access => {
  const liveKeys = createCache<{ readonly id: string }>(pgListener, 'api_keys', ({ id }) => id)
  const keys = createCache<KeyOwner>(pgListener, 'api_keys', ({ keyId }) => keyId)
  const users = createCache<UserFacts>(pgListener, 'end_users', ({ id }) => id)
  const credentials = createCache<CredentialFacts>(pgListener, 'credentials', ({ id }) => id)
  const listedKeys = createListedKeys(database)
  // User ids are never reused, so deleted ones can be cached: a token may be sent long after its user is deleted.
  const deletedUsers = new Set<string>()
  return {
    isListedKey: async (key) => isApiKey(key) && (await listedKeys.has(hashApiKey(key))),
    keyOwner: async (key) => {
      if (!isApiKey(key)) return
      const hash = hashApiKey(key)
      const owner = await keys.get(hash, async () => {
        const row = await database.prisma.apiKey.findFirst({ where: { hash, revokedAt: null } })
        const { id: keyId, environmentId } = row ?? {}
        if (keyId === undefined || environmentId === undefined) return
        return { keyId, environmentId, environment: kindOfKey(key) }
      })
      if (owner !== undefined) noteKeyUse(owner.keyId)
      return owner
    },
    forgetKeys: (isEnded) => {
      keys.deleteWhere(isEnded)
      liveKeys.deleteWhere(() => true)
    },
    forgetUser: (userId) => {
      users.deleteWhere(({ id }) => id === userId)
      credentials.deleteWhere((credential) => credential.userId === userId)
    },
    forgetCredential: (credentialId) => credentials.deleteWhere(({ id }) => id === credentialId),
    isKeyLive: async (keyId) => {
      const live = await liveKeys.get(keyId, async () => {
        const row = await database.prisma.apiKey.findFirst({
          where: { id: keyId, revokedAt: null },
          select: { id: true },
        })
        return row ?? undefined
      })
      return live !== undefined
    },
    user: async (userId) => {
      const id = userId.toLowerCase()
      if (!isUuid(id) || deletedUsers.has(id)) return
      return users.get(id, async () => {
        const row = await database.prisma.endUser.findUnique({
          where: { id },
          select: { id: true, environmentId: true },
        })
        if (row !== null) return row
        if (deletedUsers.size >= MAX_CACHED) deletedUsers.clear()
        deletedUsers.add(id)
        return undefined
      })
    },
    credential: async (credentialId) => {
      const id = credentialId.toLowerCase()
      if (!isUuid(id)) return
      return credentials.get(id, async () => {
        const row = await database.prisma.credential.findUnique({
          where: { id },
          select: credentialColumns,
        })
        return row ?? undefined
      })
    },
    credentialByRoute: (route) =>
      credentials.get(route, async () => {
        const row = await database.prisma.credential.findUnique({
          where: { route },
          select: credentialColumns,
        })
        return row ?? undefined
      }),
    credentialsOfUser: async (environmentId, userId) => {
      const id = userId.toLowerCase()
      if (!isUuid(id)) return
      const user = await database.prisma.endUser.findFirst({
        where: { id, environmentId },
        select: { credentials: { select: credentialColumns, orderBy: { createdAt: 'asc' } } },
      })
      return user?.credentials
    },
  }
}
