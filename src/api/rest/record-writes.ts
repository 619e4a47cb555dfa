/** REST routes that create, update and delete records, for every resource. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { resolveId } from '../../definition/identity.ts'
import type { Fields } from '../../definition/kinds/kind.ts'
import type { Resource } from '../../definition/resource.ts'
import { invalidParameter } from '../../errors.ts'
import { readInput } from '../../query/input.ts'
import {
  inputFieldsOf,
  parseWrite,
  updatableFields,
  type VersionedRecord,
  type WriteAttempt,
  type WriteRequest,
} from '../../query/write-request.ts'
import { beforeBody } from '../auth/admission.ts'
import type { ApiContext } from '../context.ts'
import { respondIdempotently } from './once.ts'
import { rejectUnknownParameters } from './parameters.ts'
import { type ResourcePath, resourcePaths } from './paths.ts'
import {
  parentOf,
  type RecordRequest,
  readRecordRequest,
  respondWithRecord,
} from './record-request.ts'

const ENTITY_TAG = /^"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)"$/

/** The record version in If-Match, an ETag of an earlier response. @throws INVALID_PARAMETER */
const readSeenVersion = (header: string | undefined): string | undefined => {
  if (header === undefined || header === '*') return
  const [, updatedAt] = ENTITY_TAG.exec(header) ?? []
  if (updatedAt === undefined)
    throw invalidParameter('If-Match', 'one ETag, from the response that returned the record')
  return updatedAt
}

const noFields: Fields = {}

/** A write request; create and update parse `body`. */
interface Write {
  readonly recordRequest: RecordRequest
  readonly body: unknown
  readonly attempt: WriteAttempt
}

/** The record in a stored response. */
const storedRecord = (json: string): Pick<VersionedRecord, 'json' | 'updatedAt'> => {
  // Every record contains its version.
  const { updatedAt } = JSON.parse(json) as { readonly updatedAt: string }
  return { json, updatedAt }
}

const addRoutes = (
  server: FastifyInstance,
  context: ApiContext,
  resource: Resource,
  { path, parent }: ResourcePath,
): void => {
  const { writer } = context

  const handle =
    (work: (write: Write) => Promise<VersionedRecord>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
      const recordRequest = await readRecordRequest(context, request)
      rejectUnknownParameters(recordRequest.parameters, ['credentialId'])
      const seenUpdatedAt = readSeenVersion(request.headers['if-match'])
      const parentRecord = parentOf(resource, parent, recordRequest)
      let written: VersionedRecord | undefined
      return respondIdempotently(
        context,
        { request, reply, caller: recordRequest.caller, isLocal: false },
        async (attempt) => {
          const writeAttempt = { ...attempt, seenUpdatedAt, below: parentRecord }
          written = await work({ recordRequest, body: request.body, attempt: writeAttempt })
          return written.json
        },
        (kept) => respondWithRecord(reply, resource, written ?? storedRecord(kept)),
      )
    }

  const ownerOf = ({ credential }: RecordRequest) => ({
    credentialId: credential.id,
    environmentId: credential.environmentId,
  })

  const readBody = (fields: Fields, { recordRequest, body }: Write): WriteRequest => {
    const parentFields = parent === undefined ? {} : { [parent]: recordRequest.path[parent] ?? '' }
    const idOf = (name: string, id: string): string => {
      const reference = resource.fields[name]?.kind.reference
      return reference ? resolveId(recordRequest.credential.id, reference.target, id) : id
    }
    return parseWrite(
      fields,
      body,
      parentFields,
      (name, sent, value) => typeof sent === 'string' && idOf(name, sent) === idOf(name, value),
    )
  }

  const idOf = ({ credential, path: pathParameters }: RecordRequest): string =>
    resolveId(credential.id, resource.topic, pathParameters.id ?? '')

  const create = handle((write) =>
    writer.create({
      owner: ownerOf(write.recordRequest),
      resource,
      request: readBody(inputFieldsOf(resource), write),
      attempt: write.attempt,
    }),
  )
  const update = (inputFields: Fields) =>
    handle((write) => {
      const { recordRequest, attempt } = write
      const request = readBody(inputFields, write)
      // The parent in the path is not a field to update.
      const { [parent ?? '']: _, ...fields } = request.fields
      return writer.update({
        owner: ownerOf(recordRequest),
        resource,
        id: idOf(recordRequest),
        request: { ...request, fields },
        attempt,
      })
    })
  const remove = handle(({ recordRequest, body, attempt }) => {
    // A deletion takes no fields: reject a body that has some.
    readInput(noFields, body ?? {})
    return writer.delete({
      owner: ownerOf(recordRequest),
      resource,
      id: idOf(recordRequest),
      attempt,
    })
  })

  const { verbs } = resource
  if (verbs.includes('create')) server.post(path, beforeBody, create)
  if (verbs.includes('update')) {
    server.put(`${path}/:id`, beforeBody, update(inputFieldsOf(resource)))
    server.patch(`${path}/:id`, beforeBody, update(updatableFields(resource)))
  }
  if (verbs.includes('delete')) server.delete(`${path}/:id`, beforeBody, remove)
}

/** Adds the write routes of every writable resource. */
export const addRecordWriteRoutes = (server: FastifyInstance, context: ApiContext): void => {
  for (const resource of context.catalogue.resources)
    for (const resourcePath of resourcePaths(resource))
      addRoutes(server, context, resource, resourcePath)
}
