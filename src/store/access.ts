/**
 * Who calls and what they may see: keys and credentials, remembered between requests. Every change of a
 * row is announced by a trigger, so a revoked key is refused at once in every process; while
 * announcements are not heard, nothing is remembered.
 */

import { hashApiKey, isApiKey } from '../api-key.ts'
import type { Database } from './database.ts'
import { revokeApiKey } from './keys.ts'
import type { Notices } from './notices.ts'

/** What a valid key stands for. */
export interface KeyOwner {
  readonly keyId: string
  readonly environmentId: string
}

/** What the read path needs to know of a credential. None of it ever changes. */
export interface CredentialFacts {
  readonly id: string
  readonly environmentId: string
  readonly userId: string
  readonly app: string
}

export interface Access {
  /** Undefined for a key that is unknown, revoked or malformed. */
  keyOwner(key: string): Promise<KeyOwner | undefined>
  /** Ends a key: refused here from now on, elsewhere once it is heard. @returns whether a live key was there */
  revokeKey(key: string): Promise<boolean>
  /** Undefined for a credential that is not there. */
  credential(id: string): Promise<CredentialFacts | undefined>
  /** The credential whose records' ids begin with this. */
  credentialByRoute(route: string): Promise<CredentialFacts | undefined>
  /** All credentials of an end user, oldest first; undefined if the environment has no such user. */
  credentialsOfUser(
    environmentId: string,
    userId: string,
  ): Promise<readonly CredentialFacts[] | undefined>
}

const CHANNEL = 'trunkline_access' // announced by the triggers of the first migration
const MAX_REMEMBERED = 50_000

interface Memory<Value> {
  recall(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>
  forget(key: string): void
}

/** Remembers what `load` found, by key, until the row with that id changes. Misses are not remembered. */
const createMemory = <Value>(
  notices: Notices,
  table: string,
  idOf: (value: Value) => string,
): Memory<Value> => {
  const byKey = new Map<string, Value>()
  let changes = 0
  const forgetAll = (): void => {
    changes += 1
    byKey.clear()
  }
  const hear = (payload: string): void => {
    const [changed, id] = payload.split(':')
    if (changed !== table) return
    changes += 1
    for (const [key, value] of byKey) if (idOf(value) === id) byKey.delete(key)
  }
  notices.on(CHANNEL, hear, forgetAll)
  return {
    recall: async (key, load) => {
      const known = byKey.get(key)
      if (known !== undefined) return known
      const changesBefore = changes
      const value = await load()
      // What was read while a row changed may be the state before the change.
      if (value !== undefined && notices.connected && changes === changesBefore) {
        if (byKey.size >= MAX_REMEMBERED) byKey.clear()
        byKey.set(key, value)
      }
      return value
    },
    forget: (key) => {
      changes += 1
      byKey.delete(key)
    },
  }
}

const credentialColumns = { id: true, environmentId: true, userId: true, app: true } as const

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const createAccess = (database: Database, notices: Notices): Access => {
  const { prisma } = database
  const keys = createMemory<KeyOwner>(notices, 'api_keys', ({ keyId }) => keyId)
  const credentials = createMemory<CredentialFacts>(notices, 'credentials', ({ id }) => id)
  return {
    keyOwner: async (key) => {
      if (!isApiKey(key)) return
      const hash = hashApiKey(key)
      return keys.recall(hash, async () => {
        const row = await prisma.apiKey.findFirst({ where: { hash, revokedAt: null } })
        return row ? { keyId: row.id, environmentId: row.environmentId } : undefined
      })
    },
    revokeKey: async (key) => {
      const wasLive = await revokeApiKey(database, key)
      keys.forget(hashApiKey(key))
      return wasLive
    },
    credential: async (id) => {
      if (!UUID.test(id)) return
      return credentials.recall(id.toLowerCase(), async () => {
        const row = await prisma.credential.findUnique({ where: { id }, select: credentialColumns })
        return row ?? undefined
      })
    },
    credentialByRoute: (route) =>
      credentials.recall(route, async () => {
        const row = await prisma.credential.findUnique({
          where: { route },
          select: credentialColumns,
        })
        return row ?? undefined
      }),
    credentialsOfUser: async (environmentId, userId) => {
      if (!UUID.test(userId)) return
      const user = await prisma.endUser.findFirst({
        where: { id: userId, environmentId },
        select: { credentials: { select: credentialColumns, orderBy: { createdAt: 'asc' } } },
      })
      return user?.credentials
    },
  }
}
