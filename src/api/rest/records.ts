/** Reading records over REST: list, count and get, one set of routes for every resource. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { resolveId } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { ApiError } from '../../errors.ts'
import { type ListFilter, parseFilter, parseOrder, parsePage } from '../../query/list-request.ts'
import type { CredentialFacts } from '../../store/access.ts'
import { countRecords, getRecords, listRecords } from '../../store/records.ts'
import { authenticate, resolveCredential } from '../caller.ts'
import type { ApiContext } from '../context.ts'
import { checkEncoding, type QueryParameters, readQuery, refuseUnknown } from './parameters.ts'
import { resourcePaths } from './paths.ts'

/** The parameters of a list that are not filters. */
export const listParameters = [
  'credentialId',
  'pageNumber',
  'pageSize',
  'cursor',
  'orderBy',
] as const

interface Question {
  readonly credential: CredentialFacts
  readonly parameters: QueryParameters
  /** What the path says: `orderId`, `id`. */
  readonly path: Readonly<Record<string, string>>
}

const readQuestion = async (context: ApiContext, request: FastifyRequest): Promise<Question> => {
  const caller = await authenticate(context.access, request.headers.authorization)
  checkEncoding(request.url)
  const parameters = readQuery(request.query)
  const credential = await resolveCredential(context.access, caller, parameters.credentialId)
  return { credential, parameters, path: readQuery(request.params) }
}

/** The address of the same list at another cursor (RFC 8288: a relative reference). */
const nextLink = (url: string, cursor: string): string => {
  // A list has parameters always; those may have a question mark too.
  const path = url.slice(0, url.indexOf('?'))
  const parameters = new URLSearchParams(url.slice(path.length))
  parameters.delete('pageNumber')
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}

const notFound = (resource: Resource): ApiError =>
  new ApiError('NOT_FOUND', `There is no ${resource.name} with this id.`)

/** The routes of one resource below one path. `parent` is the reference that the path fills in. */
const addRoutes = (
  server: FastifyInstance,
  context: ApiContext,
  resource: Resource,
  { path, parent }: { path: string; parent: string | undefined },
): void => {
  const { database } = context

  const readFilter = (question: Question, others: readonly string[]): ListFilter => {
    const given: Record<string, string> = { ...question.parameters }
    for (const name of others) delete given[name]
    const value = parent === undefined ? undefined : question.path[parent]
    return parseFilter(
      resource,
      parent === undefined ? given : { ...given, [parent]: value },
      others,
    )
  }

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const question = await readQuestion(context, request)
    const order = parseOrder(resource, question.parameters.orderBy)
    const page = await listRecords(database, {
      resource,
      credentialIds: [question.credential.id],
      filter: readFilter(question, listParameters),
      order,
      page: parsePage(resource, order, question.parameters),
    })
    const last = page.records.at(-1)
    if (page.hasNext && last !== undefined) {
      const cursor = page.cursorOf(last)
      reply.header('next-cursor', cursor).header('link', nextLink(request.url, cursor))
    }
    reply.type('application/json; charset=utf-8')
    return `{"${resource.plural}":[${page.records.join(',')}]}`
  }

  const count = async (request: FastifyRequest): Promise<{ count: number }> => {
    const question = await readQuestion(context, request)
    const filter = readFilter(question, ['credentialId'])
    return {
      count: await countRecords(database, {
        resource,
        credentialIds: [question.credential.id],
        filter,
      }),
    }
  }

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const { credential, parameters, path: given } = await readQuestion(context, request)
    refuseUnknown(parameters, ['credentialId'])
    const id = resolveId(credential.id, resource.topic, given.id ?? '')
    const [record] = await getRecords(database, resource, [{ credentialId: credential.id, id }])
    if (record === undefined) throw notFound(resource)
    if (parent !== undefined && !isChildOf(resource, parent, credential.id, given[parent], record))
      throw notFound(resource)
    reply.type('application/json; charset=utf-8')
    return `{"${resource.name}":${record}}`
  }

  server.get(path, list)
  server.get(`${path}/count`, count)
  server.get(`${path}/:id`, get)
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

/** Adds the routes of every resource. */
export const addRecordRoutes = (server: FastifyInstance, context: ApiContext): void => {
  for (const resource of context.catalogue.resources)
    for (const place of resourcePaths(resource)) addRoutes(server, context, resource, place)
}
