/** Builds the GraphQL schema from the definitions of resources and operations. */
import type { GraphQLSchema } from 'graphql'
import type { Catalogue } from '../../definition/catalogue.ts'
import type { Resource } from '../../definition/resource.ts'
import { memoize } from '../../memoize.ts'
import { operations } from '../operations.ts'
import { createAggregateFields } from './aggregates.ts'
import { createBuilder } from './builder.ts'
import { createConnectionTypes } from './connections.ts'
import { addEdges } from './edge-fields.ts'
import { createEnums } from './enums.ts'
import { createInputTypes } from './input-types.ts'
import { createRecordMutations } from './mutations.ts'
import { createNodeInterface, createTypeResolver, nodeFields } from './nodes.ts'
import { createOperationTypes } from './operation-types.ts'
import { createOperationFields } from './operations.ts'
import { createPayloads } from './payloads.ts'
import { createRecordQueries } from './record-queries.ts'
import { createRecordTypes } from './record-types.ts'
import { releaseBuilder } from './release-builder.ts'
import { schemaDescription } from './schema-description.ts'
import { createSubscriptionFields } from './subscriptions.ts'

/** Builds the schema of a catalogue, once. */
export const buildSchema = memoize((catalogue: Catalogue): GraphQLSchema => {
  const builder = createBuilder()
  const enums = createEnums(builder)
  const connectionType = createConnectionTypes(builder)
  const nodes = createNodeInterface(builder, catalogue)
  const operationTypes = createOperationTypes({ builder, enums, connectionType, nodes })
  const inputs = createInputTypes(builder, enums)
  addEdges(builder, operationTypes, inputs)
  const recordTypes = createRecordTypes({
    builder,
    catalogue,
    enums,
    connectionType,
    nodes,
    operationTypes,
  })
  const { typesOf } = recordTypes

  const payloads = createPayloads(builder)
  const recordType = (resource: Resource) => typesOf(resource).record
  const recordMutations = createRecordMutations(catalogue, { inputs, payloads, recordType })
  const operationFields = createOperationFields(
    { types: operationTypes, inputs, payloads },
    operations,
  )
  builder.mutationType({
    description:
      'Writes to records, and operations on users, credentials, webhooks and other settings.',
    fields: (t) => ({ ...recordMutations(t), ...operationFields.mutations(t) }),
  })
  builder.subscriptionType({
    description: 'Changes as they happen: after a cursor, or from now on.',
    fields: createSubscriptionFields({ builder, catalogue, operationTypes, typesOf }),
  })
  const recordQueries = createRecordQueries(catalogue, recordTypes)
  const filterOf = (resource: Resource) => typesOf(resource).filter
  const aggregates = createAggregateFields({ builder, enums, catalogue, filterOf })
  builder.queryType({
    description:
      'Records of connected apps, read from the local copy, and the settings of the environment.',
    fields: (t) => ({
      ...operationFields.queries(t),
      ...nodeFields(t, nodes),
      ...recordQueries(t),
      ...aggregates(t),
    }),
  })
  const schema = builder.toSchema({ sortSchema: false })
  schema.description = schemaDescription
  releaseBuilder(builder, schema, createTypeResolver(catalogue))
  return schema
})
