/** The common parts of record requests: the caller, the credential, the parameters and the path. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { recordNotFound } from '../../errors.ts'
import type { ParentRecord, VersionedRecord } from '../../query/write-request.ts'
import type { CredentialFacts } from '../../store/accounts/access.ts'
import { getRecords, readRecord } from '../../store/records/records.ts'
import { type KeyCaller, requireKey, resolveCredential } from '../auth/caller.ts'
import type { ApiContext } from '../context.ts'
import { JSON_TYPE } from './once.ts'
import { checkEncoding, type QueryParameters, readQuery } from './parameters.ts'

export interface RecordRequest {
  readonly caller: KeyCaller
  readonly credential: CredentialFacts
  readonly parameters: QueryParameters
  /** Path parameters: `orderId`, `id`. */
  readonly path: Readonly<Record<string, string>>
}

/**
 * Reads a record request.
 * @param lists names of parameters that hold several values
 * @throws UNAUTHENTICATED, FORBIDDEN, CREDENTIAL_NOT_FOUND, INVALID_PARAMETER
 */
export const readRecordRequest = async (
  context: ApiContext,
  request: FastifyRequest,
  lists: readonly string[] = [],
): Promise<RecordRequest> => {
  const caller = requireKey(await request.requireCaller())
  checkEncoding(request.url)
  const parameters = readQuery(request.query, lists)
  const credential = await resolveCredential(context.access, caller, parameters.credentialId)
  return { caller, credential, parameters, path: readQuery(request.params) }
}

/** The response body with one record, `{"contact":{…}}`. Sets the ETag to its version. */
export const respondWithRecord = (
  reply: FastifyReply,
  resource: Resource,
  { json, updatedAt }: Pick<VersionedRecord, 'json' | 'updatedAt'>,
): string => {
  reply.type(JSON_TYPE).header('etag', `"${updatedAt}"`)
  return `{"${resource.name}":${json}}`
}

/** The parent record in the path; undefined if the path has none. */
export const parentOf = (
  resource: Resource,
  parent: string | undefined,
  { credential, path }: RecordRequest,
): ParentRecord | undefined => {
  if (parent === undefined) return
  const reference = resource.fields[parent]?.kind.reference
  const parentId = path[parent]
  if (reference === undefined || parentId === undefined)
    throw new TypeError(`${resource.topic}: the path has no parameter ${parent}.`)
  return { field: parent, id: resolveId(credential.id, reference.target, parentId) }
}

/**
 * The record in the path; below a parent, only if it belongs to that parent.
 * @throws NOT_FOUND
 */
export const findRecord = async (
  { database }: ApiContext,
  resource: Resource,
  parent: string | undefined,
  recordRequest: RecordRequest,
): Promise<VersionedRecord> => {
  const { credential, path } = recordRequest
  const id = resolveId(credential.id, resource.topic, path.id ?? '')
  const key = { credentialId: credential.id, id }
  const record = await readRecord(
    database,
    resource,
    key,
    parentOf(resource, parent, recordRequest),
  )
  if (record === undefined) throw recordNotFound(resource.name)
  return record
}

/** Checks that the parent of an empty list exists. @throws NOT_FOUND */
export const requireParent = async (
  { database, catalogue }: ApiContext,
  resource: Resource,
  parent: string,
  recordRequest: RecordRequest,
): Promise<void> => {
  const target = catalogue.find(resource.fields[parent]?.kind.reference?.target ?? '')
  const parentRecord = parentOf(resource, parent, recordRequest)
  if (target === undefined || parentRecord === undefined) return
  const key = { credentialId: recordRequest.credential.id, id: parentRecord.id }
  const [json] = await getRecords(database, target, [key])
  if (json === undefined) throw recordNotFound(target.name)
}
