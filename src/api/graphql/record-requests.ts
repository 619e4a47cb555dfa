/** The root fields of records: their arguments, checked against what the caller may read. */
import { resolveId, routeOf } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { hasCustomFilters } from '../../query/custom-filter.ts'
import { checkText } from '../../query/filter.ts'
import { type ListRequest, parseMaxStaleness } from '../../query/list-request.ts'
import { once } from '../../query/listed.ts'
import { readCustomTypes } from '../../store/accounts/custom-fields.ts'
import { countRecordsOfEach, listRecordsOfEach } from '../../store/records/records.ts'
import { resolveCredential, resolveScope, type Scope } from '../auth/caller.ts'
import { backendOf, type GraphContext } from './builder.ts'
import { type RecordList, toRecordList } from './connections.ts'
import { type ListArguments, readListArguments } from './inputs.ts'

/**
 * Reads the arguments of a root list, and allows the loaders to read its credentials.
 * @throws UNAUTHENTICATED, FORBIDDEN, CREDENTIAL_NOT_FOUND, USER_NOT_FOUND, INVALID_PARAMETER, INVALID_CURSOR
 */
export const readListRequest = async (
  context: GraphContext,
  resource: Resource,
  { credentialId, credentialIds, userId, ...listArguments }: ListArguments & Scope,
): Promise<ListRequest> => {
  const scope = { credentialId, credentialIds, userId }
  const credentials = await resolveScope(context.access, backendOf(context), scope)
  context.loaders.allow(credentials)
  const ids = credentials.map(({ id }) => id)
  return readListOf(context, resource, ids, listArguments)
}

/** Reads the arguments of a list of records of these credentials. @throws INVALID_PARAMETER, INVALID_CURSOR */
const readListOf = async (
  context: GraphContext,
  resource: Resource,
  ids: readonly string[],
  listArguments: ListArguments,
): Promise<ListRequest> => {
  const customTypes = hasCustomFilters(listArguments.filter ?? {})
    ? await readCustomTypes(context.database, resource.topic, ids)
    : undefined
  return {
    resource,
    credentialIds: ids,
    ...readListArguments(context.catalogue, resource, listArguments, customTypes),
  }
}

/**
 * Reads the arguments of a record's root field, and allows the loaders to read its credential.
 * @returns the id of the record in this API
 * @throws UNAUTHENTICATED, FORBIDDEN, CREDENTIAL_NOT_FOUND, INVALID_PARAMETER
 */
export const readRecordId = async (
  context: GraphContext,
  resource: Resource,
  { credentialId, id }: { readonly credentialId: string; readonly id: string },
): Promise<string> => {
  const credential = await resolveCredential(context.access, backendOf(context), credentialId)
  context.loaders.allow([credential])
  return resolveId(credential.id, resource.topic, checkText('id', id))
}

/** The argument of root fields that limits the age of what they return. */
export interface StalenessArgument {
  readonly maxStalenessSeconds?: number | null | undefined
}

/**
 * Waits for syncs if the stored records are older than the argument allows. @returns their age; null without the argument
 * @throws INVALID_PARAMETER
 */
export const refreshRecords = async (
  { freshness, loaders }: GraphContext,
  resource: Resource,
  credentialIds: readonly string[],
  { maxStalenessSeconds }: StalenessArgument,
): Promise<Date | null> => {
  const seconds = parseMaxStaleness(maxStalenessSeconds)
  if (seconds === undefined) return null
  const syncedAt = await freshness.refresh(resource.topic, credentialIds, seconds)
  // Another field of the operation may have loaded them before.
  loaders.clear()
  return syncedAt
}

/**
 * Reads a page of the records of a credential. Fields with equal arguments are read together, for all their credentials.
 * `credentialId`: a credential that the caller may read.
 * @throws UNAUTHENTICATED, FORBIDDEN, INVALID_PARAMETER, INVALID_CURSOR
 */
export const loadRecordsOf = (
  context: GraphContext,
  resource: Resource,
  credentialId: string,
  args: ListArguments & StalenessArgument,
): Promise<RecordList> => {
  backendOf(context)
  const { database, loaders } = context
  const { maxStalenessSeconds, ...listArguments } = args
  const what = JSON.stringify(['records', resource.topic, args])
  return loaders.load(what, credentialId, async (ids) => {
    loaders.allow(ids.map((id) => ({ id })))
    const request = await readListOf(context, resource, ids, listArguments)
    const syncedAt = await Promise.all(
      ids.map((id) => refreshRecords(context, resource, [id], { maxStalenessSeconds })),
    )
    const pages = await listRecordsOfEach(database, request)
    const counts = once(() => countRecordsOfEach(database, request))
    return pages.map((page, index) =>
      toRecordList(page, async () => (await counts())[index] ?? 0, syncedAt[index]),
    )
  })
}

/** A record's resource and its id in canonical form. */
export interface Node {
  readonly resource: Resource
  readonly id: string
}

/**
 * Finds the resource of a record's id in the caller's environment, and allows the loaders to read its credential.
 * @returns undefined for any other id
 * @throws UNAUTHENTICATED, FORBIDDEN
 */
export const findNode = async (context: GraphContext, id: string): Promise<Node | undefined> => {
  const location = routeOf(id.toLowerCase())
  const resource = location && context.catalogue.findByTag(location.tag)
  if (!resource) return undefined
  const { environmentId } = backendOf(context)
  const credential = await context.access.credentialByRoute(location.route)
  if (credential?.environmentId !== environmentId) return undefined
  context.loaders.allow([credential])
  return { resource, id: id.toLowerCase() }
}
