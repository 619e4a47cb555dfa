/** The queries of records: the list of each resource, and one record. */
import type { FieldMap, QueryFieldBuilder } from '@pothos/core'
import type { Catalogue } from '../../definition/catalogue.ts'
import type { Resource } from '../../definition/resource.ts'
import { countRecords, listRecords } from '../../store/records/records.ts'
import type { Builder } from './builder.ts'
import { toRecordList } from './connections.ts'
import { scopeArguments, stalenessArgument } from './inputs.ts'
import { readListRequest, readRecordId, refreshRecords } from './record-requests.ts'
import type { RecordTypes } from './record-types.ts'

type FieldBuilder = QueryFieldBuilder<Builder['$inferSchemaTypes'], object>

/** Creates the queries of all resources. */
export const createRecordQueries = (
  { resources }: Catalogue,
  { typesOf, listOptions }: RecordTypes,
) => {
  const listQuery = (t: FieldBuilder, resource: Resource) => {
    const options = listOptions(t.arg, resource)
    return t.field({
      ...options,
      description: `The ${resource.plural} of one credential, of several, or of all credentials of an end user.`,
      args: { ...scopeArguments(t.arg), ...options.args },
      resolve: async (_root, { maxStalenessSeconds, ...listArguments }, context) => {
        const { database } = context
        const request = await readListRequest(context, resource, listArguments)
        const { credentialIds } = request
        const syncedAt = await refreshRecords(context, resource, credentialIds, {
          maxStalenessSeconds,
        })
        const recordPage = await listRecords(database, request)
        return toRecordList(recordPage, () => countRecords(database, request), syncedAt)
      },
    })
  }

  const getQuery = (t: FieldBuilder, resource: Resource) =>
    t.field({
      type: typesOf(resource).record,
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

  return (t: FieldBuilder): FieldMap =>
    Object.fromEntries(
      resources.flatMap((resource) => [
        [resource.listField, listQuery(t, resource)],
        [resource.getField, getQuery(t, resource)],
      ]),
    )
}
