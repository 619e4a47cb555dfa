/** GraphQL mutations that create, update and delete records, for every writable resource. */
import type { FieldMap, MutationFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Catalogue } from '../../definition/catalogue.ts'
import type { Fields } from '../../definition/field.ts'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { checkText } from '../../query/filter.ts'
import { readInstant } from '../../query/input.ts'
import {
  inputFieldsOf,
  parseWrite,
  updatableFields,
  type VersionedRecord,
  type WriteAttempt,
  type WriteOwner,
} from '../../query/write-request.ts'
import { resolveCredential } from '../auth/caller.ts'
import { type Builder, type GraphContext, keyCallerOf } from './builder.ts'
import type { RecordType } from './fields.ts'
import type { InputObject, InputTypes } from './input-types.ts'
import { type GraphRecord, parseRecord } from './loaders.ts'
import { resolveIdempotently } from './once.ts'
import { type Payloads, runMutation } from './payloads.ts'

type FieldBuilder = MutationFieldBuilder<Builder['$inferSchemaTypes'], object>

const IF_UPDATED_AT_DOC =
  'The updatedAt of the record when it was read. The write fails with WRITE_CONFLICT if the record has changed since.'

interface WriteArguments {
  readonly credentialId: string
  readonly ifUpdatedAt?: string | null | undefined
}

interface MutationTypes {
  readonly inputs: InputTypes
  readonly payloads: Payloads
  recordType(resource: Resource): RecordType
}

/** A deletion has no argument `input`. */
const noInput: Fields = {}

/** The mutation fields of every record. */
export const createRecordMutations = (
  catalogue: Catalogue,
  { inputs, payloads, recordType }: MutationTypes,
) => {
  const payload = (verb: 'create' | 'update' | 'delete', resource: Resource) =>
    payloads.payloadType(verb + resource.typeName, {
      name: resource.name,
      type: recordType(resource),
      description:
        verb === 'delete'
          ? `The deleted ${resource.name}, with remoteDeleted: true.`
          : `The ${resource.name} as the app then holds it.`,
    })

  const write = async (
    context: GraphContext,
    info: GraphQLResolveInfo,
    args: WriteArguments,
    work: (owner: WriteOwner, attempt: WriteAttempt) => Promise<VersionedRecord>,
  ): Promise<GraphRecord> => {
    const { access, loaders } = context
    const credential = await resolveCredential(access, keyCallerOf(context), args.credentialId)
    const seenUpdatedAt =
      args.ifUpdatedAt == null ? undefined : readInstant('ifUpdatedAt', args.ifUpdatedAt)
    const owner = { credentialId: credential.id, environmentId: credential.environmentId }
    const json = await resolveIdempotently(
      context,
      info,
      { args, isLocal: false },
      async (attempt) => {
        const record = await work(owner, { ...attempt, seenUpdatedAt })
        return record.json
      },
    )
    loaders.clear()
    loaders.allow([credential])
    return parseRecord(json)
  }

  const idOf = (resource: Resource, { credentialId }: WriteOwner, id: string): string =>
    resolveId(credentialId, resource.topic, checkText('id', id))

  const credentialId = (t: FieldBuilder) =>
    t.arg.id({ required: true, description: 'The credential of the record.' })
  const id = (t: FieldBuilder) =>
    t.arg.id({ required: true, description: 'The id of the record in this API or in the app.' })
  const ifUpdatedAt = (t: FieldBuilder) =>
    t.arg({ type: 'DateTime', description: IF_UPDATED_AT_DOC })

  const create = (t: FieldBuilder, resource: Resource, input: InputObject) =>
    t.field({
      type: payload('create', resource),
      description: `Creates one ${resource.name} in the app, then in this service.`,
      args: {
        credentialId: credentialId(t),
        input: t.arg({ type: input, required: true, description: 'The fields of the record.' }),
      },
      resolve: (_root, args, context, info) =>
        runMutation(context, inputFieldsOf(resource), () =>
          write(context, info, args, (owner, attempt) =>
            context.writer.create({
              owner,
              resource,
              request: parseWrite(inputFieldsOf(resource), args.input),
              attempt,
            }),
          ),
        ),
    })

  const update = (t: FieldBuilder, resource: Resource, input: InputObject) =>
    t.field({
      type: payload('update', resource),
      description: `Updates one ${resource.name} in the app, then in this service. Omitted fields keep their values; null clears a field.`,
      args: {
        credentialId: credentialId(t),
        id: id(t),
        input: t.arg({ type: input, required: true, description: 'The fields of the record.' }),
        ifUpdatedAt: ifUpdatedAt(t),
      },
      resolve: (_root, args, context, info) =>
        runMutation(context, updatableFields(resource), () =>
          write(context, info, args, (owner, attempt) =>
            context.writer.update({
              owner,
              resource,
              id: idOf(resource, owner, args.id),
              request: parseWrite(updatableFields(resource), args.input),
              attempt,
            }),
          ),
        ),
    })

  const remove = (t: FieldBuilder, resource: Resource) =>
    t.field({
      type: payload('delete', resource),
      description: `Deletes one ${resource.name} in the app. This service keeps it with remoteDeleted: true.`,
      args: { credentialId: credentialId(t), id: id(t), ifUpdatedAt: ifUpdatedAt(t) },
      resolve: (_root, args, context, info) =>
        runMutation(context, noInput, () =>
          write(context, info, args, (owner, attempt) =>
            context.writer.delete({
              owner,
              resource,
              id: idOf(resource, owner, args.id),
              attempt,
            }),
          ),
        ),
    })

  return (t: FieldBuilder): FieldMap =>
    Object.fromEntries(
      catalogue.resources.flatMap((resource) => {
        const { verbs, typeName } = resource
        const fields: [string, FieldMap[string]][] = []
        if (verbs.includes('create'))
          fields.push([`create${typeName}`, create(t, resource, inputs.createInput(resource))])
        if (verbs.includes('update'))
          fields.push([`update${typeName}`, update(t, resource, inputs.updateInput(resource))])
        if (verbs.includes('delete')) fields.push([`delete${typeName}`, remove(t, resource)])
        return fields
      }),
    )
}
