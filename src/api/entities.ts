/** The objects of the control plane that have a global id. It is the id of the contract: `userId`, `credentialId`. */
import type { Shape } from '../definition/field.ts'
import { isUuid } from '../definition/identity.ts'
import { listCredentials } from '../store/accounts/listed-credentials.ts'
import { findInstallations } from '../store/accounts/listed-installations.ts'
import { findUsers } from '../store/accounts/users.ts'
import { findWebhooks } from '../store/webhooks/webhooks.ts'
import { findIntegrations } from '../store/workflows/integrations.ts'
import type { CallContext, CallerKind } from './operation.ts'
import { credential, toResult } from './operations/credential-shape.ts'
import { installation } from './operations/installations.ts'
import { integration } from './operations/integrations.ts'
import { scopeOfCaller, user } from './operations/users.ts'
import { subscription } from './operations/webhooks.ts'

/** An object as operations return it: plain data that matches its shape. */
export type EntityValues = Readonly<Record<string, unknown>>

/** A kind of object. */
export interface Entity {
  readonly shape: Shape
  /** The field with the id. */
  readonly key: string
  /** Those who may read it: the callers of the operation that returns one. */
  readonly callers: readonly CallerKind[]
  /** Finds those with these ids, which are UUIDs, that the caller may read, in any order. One statement. */
  find(context: CallContext, ids: readonly string[]): Promise<readonly (EntityValues | undefined)[]>
}

export const userEntity: Entity = {
  shape: user,
  key: 'userId',
  callers: ['key'],
  find: async ({ database, caller: { environmentId } }, ids) =>
    (await findUsers(database, environmentId, ids)).map((one) => ({ ...one })),
}

export const credentialEntity: Entity = {
  shape: credential,
  key: 'credentialId',
  callers: ['key', 'user'],
  find: async (context, credentialIds) => {
    const filter = { ...scopeOfCaller(context.caller), credentialIds }
    const found = await listCredentials(context.database, filter)
    return found.map((summary) => toResult(context, summary))
  },
}

export const integrationEntity: Entity = {
  shape: integration,
  key: 'integrationId',
  callers: ['key', 'user'],
  find: async ({ database, caller }, ids) => {
    const { environmentId, userId } = scopeOfCaller(caller)
    const keys = ids.map((integrationId) => ({ integrationId, userId }))
    return (await findIntegrations(database, environmentId, keys)).map((one) => one && { ...one })
  },
}

export const installationEntity: Entity = {
  shape: installation,
  key: 'installationId',
  callers: ['key', 'user'],
  find: async ({ database, caller }, ids) =>
    (await findInstallations(database, scopeOfCaller(caller), ids)).map((one) => ({ ...one })),
}

export const subscriptionEntity: Entity = {
  shape: subscription,
  key: 'subscriptionId',
  callers: ['key'],
  find: async ({ database, caller }, ids) =>
    (await findWebhooks(database, caller.environmentId, ids)).map((one) => ({ ...one })),
}

export const entities: readonly Entity[] = [
  userEntity,
  credentialEntity,
  integrationEntity,
  installationEntity,
  subscriptionEntity,
]

/** Finds the objects with these ids, in their order; undefined for those that the caller may not read. One statement. */
export const findEntities = async (
  { key, find }: Entity,
  context: CallContext,
  ids: readonly string[],
): Promise<readonly (EntityValues | undefined)[]> => {
  const known = ids.filter(isUuid)
  const found = known.length === 0 ? [] : await find(context, known)
  const byId = new Map(found.flatMap((values) => (values ? [[values[key], values] as const] : [])))
  return ids.map((id) => byId.get(id))
}
