/** Objects with a global id: records, and the entities of the control plane. */
import type { QueryFieldBuilder } from '@pothos/core'
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity'
import type { Catalogue } from '../../definition/catalogue.ts'
import { routeOf } from '../../definition/identity.ts'
import { invalidParameter } from '../../errors.ts'
import { type Entity, type EntityValues, entities, findEntities } from '../entities.ts'
import { checkCaller } from '../run-operation.ts'
import { type Builder, callerOf, type GraphContext } from './builder.ts'
import { findNode } from './record-requests.ts'

const MAX_NODES = 100

/** A record, or an entity with the name of its type. */
export const createTypeResolver =
  (catalogue: Catalogue) =>
  ({ id, __typename }: EntityValues): string | undefined =>
    typeof __typename === 'string'
      ? __typename
      : catalogue.findByTag(routeOf(String(id))?.tag ?? '')?.typeName

export const createNodeInterface = (builder: Builder, catalogue: Catalogue) =>
  builder.interfaceRef<EntityValues>('Node').implement({
    description: 'An object with a global id.',
    fields: (t) => ({
      id: t.id({
        nullable: false,
        description: 'The id of the object in this API.',
        resolve: ({ id }) => String(id),
      }),
    }),
    resolveType: createTypeResolver(catalogue),
  })

export type NodeInterface = ReturnType<typeof createNodeInterface>

/** The entity with this id; null if the caller may not read one. @throws UNAUTHENTICATED, FORBIDDEN */
export const loadEntity = async (
  context: GraphContext,
  entity: Entity,
  id: string,
): Promise<EntityValues | null> => {
  const caller = callerOf(context)
  checkCaller(entity.callers, caller)
  const found = await context.loaders.load(entity.shape.name, id, (ids) =>
    findEntities(entity, { ...context, caller }, ids),
  )
  return found ?? null
}

/** The entity with this id, of any kind that the caller may read. One statement for each kind. */
const findEntity = async (context: GraphContext, id: string): Promise<EntityValues | null> => {
  const { kind } = callerOf(context)
  const found = await Promise.all(
    entities
      .filter(({ callers }) => callers.includes(kind))
      .map(async (entity) => {
        const values = await loadEntity(context, entity, id)
        return values && { ...values, id, __typename: entity.shape.name }
      }),
  )
  return found.find((one) => one !== null) ?? null
}

/** @throws UNAUTHENTICATED, FORBIDDEN for a record's id from a user token */
const loadNode = async (context: GraphContext, id: string): Promise<EntityValues | null> => {
  const record = await findNode(context, id)
  return record
    ? context.loaders.record(record.resource, record.id)
    : findEntity(context, id.toLowerCase())
}

const nodesCost = ({ args, childComplexity }: ComplexityEstimatorArgs): number =>
  1 + (Array.isArray(args.ids) ? Math.max(args.ids.length, 1) : MAX_NODES) * childComplexity

/** The query fields that find objects by their global ids. */
export const nodeFields = (
  t: QueryFieldBuilder<Builder['$inferSchemaTypes'], object>,
  type: NodeInterface,
) => ({
  node: t.field({
    type,
    description:
      'The object with this id: a record of any resource and credential, or another type.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: (_root, { id }, context) => loadNode(context, id),
  }),
  nodes: t.field({
    type: [type],
    nullable: { list: false, items: true },
    description: 'The objects with these ids, in their order; null for an id that no object has.',
    extensions: { complexity: nodesCost },
    args: { ids: t.arg.idList({ required: true, description: `At most ${MAX_NODES}.` }) },
    resolve: (_root, { ids }, context) => {
      if (ids.length > MAX_NODES) throw invalidParameter('ids', `at most ${MAX_NODES} ids`)
      return Promise.all(ids.map((id) => loadNode(context, id)))
    },
  }),
})
