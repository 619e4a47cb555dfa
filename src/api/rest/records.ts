/** REST routes that list, count, aggregate and get records, for every resource. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Resource } from '../../definition/resource.ts'
import { invalidParameter } from '../../errors.ts'
import { parseGroupBy, parseMeasures } from '../../query/aggregate.ts'
import { hasCustomFilters } from '../../query/custom-filter.ts'
import { type ListFilter, listParameterNames } from '../../query/filter.ts'
import { parseFilter, parseMaxStaleness, parseOrder, parsePage } from '../../query/list-request.ts'
import { readCustomTypes } from '../../store/accounts/custom-fields.ts'
import { aggregateRecords } from '../../store/records/aggregates.ts'
import { countRecords, listRecords } from '../../store/records/records.ts'
import type { ApiContext } from '../context.ts'
import { JSON_TYPE } from './once.ts'
import { rejectUnknownParameters } from './parameters.ts'
import { type ResourcePath, resourcePaths } from './paths.ts'
import {
  findRecord,
  type RecordRequest,
  readRecordRequest,
  requireParent,
  respondWithRecord,
} from './record-request.ts'

/** The query parameters of a list that are not filters. */
export const listParameters = [
  'credentialId',
  'pageNumber',
  'pageSize',
  'cursor',
  'orderBy',
  'maxStalenessSeconds',
] as const

const countParameters = ['credentialId', 'maxStalenessSeconds'] as const

const AGGREGATED = ['groupBy', 'measures'] as const

/** The query parameters of an aggregate that are not filters. */
export const aggregateParameters = ['credentialId', ...AGGREGATED] as const

/** The `Link` header to the next page, a relative reference (RFC 8288). */
const nextLink = (url: string, cursor: string): string => {
  // A list URL always has parameters, whose values may contain a question mark.
  const path = url.slice(0, url.indexOf('?'))
  const parameters = new URLSearchParams(url.slice(path.length))
  parameters.delete('pageNumber')
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}

/** Adds the routes of one resource at one path. `parent`: the reference field whose value the path contains. */
const addRoutes = (
  server: FastifyInstance,
  context: ApiContext,
  resource: Resource,
  { path, parent }: ResourcePath,
): void => {
  const { database } = context
  const lists = listParameterNames(resource)

  const readFilter = async (
    recordRequest: RecordRequest,
    others: readonly string[],
  ): Promise<ListFilter> => {
    const filters: Record<string, string> = { ...recordRequest.parameters }
    for (const name of others) delete filters[name]
    const customTypes = hasCustomFilters(filters)
      ? await readCustomTypes(database, resource.topic, [recordRequest.credential.id])
      : undefined
    if (parent === undefined) return parseFilter(resource, filters, others, customTypes)
    if (filters[parent] !== undefined)
      throw invalidParameter(parent, 'no value, because the path contains it')
    const all = { ...filters, [parent]: recordRequest.path[parent] }
    return parseFilter(resource, all, others, customTypes)
  }

  /** Waits for a sync if the stored records are older than the request allows. `Synced-At` is the age of the response. */
  const refresh = async (
    reply: FastifyReply,
    { credential, parameters }: RecordRequest,
  ): Promise<void> => {
    const seconds = parseMaxStaleness(parameters.maxStalenessSeconds)
    if (seconds === undefined) return
    const syncedAt = await context.freshness.refresh(resource.topic, [credential.id], seconds)
    if (syncedAt) reply.header('synced-at', syncedAt.toISOString())
  }

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const recordRequest = await readRecordRequest(context, request, lists)
    const order = parseOrder(resource, recordRequest.parameters.orderBy)
    const listRequest = {
      resource,
      credentialIds: [recordRequest.credential.id],
      filter: await readFilter(recordRequest, listParameters),
      order,
      page: parsePage(resource, order, recordRequest.parameters),
    }
    await refresh(reply, recordRequest)
    const page = await listRecords(database, listRequest)
    const last = page.records.at(-1)
    if (last === undefined && parent !== undefined)
      await requireParent(context, resource, parent, recordRequest)
    if (page.hasNext && last !== undefined) {
      const cursor = page.cursorOf(last)
      reply.header('next-cursor', cursor).header('link', nextLink(request.url, cursor))
    }
    reply.type(JSON_TYPE)
    return `{"${resource.plural}":[${page.records.join(',')}]}`
  }

  const count = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ count: number }> => {
    const recordRequest = await readRecordRequest(context, request, lists)
    const filter = await readFilter(recordRequest, countParameters)
    await refresh(reply, recordRequest)
    const count = await countRecords(database, {
      resource,
      credentialIds: [recordRequest.credential.id],
      filter,
    })
    if (count === 0 && parent !== undefined)
      await requireParent(context, resource, parent, recordRequest)
    return { count }
  }

  const aggregate = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const names = [...lists, ...AGGREGATED]
    const recordRequest = await readRecordRequest(context, request, names)
    const { groupBy, measures } = recordRequest.parameters
    const { groups, count } = await aggregateRecords(database, {
      resource,
      credentialIds: [recordRequest.credential.id],
      filter: await readFilter(recordRequest, aggregateParameters),
      groupBy: parseGroupBy(resource, groupBy?.split(',') ?? []),
      measures: parseMeasures(resource, measures?.split(',') ?? []),
    })
    if (count === 0 && parent !== undefined)
      await requireParent(context, resource, parent, recordRequest)
    reply.type(JSON_TYPE)
    return `{"groups":[${groups.join(',')}]}`
  }

  const get = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const recordRequest = await readRecordRequest(context, request)
    rejectUnknownParameters(recordRequest.parameters, countParameters)
    await refresh(reply, recordRequest)
    return respondWithRecord(
      reply,
      resource,
      await findRecord(context, resource, parent, recordRequest),
    )
  }

  server.get(path, list)
  server.get(`${path}/count`, count)
  server.get(`${path}/aggregate`, aggregate)
  server.get(`${path}/:id`, get)
}

/** Adds the routes of every resource. */
export const addRecordRoutes = (server: FastifyInstance, context: ApiContext): void => {
  for (const resource of context.catalogue.resources)
    for (const resourcePath of resourcePaths(resource))
      addRoutes(server, context, resource, resourcePath)
}
