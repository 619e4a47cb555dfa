/** The credentials of a subscription. Its arguments choose them as those of a list do. */
import { LRUCache } from 'lru-cache'
import type { Change, ChangesQuery } from '../../store/changes/changes.ts'
import { type KeyCaller, resolveScope, type Scope } from '../auth/caller.ts'
import { userOfChange } from '../change-response.ts'
import type { GraphContext } from './builder.ts'

export interface SubscribedCredentials {
  /** Whether a change is of one of them; undefined: `decide` finds out. */
  has(change: Change): boolean | undefined
  decide(change: Change): Promise<boolean>
  /** The changes of the log to read for them. */
  logged(): Promise<Pick<ChangesQuery, 'credentialIds' | 'formerUserId'>>
}

const MAX_OWNERS = 50_000

/** Creates the function that reads the arguments of a subscription. */
export const createSubscribedCredentials = () => {
  /** The end user of each credential, which never changes. */
  const owners = new LRUCache<string, string>({ max: MAX_OWNERS })

  const ofIds = (ids: readonly string[]): SubscribedCredentials => {
    const selected: ReadonlySet<string | null> = new Set(ids)
    const has = ({ credentialId }: Change): boolean => selected.has(credentialId)
    return {
      has,
      decide: async (change) => has(change),
      logged: async () => ({ credentialIds: ids }),
    }
  }

  /** Every credential of an end user, including those that are connected later. */
  const ofUser = (
    { access }: GraphContext,
    { environmentId }: KeyCaller,
    userId: string,
  ): SubscribedCredentials => ({
    has: ({ credentialId }) => {
      const owner = credentialId === null ? '' : owners.get(credentialId)
      return owner === undefined ? undefined : owner === userId
    },
    decide: async (change) => {
      const owner = await userOfChange({ access }, change)
      if (owner !== null && change.credentialId !== null) owners.set(change.credentialId, owner)
      return owner === userId
    },
    logged: async () => {
      const credentials = (await access.credentialsOfUser(environmentId, userId)) ?? []
      for (const { id } of credentials) owners.set(id, userId)
      return { credentialIds: credentials.map(({ id }) => id), formerUserId: userId }
    },
  })

  /**
   * @returns undefined: every credential of the environment
   * @throws CREDENTIAL_NOT_FOUND, USER_NOT_FOUND, INVALID_PARAMETER
   */
  return async (
    context: GraphContext,
    caller: KeyCaller,
    { credentialId, credentialIds, userId }: Scope,
  ): Promise<SubscribedCredentials | undefined> => {
    if (credentialId == null && credentialIds == null && userId == null) return undefined
    const scope = { credentialId, credentialIds, userId }
    const credentials = await resolveScope(context.access, caller, scope)
    if (userId == null) return ofIds(credentials.map(({ id }) => id))
    const owner = userId.toLowerCase()
    for (const { id } of credentials) owners.set(id, owner)
    return ofUser(context, caller, owner)
  }
}
