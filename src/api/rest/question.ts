/** What every call on records says: who asks, of which credential, and which record the path names. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { ApiError } from '../../errors.ts'
import type { ParentRecord } from '../../query/write-request.ts'
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

/** The record that the path names above its own; undefined if it names none. */
export const parentOf = (
  resource: Resource,
  parent: string | undefined,
  { credential, path }: Question,
): ParentRecord | undefined => {
  if (parent === undefined) return
  const field = resource.fields[parent]
  const given = path[parent]
  if (field?.kind !== 'reference' || given === undefined)
    throw new TypeError(`${resource.topic}: no path names its ${parent}.`)
  return { field: parent, id: resolveId(credential.id, field.target, given) }
}

/**
 * The record that the path names, below its parent where the path has one.
 * @throws NOT_FOUND
 */
export const findRecord = async (
  { database }: ApiContext,
  resource: Resource,
  parent: string | undefined,
  question: Question,
): Promise<string> => {
  const { credential, path } = question
  const id = resolveId(credential.id, resource.topic, path.id ?? '')
  const [record] = await getRecords(database, resource, [{ credentialId: credential.id, id }])
  const above = parentOf(resource, parent, question)
  // The text is a record of ours: a reference is an id or null.
  if (record === undefined || (above && JSON.parse(record)[above.field] !== above.id))
    throw new ApiError('NOT_FOUND', `There is no ${resource.name} with this id.`)
  return record
}

/** To be asked where a list below a parent is empty: is the parent there? @throws NOT_FOUND */
export const requireParent = async (
  { database, catalogue }: ApiContext,
  resource: Resource,
  parent: string,
  question: Question,
): Promise<void> => {
  const field = resource.fields[parent]
  const target = field?.kind === 'reference' ? catalogue.find(field.target) : undefined
  const above = parentOf(resource, parent, question)
  if (target === undefined || above === undefined) return
  const key = { credentialId: question.credential.id, id: above.id }
  const [found] = await getRecords(database, target, [key])
  if (found === undefined)
    throw new ApiError('NOT_FOUND', `There is no ${target.name} with this id.`)
}
