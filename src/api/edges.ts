/** The links between the objects of the control plane: fields that GraphQL adds to what REST returns. */
import { type Fields, type Shape, text } from '../definition/field.ts'
import type { Input } from '../query/input.ts'
import { type ForwardPage, type Listed, pageOf } from '../query/listed.ts'
import { pageCredentialsOfUsers } from '../store/accounts/listed-credentials.ts'
import { pageInstallationsOf } from '../store/accounts/listed-installations.ts'
import { pageAttempts } from '../store/webhooks/webhook-attempts.ts'
import { findIntegrations } from '../store/workflows/integrations.ts'
import {
  credentialEntity,
  type Entity,
  type EntityValues,
  findEntities,
  installationEntity,
  integrationEntity,
  subscriptionEntity,
  userEntity,
} from './entities.ts'
import type { CallContext, CallerKind } from './operation.ts'
import { credential, toResult } from './operations/credential-shape.ts'
import { installation } from './operations/installations.ts'
import { scopeOfCaller, user } from './operations/users.ts'
import { attempt } from './operations/webhook-deliveries.ts'
import { subscription } from './operations/webhooks.ts'
import { run } from './operations/workflow-runs.ts'

interface EdgeBase {
  readonly from: Shape
  readonly name: string
  readonly doc: string
  /** Those who may read what it links to. */
  readonly callers: readonly CallerKind[]
  /** What identifies the linked objects of an object. Objects with equal keys share one read. */
  keyOf(values: EntityValues): string
}

/** A link to one object. */
export interface ObjectEdge extends EdgeBase {
  readonly to: Shape
  /** Reads the linked object of each key, in their order. One statement. */
  read(
    context: CallContext,
    keys: readonly string[],
  ): Promise<readonly (EntityValues | undefined)[]>
}

/** A link to a list. */
export interface ListEdge extends EdgeBase {
  readonly entry: Shape
  /** The arguments next to those of a page. */
  readonly query: Fields
  /** Reads a page of the list of each key, in their order. One statement, and another one for all counts. */
  read(
    context: CallContext,
    keys: readonly string[],
    input: Input,
    page: ForwardPage,
  ): Promise<readonly Listed<unknown>[]>
}

const idAt =
  (field: string) =>
  (values: EntityValues): string =>
    String(values[field])

/** A link to the object whose id is in the field `key` of both shapes. */
const toEntity = (from: Shape, name: string, entity: Entity): ObjectEdge => ({
  from,
  name,
  doc: `The ${name} itself.`,
  to: entity.shape,
  callers: entity.callers,
  keyOf: idAt(entity.key),
  read: (context, ids) => findEntities(entity, context, ids),
})

export const objectEdges: readonly ObjectEdge[] = [
  toEntity(credential, 'user', userEntity),
  toEntity(installation, 'user', userEntity),
  {
    ...toEntity(installation, 'integration', integrationEntity),
    doc: 'The integration, with its state for the end user of the installation.',
    keyOf: ({ integrationId, userId }) => `${integrationId} ${userId}`,
    read: async ({ database, caller: { environmentId } }, keys) => {
      const pairs = keys.map((key) => {
        const [integrationId = '', userId] = key.split(' ')
        return { integrationId, userId }
      })
      const found = await findIntegrations(database, environmentId, pairs)
      return found.map((one) => one && { ...one })
    },
  },
  toEntity(run, 'installation', installationEntity),
]

/** The text of an optional argument. */
const textOf = (value: unknown): string | undefined => (value == null ? undefined : String(value))

/** The link from an end user or an integration to its installations. */
const toInstallations = (by: 'user' | 'integration', from: Entity, doc: string): ListEdge => ({
  from: from.shape,
  name: 'installations',
  doc,
  entry: installation,
  query: {},
  callers: installationEntity.callers,
  keyOf: idAt(from.key),
  read: ({ database, caller }, ids, _input, page) =>
    pageInstallationsOf(database, scopeOfCaller(caller), { by, ids }, page),
})

export const listEdges: readonly ListEdge[] = [
  {
    from: user,
    name: 'credentials',
    doc: 'The credentials of the end user, oldest first.',
    entry: credential,
    query: { app: text('Only credentials of this app, such as `vendure`.') },
    callers: credentialEntity.callers,
    keyOf: idAt(userEntity.key),
    read: async (context, userIds, { app }, page) => {
      const filter = { ...scopeOfCaller(context.caller), app: textOf(app) }
      const lists = await pageCredentialsOfUsers(context.database, filter, userIds, page)
      return lists.map((list) => ({
        ...list,
        nodes: list.nodes.map((summary) => toResult(context, summary)),
      }))
    },
  },
  toInstallations('user', userEntity, 'The installations of the end user, oldest first.'),
  toInstallations(
    'integration',
    integrationEntity,
    'The installations of the integration, oldest first; a user token sees those of its end user.',
  ),
  {
    from: installation,
    name: 'credentials',
    doc: 'The credentials that its workflows use.',
    entry: credential,
    query: {},
    callers: credentialEntity.callers,
    keyOf: ({ credentialIds }) => (Array.isArray(credentialIds) ? credentialIds.join() : ''),
    read: async (context, keys, _input, page) => {
      const idsOf = (key: string): string[] => (key === '' ? [] : key.split(','))
      const all = [...new Set(keys.flatMap(idsOf))]
      const found = await findEntities(credentialEntity, context, all)
      const byId = new Map(all.map((id, index) => [id, found[index]]))
      return keys.map((key) =>
        pageOf(
          idsOf(key).flatMap((id) => byId.get(id) ?? []),
          page,
        ),
      )
    },
  },
  {
    from: subscription,
    name: 'attempts',
    doc: 'The attempts to send messages to the subscription, newest first.',
    entry: attempt,
    query: { messageId: text('The `webhook-id` of a message.') },
    callers: subscriptionEntity.callers,
    keyOf: idAt(subscriptionEntity.key),
    read: ({ database }, subscriptionIds, { messageId }, page) =>
      pageAttempts(database, { subscriptionIds, messageId: textOf(messageId) }, page),
  },
]
