/** The types of records: their fields, and the lists of records that link to a record or belong to a credential. */
import type { ArgBuilder } from '@pothos/core'
import type { Catalogue, IncomingReference } from '../../definition/catalogue.ts'
import type { Shape } from '../../definition/field.ts'
import { customFields, type Resource } from '../../definition/resource.ts'
import { credentialEntity } from '../entities.ts'
import type { Builder } from './builder.ts'
import { type ConnectionTypes, type RecordList, toRecordList } from './connections.ts'
import { listCost } from './cost.ts'
import type { Enums } from './enums.ts'
import { fieldsOf, makeRecordType, type RecordType, type TypeParts } from './fields.ts'
import { createListInputs, readListArguments, stalenessArgument } from './inputs.ts'
import { loadEntity, type NodeInterface } from './nodes.ts'
import type { OperationTypes } from './operation-types.ts'
import { loadRecordsOf } from './record-requests.ts'

/** The parts of the schema that the types of records use. */
export interface RecordTypeParts {
  readonly builder: Builder
  readonly catalogue: Catalogue
  readonly enums: Enums
  readonly connectionType: ConnectionTypes
  readonly nodes: NodeInterface
  readonly operationTypes: OperationTypes
}

/** The connection type of a resource's records. */
const recordConnection = (
  connectionType: ConnectionTypes,
  { typeName }: Resource,
  type: RecordType,
) =>
  connectionType<RecordList>({ name: typeName, type }, (t) => ({
    syncedAt: t.field({
      type: 'DateTime',
      description:
        'What had changed in the app by this time is on the page: the start of the last completed sync, of several credentials the oldest. Null without maxStalenessSeconds, and if no sync has completed.',
      resolve: ({ syncedAt }) => syncedAt?.toISOString() ?? null,
    }),
  }))

/** Creates the types of each resource, without the fields of its record. */
const declareTypes = ({ builder, catalogue, enums, connectionType }: RecordTypeParts) => {
  const listInputs = createListInputs(builder, enums, catalogue)
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
  return {
    typesOf,
    /** The options of a list of a resource's records, with its arguments. */
    listOptions: (arg: ArgBuilder<Builder['$inferSchemaTypes']>, resource: Resource) => {
      const { connection, args } = typesOf(resource)
      return {
        type: connection,
        extensions: { complexity: listCost },
        args: { maxStalenessSeconds: stalenessArgument(arg), ...args(arg) },
      }
    },
  }
}

export type RecordTypes = ReturnType<typeof declareTypes>

/** The types of nested objects, each created when a field first uses it. */
const createTypeParts = (
  { builder, catalogue, enums }: RecordTypeParts,
  { typesOf }: RecordTypes,
): TypeParts => {
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
      // Before its fields, which may use it themselves.
      shapes.set(shape, type)
      const owner = { typeName: shape.name, recordName: '', isRecord: false }
      type.implement({
        description: shape.doc,
        fields: (t) => fieldsOf(t, parts, owner, shape.fields),
      })
      return type
    },
  }
  return parts
}

/** Adds the fields of a record. */
const implementRecord = (
  { nodes, operationTypes }: RecordTypeParts,
  { typesOf }: RecordTypes,
  typeParts: TypeParts,
  resource: Resource,
): void => {
  const { typeName, name: recordName, allFields } = resource
  typesOf(resource).record.implement({
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
      ...fieldsOf(t, typeParts, { typeName, recordName, isRecord: true }, allFields),
    }),
  })
}

/** Adds the list of records that reference a record. */
const addIncoming = (
  { builder, catalogue }: RecordTypeParts,
  { typesOf }: RecordTypes,
  to: Resource,
  { from, field, as }: IncomingReference,
): void => {
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

/** Adds the list of a credential's records. */
const addRecordsOfCredential = (
  { builder, operationTypes }: RecordTypeParts,
  { listOptions }: RecordTypes,
  resource: Resource,
): void => {
  builder.objectField(operationTypes.outputShape(credentialEntity.shape), resource.listField, (t) =>
    t.field({
      ...listOptions(t.arg, resource),
      description: `The ${resource.plural} of the credential.`,
      resolve: (values, args, context) =>
        loadRecordsOf(context, resource, String(values[credentialEntity.key]), args),
    }),
  )
}

/** Creates the types of all records. */
export const createRecordTypes = (parts: RecordTypeParts): RecordTypes => {
  const { resources, incoming } = parts.catalogue
  const types = declareTypes(parts)
  const typeParts = createTypeParts(parts, types)
  for (const resource of resources) {
    implementRecord(parts, types, typeParts, resource)
    for (const reference of incoming(resource.topic)) addIncoming(parts, types, resource, reference)
    addRecordsOfCredential(parts, types, resource)
  }
  return types
}
