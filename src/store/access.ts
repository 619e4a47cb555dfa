/**
 * Who calls and what they may see: keys and credentials, remembered between requests. Every change of a
 * row is announced by a trigger, so a revoked key is refused at once in every process; while
 * announcements are not heard, nothing is remembered.
 */

import { type EnvironmentKind, hashApiKey, isApiKey, kindOfKey } from '../api-key.ts'
import { isUuid } from '../definition/identity.ts'
import type { Database } from './database.ts'
import type { Notices } from './notices.ts'

/** What a valid key stands for. */
export interface KeyOwner {
  readonly keyId: string
  readonly environmentId: string
  readonly environment: EnvironmentKind
}

/** What the read path needs to know of a credential. None of it ever changes. */
export interface CredentialFacts {
  readonly id: string
  readonly environmentId: string
  readonly userId: string
  readonly app: string
}

/** An end user, as a token needs it to be. */
export interface UserFacts {
  readonly id: string
  readonly environmentId: string
}

export interface Access {
  /** Undefined for a key that is unknown, revoked or malformed. */
  keyOwner(key: string): Promise<KeyOwner | undefined>
  /** Called once keys have been ended here: they are refused before the announcement has come back. */
  forgetKeys(isEnded: (owner: KeyOwner) => boolean): void
  /** Called once an end user has been deleted here, with what was the user's. */
  forgetUser(userId: string): void
  /** Called once a credential has been deleted here. */
  forgetCredential(credentialId: string): void
  /** Whether a key that was good is so still; remembered like the rest. */
  isKeyLive(keyId: string): Promise<boolean>
  /** Undefined for an end user who is not there. */
  user(id: string): Promise<UserFacts | undefined>
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
  forgetWhere(isGone: (value: Value) => boolean): void
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
  const forgetWhere = (isGone: (value: Value) => boolean): void => {
    changes += 1
    for (const [key, value] of byKey) if (isGone(value)) byKey.delete(key)
  }
  const hear = (payload: string): void => {
    const [changed, id] = payload.split(':')
    if (changed === table) forgetWhere((value) => idOf(value) === id)
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
    forgetWhere,
  }
}

const credentialColumns = { id: true, environmentId: true, userId: true, app: true } as const

export const createAccess = (
  database: Database,
  notices: Notices,
  /** Told of each use of a live key. */
  noteKeyUse: (keyId: string) => void = () => {},
): Access => {
  const { prisma } = database
  const liveKeys = createMemory<{ readonly id: string }>(notices, 'api_keys', ({ id }) => id)
  const keys = createMemory<KeyOwner>(notices, 'api_keys', ({ keyId }) => keyId)
  const users = createMemory<UserFacts>(notices, 'end_users', ({ id }) => id)
  const credentials = createMemory<CredentialFacts>(notices, 'credentials', ({ id }) => id)
  return {
    keyOwner: async (key) => {
      if (!isApiKey(key)) return
      const hash = hashApiKey(key)
      const owner = await keys.recall(hash, async () => {
        const row = await prisma.apiKey.findFirst({ where: { hash, revokedAt: null } })
        const { id: keyId, environmentId } = row ?? {}
        if (keyId === undefined || environmentId === undefined) return
        return { keyId, environmentId, environment: kindOfKey(key) }
      })
      if (owner !== undefined) noteKeyUse(owner.keyId)
      return owner
    },
    forgetKeys: (isEnded) => {
      keys.forgetWhere(isEnded)
      liveKeys.forgetWhere(() => true)
    },
    forgetUser: (userId) => {
      users.forgetWhere(({ id }) => id === userId)
      credentials.forgetWhere((credential) => credential.userId === userId)
    },
    forgetCredential: (credentialId) => credentials.forgetWhere(({ id }) => id === credentialId),
    isKeyLive: async (keyId) => {
      const live = await liveKeys.recall(keyId, async () => {
        const row = await prisma.apiKey.findFirst({
          where: { id: keyId, revokedAt: null },
          select: { id: true },
        })
        return row ?? undefined
      })
      return live !== undefined
    },
    user: async (userId) => {
      const id = userId.toLowerCase()
      if (!isUuid(id)) return
      return users.recall(id, async () => {
        const row = await prisma.endUser.findUnique({
          where: { id },
          select: { id: true, environmentId: true },
        })
        return row ?? undefined
      })
    },
    credential: async (credentialId) => {
      const id = credentialId.toLowerCase()
      if (!isUuid(id)) return
      return credentials.recall(id, async () => {
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
      const id = userId.toLowerCase()
      if (!isUuid(id)) return
      const user = await prisma.endUser.findFirst({
        where: { id, environmentId },
        select: { credentials: { select: credentialColumns, orderBy: { createdAt: 'asc' } } },
      })
      return user?.credentials
    },
  }
}
