/** What every call on records says: who asks, of which credential, and which record the path names. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { ApiError } from '../../errors.ts'
import type { CredentialFacts } from '../../store/access.ts'
import { getRecords, updatedAtOf } from '../../store/records.ts'
import { type KeyCaller, requireKey, resolveCredential } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { JSON_TYPE } from './once.ts'
import { checkEncoding, type QueryParameters, readQuery } from './parameters.ts'

export interface Question {
  readonly caller: KeyCaller
  readonly credential: CredentialFacts
  readonly parameters: QueryParameters
  /** What the path says: `orderId`, `id`. */
  readonly path: Readonly<Record<string, string>>
}

/** @throws UNAUTHENTICATED, FORBIDDEN, CREDENTIAL_NOT_FOUND, INVALID_PARAMETER */
export const readQuestion = async (
  context: ApiContext,
  request: FastifyRequest,
): Promise<Question> => {
  const caller = requireKey(await request.requireCaller())
  checkEncoding(request.url)
  const parameters = readQuery(request.query)
  const credential = await resolveCredential(context.access, caller, parameters.credentialId)
  return { caller, credential, parameters, path: readQuery(request.params) }
}

/** The record under its single named key, with its version as the entity tag. */
export const recordAnswer = (reply: FastifyReply, resource: Resource, record: string): string => {
  reply.type(JSON_TYPE).header('etag', `"${updatedAtOf(record)}"`)
  return `{"${resource.name}":${record}}`
}

/**
 * The record that the path names, below its parent where the path has one.
 * @throws NOT_FOUND
 */
export const findRecord = async (
  { database }: ApiContext,
  resource: Resource,
  parent: string | undefined,
  { credential, path }: Question,
): Promise<string> => {
  const id = resolveId(credential.id, resource.topic, path.id ?? '')
  const [record] = await getRecords(database, resource, [{ credentialId: credential.id, id }])
  const isThere =
    record !== undefined &&
    (parent === undefined || isChildOf(resource, parent, credential.id, path[parent], record))
  if (!isThere) throw new ApiError('NOT_FOUND', `There is no ${resource.name} with this id.`)
  return record
}

/** To be asked where a list below a parent is empty: is the parent there? @throws NOT_FOUND */
export const requireParent = async (
  { database, catalogue }: ApiContext,
  { fields }: Resource,
  parent: string,
  { credential, path }: Question,
): Promise<void> => {
  const field = fields[parent]
  const above = field?.kind === 'reference' ? catalogue.find(field.target) : undefined
  if (above === undefined) return
  const id = resolveId(credential.id, above.topic, path[parent] ?? '')
  const [found] = await getRecords(database, above, [{ credentialId: credential.id, id }])
  if (found === undefined)
    throw new ApiError('NOT_FOUND', `There is no ${above.name} with this id.`)
}

const isChildOf = (
  resource: Resource,
  parent: string,
  credentialId: string,
  parentId: string | undefined,
  recordJson: string,
): boolean => {
  const field = resource.fields[parent]
  if (field?.kind !== 'reference' || parentId === undefined) return false
  // The text is a record of ours: a reference is an id or null.
  const record = JSON.parse(recordJson) as Record<string, unknown>
  return record[parent] === resolveId(credentialId, field.target, parentId)
}
