/** Reading records over REST: list, count and get, one set of routes for every resource. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Resource } from '../../definition/resource.ts'
import { invalidParameter } from '../../errors.ts'
import { type ListFilter, parseFilter, parseOrder, parsePage } from '../../query/list-request.ts'
import { countRecords, listRecords } from '../../store/records.ts'
import type { ApiContext } from '../context.ts'
import { JSON_TYPE } from './once.ts'
import { refuseUnknown } from './parameters.ts'
import { type ResourcePath, resourcePaths } from './paths.ts'
import { findRecord, type Question, readQuestion, recordAnswer, requireParent } from './question.ts'

/** The parameters of a list that are not filters. */
export const listParameters = [
  'credentialId',
  'pageNumber',
  'pageSize',
  'cursor',
  'orderBy',
] as const

/** The address of the same list at another cursor (RFC 8288: a relative reference). */
const nextLink = (url: string, cursor: string): string => {
  // A list has parameters always; those may have a question mark too.
  const path = url.slice(0, url.indexOf('?'))
  const parameters = new URLSearchParams(url.slice(path.length))
  parameters.delete('pageNumber')
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}

/** The routes of one resource below one path. `parent` is the reference that the path fills in. */
const addRoutes = (
  server: FastifyInstance,
  context: ApiContext,
  resource: Resource,
  { path, parent }: ResourcePath,
): void => {
  const { database } = context

  const readFilter = (question: Question, others: readonly string[]): ListFilter => {
    const given: Record<string, string> = { ...question.parameters }
    for (const name of others) delete given[name]
    if (parent === undefined) return parseFilter(resource, given, others)
    if (given[parent] !== undefined) throw invalidParameter(parent, 'no value beside the address')
    return parseFilter(resource, { ...given, [parent]: question.path[parent] }, others)
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
    if (last === undefined && parent !== undefined)
      await requireParent(context, resource, parent, question)
    if (page.hasNext && last !== undefined) {
      const cursor = page.cursorOf(last)
      reply.header('next-cursor', cursor).header('link', nextLink(request.url, cursor))
    }
    reply.type(JSON_TYPE)
    return `{"${resource.plural}":[${page.records.join(',')}]}`
  }

  const count = async (request: FastifyRequest): Promise<{ count: number }> => {
    const question = await readQuestion(context, request)
    const filter = readFilter(question, ['credentialId'])
    const count = await countRecords(database, {
      resource,
      credentialIds: [question.credential.id],
      filter,
    })
    if (count === 0 && parent !== undefined)
      await requireParent(context, resource, parent, question)
    return { count }
  }

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const question = await readQuestion(context, request)
    refuseUnknown(question.parameters, ['credentialId'])
    return recordAnswer(reply, resource, await findRecord(context, resource, parent, question))
  }

  server.get(path, list)
  server.get(`${path}/count`, count)
  server.get(`${path}/:id`, get)
}

/** Adds the routes of every resource. */
export const addRecordRoutes = (server: FastifyInstance, context: ApiContext): void => {
  for (const resource of context.catalogue.resources)
    for (const place of resourcePaths(resource)) addRoutes(server, context, resource, place)
}
