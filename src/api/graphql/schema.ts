/** Builds the GraphQL schema from the definitions of resources and operations. */
import type { ArgBuilder } from '@pothos/core'
import type { GraphQLSchema } from 'graphql'
import type { Catalogue, IncomingReference } from '../../definition/catalogue.ts'
import type { Shape } from '../../definition/field.ts'
import { customFields, type Resource } from '../../definition/resource.ts'
import { memoize } from '../../memoize.ts'
import { countRecords, listRecords } from '../../store/records/records.ts'
import { credentialEntity } from '../entities.ts'
import { operations } from '../operations.ts'
import { createAggregateFields } from './aggregates.ts'
import { type Builder, createBuilder } from './builder.ts'
import {
  type Connections,
  createConnections,
  type RecordList,
  toRecordList,
} from './connections.ts'
import { listCost } from './cost.ts'
import { addEdges } from './edge-fields.ts'
import { createEnums } from './enums.ts'
import { fieldsOf, makeRecordType, type RecordType, type TypeParts } from './fields.ts'
import { createInputTypes } from './input-types.ts'
import { createListInputs, readListArguments, scopeArguments, stalenessArgument } from './inputs.ts'
import { createRecordMutations } from './mutations.ts'
import { createNodeInterface, createTypeResolver, loadEntity, nodeFields } from './nodes.ts'
import { createOperationTypes } from './operation-types.ts'
import { createOperationFields } from './operations.ts'
import { createPayloads } from './payloads.ts'
import { loadRecordsOf, readListRequest, readRecordId, refreshRecords } from './record-requests.ts'
import { releaseBuilder } from './release-builder.ts'
import { schemaDescription } from './schema-description.ts'
import { createSubscriptionFields } from './subscriptions.ts'

/** The connection type of a resource's records. */
const recordConnection = (connectionType: Connections, { typeName }: Resource, type: RecordType) =>
  connectionType<RecordList>({ name: typeName, type }, (t) => ({
    syncedAt: t.field({
      type: 'DateTime',
      description:
        'What had changed in the app by this time is on the page: the start of the last completed sync, of several credentials the oldest. Null without maxStalenessSeconds, and if no sync has completed.',
      resolve: ({ syncedAt }) => syncedAt?.toISOString() ?? null,
    }),
  }))

/** Builds the schema of a catalogue, once. */
export const buildSchema = memoize((catalogue: Catalogue): GraphQLSchema => {
  const builder = createBuilder()
  const enums = createEnums(builder)
  const connectionType = createConnections(builder)
  const listInputs = createListInputs(builder, enums, catalogue)

  const nodes = createNodeInterface(builder, catalogue)
  const operationTypes = createOperationTypes({ builder, enums, connectionType, nodes })
  const inputs = createInputTypes(builder, enums)
  addEdges(builder, operationTypes, inputs)

  const types = new Map(
    catalogue.resources.map((resource) => {
      const record = makeRecordType(builder, resource.typeName)
      const connection = recordConnection(connectionType, resource, record)
      return [resource.topic, { record, connection, ...listInputs(resource) }]
    }),
  )
  const typesOf = ({ topic }: Resource) => {
    const resourceTypes = types.get(topic)
    if (resourceTypes === undefined) throw new RangeError(`${topic} is not in the catalogue.`)
    return resourceTypes
  }

  const shapes = new Map<Shape, RecordType>()
  const parts: TypeParts = {
    builder,
    catalogue,
    enums,
    recordType: (topic) => typesOf(catalogue.get(topic)).record,
    shapeType: (shape) => {
      const existing = shapes.get(shape)
      if (existing) return existing
      const type = makeRecordType(builder, shape.name)
      shapes.set(shape, type)
      type.implement({
        description: shape.doc,
        fields: (t) =>
          fieldsOf(
            t,
            parts,
            { typeName: shape.name, recordName: '', isRecord: false },
            shape.fields,
          ),
      })
      return type
    },
  }

  /** Adds the list of records that reference a record. */
  const addIncoming = (to: Resource, { from, field, as }: IncomingReference): void => {
    const { connection, args } = typesOf(from)
    builder.objectField(typesOf(to).record, as, (t) =>
      t.field({
        type: connection,
        nullable: false,
        description: `The ${from.plural} whose ${field} refers to this record.`,
        extensions: { complexity: listCost },
        args: args(t.arg),
        resolve: async ({ id }, listArguments, { loaders }) => {
          const list = readListArguments(catalogue, from, listArguments)
          const request = { resource: from, field, ...list }
          const recordPage = await loaders.linked(request, id)
          return toRecordList(recordPage, () => loaders.linkedCount(request, id))
        },
      }),
    )
  }

  const listOptions = (arg: ArgBuilder<Builder['$inferSchemaTypes']>, resource: Resource) => {
    const { connection, args } = typesOf(resource)
    return {
      type: connection,
      extensions: { complexity: listCost },
      args: { maxStalenessSeconds: stalenessArgument(arg), ...args(arg) },
    }
  }

  /** Adds the list of a credential's records. */
  const addRecordsOfCredential = (resource: Resource): void => {
    builder.objectField(
      operationTypes.outputShape(credentialEntity.shape),
      resource.listField,
      (t) =>
        t.field({
          ...listOptions(t.arg, resource),
          description: `The ${resource.plural} of the credential.`,
          resolve: (values, args, context) =>
            loadRecordsOf(context, resource, String(values[credentialEntity.key]), args),
        }),
    )
  }

  for (const resource of catalogue.resources) {
    const { record } = typesOf(resource)
    record.implement({
      description: resource.doc,
      interfaces: [nodes],
      fields: (t) => ({
        id: t.id({
          nullable: false,
          description: 'The id of the record in this API.',
          resolve: ({ id }) => id,
        }),
        credentialId: t.id({
          nullable: false,
          description: 'The credential through which the record was synced.',
          resolve: ({ id }, _args, { loaders }) => loaders.credentialOf(id),
        }),
        credential: t.field({
          type: operationTypes.outputShape(credentialEntity.shape),
          description: 'The credential itself.',
          resolve: ({ id }, _args, context) =>
            loadEntity(context, credentialEntity, context.loaders.credentialOf(id)),
        }),
        customFields: t.field({
          type: 'JSON',
          description: customFields.doc,
          resolve: (source) => source.customFields ?? null,
        }),
        ...fieldsOf(
          t,
          parts,
          { typeName: resource.typeName, recordName: resource.name, isRecord: true },
          resource.allFields,
        ),
      }),
    })
    for (const reference of catalogue.incoming(resource.topic)) addIncoming(resource, reference)
    addRecordsOfCredential(resource)
  }

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
  const filterOf = (resource: Resource) => typesOf(resource).filter
  const aggregates = createAggregateFields({ builder, enums, catalogue, filterOf })
  builder.queryType({
    description:
      'Records of connected apps, read from the local copy, and the settings of the environment.',
    fields: (t) => ({
      ...operationFields.queries(t),
      ...nodeFields(t, nodes),
      ...Object.fromEntries(
        catalogue.resources.flatMap((resource) => {
          const { record } = typesOf(resource)
          const options = listOptions(t.arg, resource)
          const list = t.field({
            ...options,
            description: `The ${resource.plural} of one credential, of several, or of all credentials of an end user.`,
            args: { ...scopeArguments(t.arg), ...options.args },
            resolve: async (_root, { maxStalenessSeconds, ...listArguments }, context) => {
              const { database } = context
              const request = await readListRequest(context, resource, listArguments)
              const { credentialIds } = request
              const staleness = { maxStalenessSeconds }
              const syncedAt = await refreshRecords(context, resource, credentialIds, staleness)
              const recordPage = await listRecords(database, request)
              return toRecordList(recordPage, () => countRecords(database, request), syncedAt)
            },
          })
          const get = t.field({
            type: record,
            description: `One ${resource.name}, by its id in this API or in the app; null if none exists.`,
            args: {
              credentialId: t.arg.id({
                required: true,
                description: 'The credential of the record.',
              }),
              id: t.arg.id({
                required: true,
                description: 'The id of the record in this API or in the app.',
              }),
              maxStalenessSeconds: stalenessArgument(t.arg),
            },
            resolve: async (_root, getArguments, context) => {
              const { loaders } = context
              const id = await readRecordId(context, resource, getArguments)
              await refreshRecords(context, resource, [loaders.credentialOf(id)], getArguments)
              return loaders.record(resource, id)
            },
          })
          return [
            [resource.listField, list],
            [resource.getField, get],
          ] as const
        }),
      ),
      ...aggregates(t),
    }),
  })
  const schema = builder.toSchema({ sortSchema: false })
  schema.description = schemaDescription
  releaseBuilder(builder, schema, createTypeResolver(catalogue))
  return schema
})
