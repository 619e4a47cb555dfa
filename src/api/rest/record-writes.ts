/** Writing records over REST: create, update and delete, one set of routes for every resource. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { invalidParameter } from '../../errors.ts'
import { readInput } from '../../query/input.ts'
import { parseWrite, type WriteAttempt, type WriteRequest } from '../../query/write-request.ts'
import { beforeBody } from '../admission.ts'
import type { ApiContext } from '../context.ts'
import { answerOnce } from './once.ts'
import { refuseUnknown } from './parameters.ts'
import { type ResourcePath, resourcePaths } from './paths.ts'
import { parentOf, type Question, readQuestion, recordAnswer } from './question.ts'

const ENTITY_TAG = /^"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)"$/

/** The version that the caller has seen: the entity tag of an answer. @throws INVALID_PARAMETER */
const readSeenVersion = (given: string | undefined): string | undefined => {
  if (given === undefined || given === '*') return
  const [, updatedAt] = ENTITY_TAG.exec(given) ?? []
  if (updatedAt === undefined)
    throw invalidParameter('If-Match', 'one ETag, that of the record as it was read')
  return updatedAt
}

/** A write as the routes prepare it: `body` is read by the verbs that take one. */
interface Write {
  readonly question: Question
  readonly body: unknown
  readonly attempt: WriteAttempt
}

const addRoutes = (
  server: FastifyInstance,
  context: ApiContext,
  resource: Resource,
  { path, parent }: ResourcePath,
): void => {
  const { writer } = context

  const handle =
    (work: (write: Write) => Promise<string>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
      const question = await readQuestion(context, request)
      refuseUnknown(question.parameters, ['credentialId'])
      const seenUpdatedAt = readSeenVersion(request.headers['if-match'])
      const below = parentOf(resource, parent, question)
      return answerOnce(
        context,
        { request, reply, caller: question.caller, isLocal: false },
        (attempt) =>
          work({ question, body: request.body, attempt: { ...attempt, seenUpdatedAt, below } }),
        (record) => recordAnswer(reply, resource, record),
      )
    }

  const ownerOf = ({ credential }: Question) => ({
    credentialId: credential.id,
    environmentId: credential.environmentId,
  })

  const readBody = ({ question, body }: Write): WriteRequest => {
    const above = parent === undefined ? {} : { [parent]: question.path[parent] ?? '' }
    const idOf = (name: string, id: string): string => {
      const field = resource.fields[name]
      return field?.kind === 'reference' ? resolveId(question.credential.id, field.target, id) : id
    }
    return parseWrite(
      resource,
      body,
      above,
      (name, given, value) => typeof given === 'string' && idOf(name, given) === idOf(name, value),
    )
  }

  const idOf = ({ credential, path: named }: Question): string =>
    resolveId(credential.id, resource.topic, named.id ?? '')

  const create = handle((write) =>
    writer.create(ownerOf(write.question), resource, readBody(write), write.attempt),
  )
  const update = handle((write) => {
    const { question, attempt } = write
    const request = readBody(write)
    // The parent of a record is not changed by naming it.
    const { [parent ?? '']: _, ...fields } = request.fields
    const given = { ...request, fields }
    return writer.update(ownerOf(question), resource, idOf(question), given, attempt)
  })
  const remove = handle(({ question, body, attempt }) => {
    // A deletion has no fields: one that is given is a mistake of the caller's.
    readInput({}, body ?? {})
    return writer.delete(ownerOf(question), resource, idOf(question), attempt)
  })

  const { verbs } = resource
  if (verbs.includes('create')) server.post(path, beforeBody, create)
  if (verbs.includes('update')) server.put(`${path}/:id`, beforeBody, update)
  if (verbs.includes('delete')) server.delete(`${path}/:id`, beforeBody, remove)
}

/** Adds the routes of every resource that can be written. */
export const addRecordWriteRoutes = (server: FastifyInstance, context: ApiContext): void => {
  for (const resource of context.catalogue.resources)
    for (const place of resourcePaths(resource)) addRoutes(server, context, resource, place)
}
