/** Writing records over GraphQL: create, update and delete of every resource that can be written. */
import type { FieldMap, MutationFieldBuilder } from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Catalogue } from '../../definition/catalogue.ts'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { checkText } from '../../query/filter.ts'
import { readInstant } from '../../query/input.ts'
import { parseWrite, type WriteAttempt, type WriteOwner } from '../../query/write-request.ts'
import { resolveCredential } from '../caller.ts'
import { type Builder, backendOf, type GraphContext } from './builder.ts'
import type { RecordType } from './fields.ts'
import type { InputObject, InputTypes } from './input-types.ts'
import { type GraphRecord, parseRecord } from './loaders.ts'
import { onceForKey } from './once.ts'

type FieldBuilder = MutationFieldBuilder<Builder['$inferSchemaTypes'], object>

const SEEN =
  'The updatedAt of the record as the caller has seen it; if the record has another by now, it is a WRITE_CONFLICT.'

interface Given {
  readonly credentialId: string
  readonly ifUpdatedAt?: string | null | undefined
}

/** The mutation fields of every record. */
export const createRecordMutations = (
  catalogue: Catalogue,
  inputs: InputTypes,
  recordType: (resource: Resource) => RecordType,
) => {
  const write = async (
    context: GraphContext,
    info: GraphQLResolveInfo,
    given: Given,
    work: (owner: WriteOwner, attempt: WriteAttempt) => Promise<string>,
  ): Promise<GraphRecord> => {
    const { access, loaders } = context
    const credential = await resolveCredential(access, backendOf(context), given.credentialId)
    const seenUpdatedAt =
      given.ifUpdatedAt == null ? undefined : readInstant('ifUpdatedAt', given.ifUpdatedAt)
    const owner = { credentialId: credential.id, environmentId: credential.environmentId }
    const record = await onceForKey(context, info, { given, isLocal: false }, (attempt) =>
      work(owner, { ...attempt, seenUpdatedAt }),
    )
    loaders.forget()
    loaders.allow([credential])
    return parseRecord(record)
  }

  const idOf = (resource: Resource, { credentialId }: WriteOwner, id: string): string =>
    resolveId(credentialId, resource.topic, checkText('id', id))

  const credentialId = (t: FieldBuilder) => t.arg.id({ required: true })
  const id = (t: FieldBuilder) =>
    t.arg.id({ required: true, description: 'Its id here, or its id in the app.' })
  const ifUpdatedAt = (t: FieldBuilder) => t.arg({ type: 'DateTime', description: SEEN })

  const create = (t: FieldBuilder, resource: Resource, input: InputObject) =>
    t.field({
      type: recordType(resource),
      description: `Creates one ${resource.name} in the app, and then here.`,
      args: { credentialId: credentialId(t), input: t.arg({ type: input, required: true }) },
      resolve: (_root, given, context, info) =>
        write(context, info, given, (owner, attempt) =>
          context.writer.create(owner, resource, parseWrite(resource, given.input), attempt),
        ),
    })

  const update = (t: FieldBuilder, resource: Resource, input: InputObject) =>
    t.field({
      type: recordType(resource),
      description: `Changes one ${resource.name} in the app, and then here.`,
      args: {
        credentialId: credentialId(t),
        id: id(t),
        input: t.arg({ type: input, required: true }),
        ifUpdatedAt: ifUpdatedAt(t),
      },
      resolve: (_root, given, context, info) =>
        write(context, info, given, (owner, attempt) =>
          context.writer.update(
            owner,
            resource,
            idOf(resource, owner, given.id),
            parseWrite(resource, given.input),
            attempt,
          ),
        ),
    })

  const remove = (t: FieldBuilder, resource: Resource) =>
    t.field({
      type: recordType(resource),
      description: `Deletes one ${resource.name} in the app; it stays here, with remoteDeleted true.`,
      args: { credentialId: credentialId(t), id: id(t), ifUpdatedAt: ifUpdatedAt(t) },
      resolve: (_root, given, context, info) =>
        write(context, info, given, (owner, attempt) =>
          context.writer.delete(owner, resource, idOf(resource, owner, given.id), attempt),
        ),
    })

  return (t: FieldBuilder): FieldMap =>
    Object.fromEntries(
      catalogue.resources.flatMap((resource) => {
        const { verbs, typeName } = resource
        const fields: [string, FieldMap[string]][] = []
        if (verbs.includes('create') || verbs.includes('update')) {
          const input = inputs.recordInput(resource)
          if (verbs.includes('create'))
            fields.push([`create${typeName}`, create(t, resource, input)])
          if (verbs.includes('update'))
            fields.push([`update${typeName}`, update(t, resource, input)])
        }
        if (verbs.includes('delete')) fields.push([`delete${typeName}`, remove(t, resource)])
        return fields
      }),
    )
}
